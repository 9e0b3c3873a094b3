//! Search in lists: each word of a query must begin a word of the item, regardless of case and accents.
mod store;

use linepress_model::{Aspect, is_written_without_spaces, plain_words, text_enum};

use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;

pub(crate) use store::{SearchIndex, SearchStatement, suggest};

text_enum! {
    /// The order of a list.
    #[derive(Default)]
    pub enum ListSort {
        /// The newest first.
        #[default]
        Newest = "newest",
        /// By title, from A to Z.
        Title = "title",
        /// The most recently changed first.
        Changed = "changed",
    }
}

/// Maximum number of words that are looked for; further ones are ignored.
const MAX_QUERY_WORDS: usize = 6;

/// The criteria and the order of a search in a list.
#[derive(Clone, Debug)]
pub struct Search<S> {
    patterns: Vec<String>,
    pub status: Option<S>,
    pub aspect: Option<Aspect>,
    pub sort: ListSort,
}

impl<S> Search<S> {
    /// A search for items that have a word with each of these beginnings.
    pub fn new(query: &str, status: Option<S>, aspect: Option<Aspect>, sort: ListSort) -> Self {
        let plain = plain_words(query);
        let words = plain.split(' ').filter(|word| !word.is_empty());
        Self {
            patterns: words.take(MAX_QUERY_WORDS).map(pattern).collect(),
            status,
            aspect,
            sort,
        }
    }

    /// The pattern of each word, for `LIKE`.
    pub(crate) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The part of the search's items that a client requests. None if the search finds everything, the newest first, as
    /// a list without a search does; an error if the cursor belongs to a list in another order.
    pub(crate) fn part<'a>(&'a self, request: &'a PageRequest) -> Result<Option<SearchPart<'a, S>>> {
        let key = request.after_key(self.order())?;
        let is_everything =
            self.patterns.is_empty() && self.status.is_none() && self.aspect.is_none() && self.order().is_none();
        let part = SearchPart {
            search: self,
            request,
            key,
        };
        Ok((!is_everything).then_some(part))
    }

    /// The name of the order in cursors. None for the order of ids.
    fn order(&self) -> Option<&'static str> {
        match self.sort {
            ListSort::Newest => None,
            ListSort::Title | ListSort::Changed => Some(self.sort.as_str()),
        }
    }
}

/// A part of the items that a search finds.
pub(crate) struct SearchPart<'a, S> {
    pub search: &'a Search<S>,
    pub request: &'a PageRequest,
    /// The title or the time of change of the last item of the previous part.
    key: Option<&'a str>,
}

/// A row of a list that can be searched.
pub(crate) trait Searched {
    fn id(&self) -> &str;
    /// The stored title by which lists are sorted.
    fn sort_title(&self) -> &str;
    fn updated_at(&self) -> Timestamp;
}

impl<S> SearchPart<'_, S> {
    /// The part with these rows: one row more than the limit shows that another part follows.
    pub(crate) fn page<T: Searched>(&self, rows: Vec<T>) -> PageOf<T> {
        let Some(order) = self.search.order() else {
            return PageOf::from_rows(rows, self.request, T::id);
        };
        let key = |row: &T| match self.search.sort {
            // Not computed from the title, because a row of an earlier version has none until it is indexed.
            ListSort::Title => row.sort_title().to_owned(),
            ListSort::Newest | ListSort::Changed => row.updated_at().microseconds().to_string(),
        };
        PageOf::from_sorted_rows(rows, self.request, order, T::id, key)
    }
}

/// The patterns of the items whose title or id begins with a text, for `LIKE`.
pub(crate) struct Beginning {
    /// For the title by which lists are sorted.
    pub title: String,
    /// With the escape character `!`. Empty if no id begins with the text.
    pub id: String,
}

impl Beginning {
    pub(crate) fn new(text: &str) -> Self {
        let may_begin_an_id = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Self {
            title: format!("{}%", plain_words(text)),
            id: match may_begin_an_id {
                true => format!("{}%", text.replace('_', "!_")),
                false => String::new(),
            },
        }
    }
}

/// Returns the text in which a search finds words. It is never empty: an empty `search_text` marks a row that is not
/// indexed yet.
pub(crate) fn text(parts: &[&str]) -> String {
    format!(" {} ", plain_words(&parts.join(" ")))
}

/// The title by which a list is sorted.
pub(crate) fn sort_title(title: &str) -> String {
    plain_words(title)
}

/// The pattern of a word. It matches beginnings of words, and for scripts without spaces any part of a text.
fn pattern(word: &str) -> String {
    let anywhere = word.chars().any(is_written_without_spaces);
    format!("{}{word}%", if anywhere { "%" } else { "% " })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simplified `LIKE`, for patterns with `%` at both ends.
    fn finds(query: &str, parts: &[&str]) -> bool {
        let text = text(parts);
        let search = Search::<()>::new(query, None, None, ListSort::Newest);
        search
            .patterns()
            .iter()
            .all(|pattern| text.contains(pattern.trim_matches('%')))
    }

    #[test]
    fn words_are_found_by_their_beginnings_in_any_language() {
        for (query, found) in [
            ("fox", true),
            ("FO", true),
            ("ox", false),
            ("owl fox", true),
            ("owl bear", false),
            ("Füchse", true),
            ("fuchse", true),
            ("straße", true),
            ("strasse", true),
            ("dont", true),
            ("don't", true),
            ("лиса", true),
            ("ЛИ", true),
            ("ελλάδα", true),
            ("Οδυσσέας", true),
            ("ספר", true),
            ("ours", true),
            ("l’ours", true),
            ("動物", true),
            ("हिन्दी", true),
            ("हद", false),
            ("여우", true),
            ("여", true),
            ("", true),
            ("?!", true),
            ("%", true),
            ("f_x", false),
        ] {
            let parts = [
                "A Fox, an Owl",
                "Füchse in der Straße: don’t! Лиса",
                "Ελλαδα 森の動物 हिन्दी 여우 ΟΔΥΣΣΕΑΣ בית־ספר L’ours",
            ];
            assert_eq!(finds(query, &parts), found, "{query}");
        }
    }

    #[test]
    fn a_beginning_has_no_wildcards_and_no_characters_that_a_database_rejects() {
        for (text, title, id) in [
            ("", "%", "%"),
            ("Füch", "fuch%", ""),
            ("book_01", "book 01%", "book!_01%"),
            ("100% f_x!", "100 f x%", ""),
            ("a\0b", "a b%", ""),
        ] {
            let beginning = Beginning::new(text);
            assert_eq!(
                (beginning.title.as_str(), beginning.id.as_str()),
                (title, id),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_text_is_never_empty_and_a_title_is_sorted_by_its_words() {
        assert_eq!(text(&["!", ""]), "  ");
        assert_eq!(sort_title("  “Émile”, the Fox "), "emile the fox");
    }
}
