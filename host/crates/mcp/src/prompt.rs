//! The definition of a prompt: a job that a user chooses in their client, which asks them for its arguments.
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::placeholders::fill_in;
use super::words;
use linepress_core::books::MAX_PAGES;
use linepress_core::print::{self, OfferedFormat, printers_of};
use linepress_http::json::shortened;
use linepress_model::{Aspect, Audience};
use linepress_platform::app::App;
use linepress_platform::scopes::Scopes;
use linepress_printers::Edition;

/// Maximum length of an argument in characters.
pub(super) const MAX_ARGUMENT_CHARS: usize = 1_000;

/// A prompt. Its text guides an agent through the job: it names the tools in their order, what to ask the user, and
/// that the user agrees to each price.
pub(super) struct PromptSpec {
    pub name: &'static str,
    pub title: &'static str,
    /// The description for the user.
    pub description: &'static str,
    /// The scopes without which the job cannot be done.
    pub scopes: Scopes,
    pub arguments: &'static [Argument],
    /// May contain placeholders of prices and limits. Names of tools are in backticks.
    pub text: &'static str,
}

/// An argument of a prompt.
pub(super) struct Argument {
    pub name: &'static str,
    pub title: &'static str,
    /// Without a full stop.
    pub description: &'static str,
    pub is_required: bool,
    pub kind: Kind,
}

/// The values that an argument accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    PageCount,
    Audience,
    Aspect,
    Edition,
    /// The id of a print format.
    Format,
    /// The title or the id of a book of the account, or both.
    Book,
    /// The name or the id of a character of the account, or both.
    Character,
}

/// The arguments that the user has chosen already, if a choice of print formats depends on them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chosen {
    pub aspect: Option<Aspect>,
    pub edition: Option<Edition>,
}

impl PromptSpec {
    /// The prompt as clients see it.
    pub(super) fn describe(&self) -> Prompt {
        let arguments = self.arguments.iter().map(Argument::describe).collect();
        Prompt::new(self.name, Some(self.description), Some(arguments)).with_title(self.title)
    }

    pub(super) fn argument(&self, name: &str) -> Option<&'static Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The error for a name that is not an argument of this prompt.
    pub(super) fn unknown_argument(&self, name: &str) -> String {
        let known: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
        let (unknown, known) = (shortened(name), known.join(", "));
        format!("The argument {unknown:?} does not exist; the arguments are {known}.")
    }

    /// The prompt with these arguments filled in; an error is the problem with one of them.
    pub(super) fn result(&self, app: &App, given: Option<&JsonObject>) -> Result<GetPromptResult, String> {
        let mut names = given.into_iter().flat_map(|given| given.keys());
        if let Some(unknown) = names.find(|name| self.argument(name).is_none()) {
            return Err(self.unknown_argument(unknown));
        }
        let mut text = fill_in(self.text.trim_end());
        text.push_str("\n\nThe user's choices:");
        for argument in self.arguments {
            let value = argument.read(app, given)?;
            let value = value.map_or_else(|| "not chosen".to_owned(), |value| words::quoted(&value));
            text.push_str(&format!("\n- {}: {value}", argument.title));
        }
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(self.description))
    }
}

impl Argument {
    fn describe(&self) -> PromptArgument {
        let description = match self.kind.fixed_words() {
            words if words.is_empty() => format!("{}.", self.description),
            words => format!("{}: {}.", self.description, words.join(", ")),
        };
        PromptArgument::new(self.name)
            .with_title(self.title)
            .with_description(description)
            .with_required(self.is_required)
    }

    /// Reads the argument; `None` if it is missing or blank. An error is the problem with it.
    fn read(&self, app: &App, given: Option<&JsonObject>) -> Result<Option<String>, String> {
        let name = self.name;
        let value = match given.and_then(|given| given.get(name)) {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.trim(),
            Some(_) => return Err(format!("The argument {name} must be a text.")),
        };
        if value.is_empty() {
            return match self.is_required {
                true => Err(format!("The argument {name} is required.")),
                false => Ok(None),
            };
        }
        if value.chars().count() > MAX_ARGUMENT_CHARS {
            return Err(format!(
                "The argument {name} must be at most {MAX_ARGUMENT_CHARS} characters."
            ));
        }
        let checked = self.kind.check(app, value);
        let value = checked.map_err(|problem| format!("The argument {name} {problem}."))?;
        Ok(Some(value))
    }
}

impl Kind {
    /// The words among which the user chooses, in the order in which they are offered. Empty for other kinds of values.
    pub(super) fn words(self, app: &App, chosen: Chosen) -> Vec<String> {
        if self != Self::Format {
            return self.fixed_words().into_iter().map(str::to_owned).collect();
        }
        let formats = print::formats(app);
        let fitting = formats.iter().filter(|offered| chosen.fits(offered));
        fitting.map(|offered| offered.format.id.clone()).collect()
    }

    /// The words that are the same on every server.
    fn fixed_words(self) -> Vec<&'static str> {
        match self {
            Self::Audience => Audience::ALL.iter().map(|audience| audience.as_str()).collect(),
            Self::Aspect => Aspect::ALL.iter().map(|aspect| aspect.as_str()).collect(),
            Self::Edition => Edition::ALL.iter().map(|edition| edition.as_str()).collect(),
            Self::Text | Self::PageCount | Self::Format | Self::Book | Self::Character => Vec::new(),
        }
    }

    /// Returns the value as the tools expect it; an error is the problem with it.
    fn check(self, app: &App, value: &str) -> Result<String, String> {
        match self {
            Self::Text | Self::Book | Self::Character => Ok(value.to_owned()),
            Self::PageCount => match value.parse::<usize>() {
                Ok(count) if (1..=MAX_PAGES).contains(&count) => Ok(count.to_string()),
                _ => Err(format!("must be a whole number from 1 to {MAX_PAGES}")),
            },
            Self::Audience | Self::Aspect | Self::Edition | Self::Format => {
                let words = self.words(app, Chosen::default());
                let found = words.iter().find(|word| word.eq_ignore_ascii_case(value)).cloned();
                found.ok_or_else(|| format!("must be one of {}", words.join(", ")))
            }
        }
    }
}

impl Chosen {
    fn fits(self, offered: &OfferedFormat) -> bool {
        let has_aspect = self.aspect.is_none_or(|aspect| offered.format.aspect == aspect);
        let is_printed = match self.edition {
            None | Some(Edition::Home) => true,
            Some(edition) => printers_of(offered).iter().any(|printer| printer.edition == edition),
        };
        has_aspect && is_printed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_argument_with_few_values_lists_them() {
        let argument = |kind| Argument {
            name: "audience",
            title: "Audience",
            description: "Who will color it",
            is_required: false,
            kind,
        };
        assert_eq!(
            json!(argument(Kind::Audience).describe()),
            json!({
                "name": "audience",
                "title": "Audience",
                "description": "Who will color it: toddler, child, teen, adult.",
                "required": false,
            })
        );
        assert_eq!(
            json!(argument(Kind::Text).describe())["description"],
            "Who will color it."
        );
    }
}
