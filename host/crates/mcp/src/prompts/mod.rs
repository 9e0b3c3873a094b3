//! The prompts: the three common jobs. Their texts are the files next to this one.
use super::prompt::{Argument, Kind, PromptSpec};
use linepress_http::json::shortened;
use linepress_platform::scopes::{Scope, Scopes};

const READING: Scopes = Scopes::of(&[Scope::BooksRead]);
const ORDERING: Scopes = Scopes::of(&[Scope::BooksRead, Scope::BooksWrite, Scope::CreditsSpend]);

const BOOK: Argument = Argument {
    name: "book",
    title: "Book",
    description: "The title or the id of the book",
    is_required: true,
    kind: Kind::Book,
};

const FORMAT: Argument = Argument {
    name: "format",
    title: "Print format",
    description: "The id of a print format, such as us_letter",
    is_required: false,
    kind: Kind::Format,
};

static PROMPTS: [PromptSpec; 3] = [
    PromptSpec {
        name: "make_book",
        title: "Make a coloring book",
        description: "Plans a coloring book from a theme, orders it at a price that you agree to, and returns its PDF.",
        scopes: ORDERING,
        arguments: &[
            Argument {
                name: "theme",
                title: "Theme",
                description: "What the book is about",
                is_required: true,
                kind: Kind::Text,
            },
            Argument {
                name: "audience",
                title: "Audience",
                description: "Who will color it",
                is_required: false,
                kind: Kind::Audience,
            },
            Argument {
                name: "page_count",
                title: "Number of pages",
                description: "How many pages are drawn",
                is_required: false,
                kind: Kind::PageCount,
            },
            Argument {
                name: "aspect",
                title: "Aspect",
                description: "The shape of the pages",
                is_required: false,
                kind: Kind::Aspect,
            },
            FORMAT,
            Argument {
                name: "character",
                title: "Character",
                description: "The name or the id of a character of the account that appears on the pages",
                is_required: false,
                kind: Kind::Character,
            },
        ],
        text: include_str!("make_book.md"),
    },
    PromptSpec {
        name: "review_book",
        title: "Review a coloring book",
        description: "Looks at every page of a book, reports what could be better, and improves what you choose.",
        scopes: READING,
        arguments: &[
            BOOK,
            Argument {
                name: "wishes",
                title: "Wishes",
                description: "What to look at or to change",
                is_required: false,
                kind: Kind::Text,
            },
        ],
        text: include_str!("review_book.md"),
    },
    PromptSpec {
        name: "prepare_book_for_print",
        title: "Prepare a book for a printer",
        description: "Checks a book for a printer at home, Amazon KDP or Lulu, and returns the files that it needs.",
        scopes: READING,
        arguments: &[
            BOOK,
            Argument {
                name: "edition",
                title: "Printer",
                description: "Where the book is printed",
                is_required: false,
                kind: Kind::Edition,
            },
            FORMAT,
        ],
        text: include_str!("prepare_book.md"),
    },
];

/// The prompts for a caller with these scopes.
pub(super) fn for_scopes(granted: Scopes) -> impl Iterator<Item = &'static PromptSpec> {
    PROMPTS.iter().filter(move |prompt| granted.includes(prompt.scopes))
}

/// Finds a prompt for a caller with these scopes; an error is the reason why there is none.
pub(super) fn find(granted: Scopes, name: &str) -> Result<&'static PromptSpec, String> {
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let name = shortened(name);
        return Err(format!(
            "The prompt {name:?} does not exist; prompts/list lists all prompts."
        ));
    };
    let missing = prompt.scopes.without(granted);
    if !missing.is_empty() {
        return Err(format!(
            "The prompt {name} needs scopes that were not granted: {missing}."
        ));
    }
    Ok(prompt)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tools;

    #[test]
    fn the_texts_name_tools_that_exist_and_no_placeholder_remains() {
        let known: BTreeSet<&str> = tools::all().map(|tool| tool.name).collect();
        for prompt in &PROMPTS {
            let named: Vec<&str> = prompt.text.split('`').skip(1).step_by(2).collect();
            assert!(named.len() > 8, "{}", prompt.name);
            for tool in named {
                assert!(known.contains(tool), "{}: {tool}", prompt.name);
            }
            let text = crate::placeholders::fill_in(prompt.text);
            assert!(!text.contains(['{', '}']), "{}: {text}", prompt.name);
        }
    }

    #[test]
    fn prompts_and_their_arguments_have_distinct_names() {
        let names: BTreeSet<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        assert_eq!(names.len(), PROMPTS.len());
        for prompt in &PROMPTS {
            let names: BTreeSet<&str> = prompt.arguments.iter().map(|argument| argument.name).collect();
            assert_eq!(names.len(), prompt.arguments.len(), "{}", prompt.name);
        }
    }

    #[test]
    fn a_prompt_that_cannot_be_carried_out_is_not_offered() {
        let read = Scopes::of(&[Scope::BooksRead]);
        let offered: Vec<&str> = for_scopes(read).map(|prompt| prompt.name).collect();
        assert_eq!(offered, ["review_book", "prepare_book_for_print"]);
        assert_eq!(for_scopes(Scopes::ALL).count(), PROMPTS.len());
        let problem = find(read, "make_book").err().unwrap();
        assert!(problem.contains("not granted: books:write credits:spend."), "{problem}");
        assert!(find(Scopes::ALL, "sell_book").is_err());
    }
}
