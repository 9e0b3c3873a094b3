//! Completions: values for an argument of a prompt that begin as the user has begun to type.
use std::fmt::Display;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionContext, CompletionInfo};

use super::prompt::{Chosen, Kind, MAX_ARGUMENT_CHARS};
use super::{prompts, refusal};
use linepress_accounts::caller::Caller;
use linepress_core::{books, characters};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, CharacterId};

/// The most values of a completion, which the protocol sets.
const MAX_VALUES: usize = CompletionInfo::MAX_VALUES;

/// The most rows that are read: one more than are shown, to find out whether there are more.
const MAX_ROWS: i64 = MAX_VALUES as i64 + 1;

/// Completes an argument of a prompt.
pub(super) async fn complete(
    app: &App,
    caller: &Caller,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo, ErrorData> {
    let invalid = |problem: String| ErrorData::invalid_params(problem, None);
    let Some(prompt) = request.r#ref.as_prompt_name() else {
        return Err(invalid(
            "Only arguments of prompts can be completed: this server has no resources.".into(),
        ));
    };
    let prompt = prompts::find(caller.scopes(), prompt).map_err(invalid)?;
    let Some(argument) = prompt.argument(&request.argument.name) else {
        return Err(invalid(prompt.unknown_argument(&request.argument.name)));
    };
    let typed = request.argument.value.trim_start();
    if typed.chars().count() > MAX_ARGUMENT_CHARS {
        return info(Vec::new());
    }
    let chosen = request.context.as_ref().map(chosen).unwrap_or_default();
    let found = values(app, caller, argument.kind, typed, chosen).await;
    info(found.map_err(|error| refusal::protocol_error(&error))?)
}

/// The values of this kind that begin as typed.
async fn values(app: &App, caller: &Caller, kind: Kind, typed: &str, chosen: Chosen) -> Result<Vec<String>> {
    Ok(match kind {
        Kind::Text | Kind::PageCount => Vec::new(),
        Kind::Audience | Kind::Aspect | Kind::Edition | Kind::Format => {
            let words = kind.words(app, chosen).into_iter();
            words.filter(|word| begins_with(word, typed)).collect()
        }
        Kind::Book => named(
            books::suggest(app, caller, typed, MAX_ROWS).await?,
            typed.starts_with(BookId::PREFIX),
        ),
        Kind::Character => named(
            characters::suggest(app, caller, typed, MAX_ROWS).await?,
            typed.starts_with(CharacterId::PREFIX),
        ),
    })
}

/// Resources as values: by name and id, so that the user recognizes them and the agent finds them; by id alone for a
/// user who types an id.
fn named<T: Display>(found: Vec<(T, String)>, by_id: bool) -> Vec<String> {
    let found = found.into_iter();
    let value = |(id, name): (T, String)| match by_id {
        true => id.to_string(),
        false => format!("{name} ({id})"),
    };
    found.map(value).collect()
}

fn begins_with(word: &str, typed: &str) -> bool {
    let beginning = word.get(..typed.len());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(typed))
}

fn chosen(context: &CompletionContext) -> Chosen {
    let value = |name| {
        context
            .get_argument(name)
            .map(|value| value.trim().to_ascii_lowercase())
    };
    Chosen {
        aspect: value("aspect").and_then(|value| value.parse().ok()),
        edition: value("edition").and_then(|value| value.parse().ok()),
    }
}

fn info(mut values: Vec<String>) -> Result<CompletionInfo, ErrorData> {
    let has_more = values.len() > MAX_VALUES;
    values.truncate(MAX_VALUES);
    let total = u32::try_from(values.len()).ok().filter(|_| !has_more);
    let info = CompletionInfo::with_pagination(values, total, has_more);
    info.map_err(|problem| ErrorData::internal_error(problem, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_without_regard_to_case() {
        for (typed, is_found) in [
            ("", true),
            ("ch", true),
            ("CH", true),
            ("childr", false),
            ("ild", false),
        ] {
            assert_eq!(begins_with("child", typed), is_found, "{typed:?}");
        }
        // A multi-byte character in the middle of a word's bytes.
        assert!(!begins_with("a\u{301}b", "ab"));
    }

    #[test]
    fn more_values_than_fit_are_announced() {
        let values = |count: usize| vec!["x".to_owned(); count];
        for (count, shown, has_more, total) in [
            (0, 0, false, Some(0)),
            (100, 100, false, Some(100)),
            (101, 100, true, None),
        ] {
            let info = info(values(count)).unwrap();
            assert_eq!(
                (info.values.len(), info.has_more, info.total),
                (shown, Some(has_more), total)
            );
        }
    }

    #[test]
    fn a_resource_is_named_with_its_id() {
        let found = || vec![("book_1", "Woods".to_owned())];
        assert_eq!(named(found(), false), ["Woods (book_1)"]);
        assert_eq!(named(found(), true), ["book_1"]);
    }
}
