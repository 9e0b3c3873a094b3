//! Lists: as many items as fit into one result, and the cursor after the last of them.
use serde::Serialize;

use super::reply::Reply;
use super::results::attempts::{AttemptSummary, AttemptsResult};
use super::results::books::{BookSummary, BooksResult};
use super::results::characters::{CharacterSummary, CharactersResult};
use super::results::deleted::{BinResult, DeletedSummary};
use super::results::operations::{OperationSummary, OperationsResult};
use super::results::pages::{PageSummary, PagesResult};
use super::results::{MAX_RESULT_BYTES, Meta};
use super::words;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::books::Book;
use linepress_core::characters::Character;
use linepress_core::deletion::DeletedItem;
use linepress_core::operations::Operation;
use linepress_core::pages::Page;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;

/// A resource that a tool lists.
pub(super) trait Listed {
    /// The name of several such resources.
    const NAME: &'static str;

    /// The resource in the structured half of a list.
    type Summary: Serialize + for<'a> From<&'a Self>;

    /// The structured half of a list.
    type List;

    fn id(&self) -> &str;

    /// The line of the text.
    fn line(&self) -> String;

    fn list(items: Vec<Self::Summary>, meta: Meta) -> Self::List;
}

/// The reply with a list, cut after the last item that fits. `then` is the next step after its end.
pub(super) fn list_reply<T: Listed>(page: &PageOf<T>, request: &PageRequest, then: &str) -> Result<Reply<T::List>> {
    let Part {
        items,
        lines,
        next_cursor,
    } = Part::new(page, request)?;
    let text = words::list_text(&lines, T::NAME);
    let next = words::after_list(next_cursor.as_deref(), then);
    Ok(Reply::new(T::list(items, Meta { next_cursor }), text, next))
}

/// The items of a list that fit into one result.
struct Part<T: Listed> {
    items: Vec<T::Summary>,
    /// The items as lines of the text.
    lines: Vec<String>,
    /// The cursor after the last of these items; `None` if no items follow.
    next_cursor: Option<String>,
}

impl<T: Listed> Part<T> {
    /// Takes items until the structure or the text of the result is full, but at least one.
    fn new(page: &PageOf<T>, request: &PageRequest) -> Result<Self> {
        let mut part = Self {
            items: Vec::new(),
            lines: Vec::new(),
            next_cursor: page.next_cursor.clone(),
        };
        let (mut item_bytes, mut line_bytes) = (0, 0);
        let mut last = None;
        for item in &page.items {
            let (summary, line) = (T::Summary::from(item), item.line());
            item_bytes += serde_json::to_string(&summary)?.len() + 1;
            line_bytes += line.len() + 1;
            if let Some(last) = last
                && item_bytes.max(line_bytes) > MAX_RESULT_BYTES
            {
                part.next_cursor = Some(request.cursor_after(last));
                break;
            }
            part.items.push(summary);
            part.lines.push(line);
            last = Some(item.id());
        }
        Ok(part)
    }
}

impl Listed for Book {
    const NAME: &'static str = "books";
    type Summary = BookSummary;
    type List = BooksResult;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn line(&self) -> String {
        words::books::list_line(self)
    }

    fn list(books: Vec<BookSummary>, meta: Meta) -> BooksResult {
        BooksResult { books, meta }
    }
}

impl Listed for Page {
    const NAME: &'static str = "pages";
    type Summary = PageSummary;
    type List = PagesResult;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn line(&self) -> String {
        words::pages::list_line(self)
    }

    fn list(pages: Vec<PageSummary>, meta: Meta) -> PagesResult {
        PagesResult { pages, meta }
    }
}

impl Listed for Attempt {
    const NAME: &'static str = "attempts";
    type Summary = AttemptSummary;
    type List = AttemptsResult;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn line(&self) -> String {
        words::attempts::list_line(self)
    }

    fn list(attempts: Vec<AttemptSummary>, meta: Meta) -> AttemptsResult {
        AttemptsResult { attempts, meta }
    }
}

impl Listed for DeletedItem {
    const NAME: &'static str = "deleted books and pages";
    type Summary = DeletedSummary;
    type List = BinResult;

    fn id(&self) -> &str {
        self.entry_id.as_str()
    }

    fn line(&self) -> String {
        words::deleted::list_line(self)
    }

    fn list(deleted_items: Vec<DeletedSummary>, meta: Meta) -> BinResult {
        BinResult { deleted_items, meta }
    }
}

impl Listed for Character {
    const NAME: &'static str = "characters";
    type Summary = CharacterSummary;
    type List = CharactersResult;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn line(&self) -> String {
        words::characters::list_line(self)
    }

    fn list(characters: Vec<CharacterSummary>, meta: Meta) -> CharactersResult {
        CharactersResult { characters, meta }
    }
}

impl Listed for Operation {
    const NAME: &'static str = "operations";
    type Summary = OperationSummary;
    type List = OperationsResult;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn line(&self) -> String {
        words::operations::list_line(self)
    }

    fn list(operations: Vec<OperationSummary>, meta: Meta) -> OperationsResult {
        OperationsResult { operations, meta }
    }
}
