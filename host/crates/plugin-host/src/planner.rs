//! Book planners, which turn a theme into page concepts.
use std::sync::Arc;
use std::time::Duration;

use crate::description::{check_identity, check_label};
use crate::error::CallError;
use crate::image::CharacterSketch;
use crate::limits::Limits;
use crate::load::CompiledPlugin;
use crate::log_text::is_control;
use crate::options::CallOptions;
use crate::sandbox::{CallKind, Sandbox, Usage};
use crate::v0;
use crate::vocabulary::distinct_lines;
use linepress_model::{Aspect, Audience};

/// Maximum number of pages of a plan. The calling code checks that the plan has the requested number of pages.
const MAX_PAGES: usize = 1000;
/// Maximum size of each text of a plan.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Maximum number of languages of a planner. Fewer languages than this have an ISO 639-1 code.
const MAX_LANGUAGES: usize = 200;

/// Maximum number of unplaced words, and of suggested characters, that are read from a plan.
const MAX_REMARKS: usize = 20;
/// Maximum length of each of them. A longer one is cut.
const MAX_REMARK_CHARS: usize = 60;

/// A planner's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannerDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
    /// BCP 47 tags of the languages that the planner supports; empty means any language.
    pub languages: Vec<String>,
}

/// A request for a plan of a book.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    pub theme: String,
    /// 1 to 100.
    pub page_count: u32,
    pub aspect: Aspect,
    pub audience: Audience,
    pub title: Option<String>,
    pub characters: Vec<CharacterSketch>,
    /// A BCP 47 language tag.
    pub language: String,
    pub notes: Option<String>,
    pub seed: u64,
    /// The reason why the previous plan for this request was rejected, if this is another attempt.
    pub mismatch: Option<String>,
}

/// A planner's plan of a book. Sizes and control characters were checked, but not the number of pages or their wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub title: String,
    /// May be empty.
    pub subtitle: String,
    pub description: String,
    pub cover_prompt: String,
    pub pages: Vec<PageConcept>,
    /// Words of the theme that do not occur on any page.
    pub unplaced: Vec<String>,
    /// Named people and animals of the theme that are not among the characters.
    pub suggested: Vec<SuggestedCharacter>,
}

/// A person or animal that the theme names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCharacter {
    pub name: String,
    /// The kind of character, such as `dog`.
    pub kind: String,
}

/// One page of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConcept {
    pub title: String,
    pub prompt: String,
    /// A line to print under the drawing; may be empty.
    pub caption: String,
}

/// A loaded book planner. Cheap to clone.
#[derive(Clone)]
pub struct Planner(Arc<Inner>);

struct Inner {
    description: PlannerDescription,
    sandbox: Sandbox,
    contract: Arc<v0::planner::Contract>,
}

impl Planner {
    pub(crate) async fn load(compiled: CompiledPlugin) -> Result<Self, String> {
        let CompiledPlugin {
            id, sandbox, component, ..
        } = compiled;
        let contract = v0::planner::Contract::new(component).map_err(|error| format!("{error:#}"))?;
        let contract = Arc::new(contract);
        let description = sandbox
            .describe({
                let contract = contract.clone();
                |store| async move { contract.describe(store).await }
            })
            .await?;
        check_identity(&id, &description.id, &description.name, &description.version)?;
        if description.languages.len() > MAX_LANGUAGES {
            return Err(format!(
                "it names {} languages, but at most {MAX_LANGUAGES} are allowed",
                description.languages.len()
            ));
        }
        for language in &description.languages {
            check_label("each of its languages", language)?;
        }
        Ok(Self(Arc::new(Inner {
            description,
            sandbox,
            contract,
        })))
    }

    pub fn description(&self) -> &PlannerDescription {
        &self.0.description
    }

    /// The limits of its calls, and their peak memory.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The deadline of a call according to the manifest.
    pub fn deadline(&self) -> Duration {
        self.0.sandbox.limits.deadline()
    }

    /// Plans a book. The characters' reference images are not sent, because a planner works with text only.
    pub async fn plan(&self, request: PlanRequest) -> Result<Plan, CallError> {
        self.plan_with(request, &CallOptions::default()).await
    }

    /// Plans a book like [`Planner::plan`], with options.
    pub async fn plan_with(&self, mut request: PlanRequest, options: &CallOptions) -> Result<Plan, CallError> {
        request
            .characters
            .iter_mut()
            .for_each(|character| character.reference = None);
        let planner = self.clone();
        self.0
            .sandbox
            .call(
                "plan",
                CallKind::Work,
                options,
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = planner.0.contract.plan(store, request).await?;
                    Ok(reply.and_then(check))
                },
            )
            .await
    }
}

/// Reads the unplaced words and the suggested characters from the extra values of a plan.
pub(crate) fn remarks_from_extra(extra: &[(String, String)]) -> (Vec<String>, Vec<SuggestedCharacter>) {
    let values = |wanted: &str| -> Vec<String> {
        let found = extra.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone()).collect()
    };
    let characters = distinct_lines(&values("character"), MAX_REMARKS, MAX_REMARK_CHARS);
    let suggested = characters.iter().filter_map(|character| {
        let (name, kind) = character.split_once(": ")?;
        Some(SuggestedCharacter {
            name: name.to_owned(),
            kind: kind.to_owned(),
        })
    });
    let suggested = suggested.collect();
    (
        distinct_lines(&values("unplaced"), MAX_REMARKS, MAX_REMARK_CHARS),
        suggested,
    )
}

fn check(plan: Plan) -> Result<Plan, CallError> {
    if plan.pages.len() > MAX_PAGES {
        return Err(CallError::InvalidResponse(format!(
            "a plan with {} pages",
            plan.pages.len()
        )));
    }
    let pages = plan
        .pages
        .iter()
        .flat_map(|page| [&page.title, &page.prompt, &page.caption]);
    let texts = [&plan.title, &plan.subtitle, &plan.description, &plan.cover_prompt];
    for text in texts.into_iter().chain(pages) {
        check_text(text).map_err(CallError::InvalidResponse)?;
    }
    Ok(plan)
}

/// Checks the size of a text, and that it has no control characters except line breaks and tabs.
fn check_text(text: &str) -> Result<(), String> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("a plan with a text of {} bytes", text.len()));
    }
    if text.contains(|letter| is_control(letter) && !matches!(letter, '\n' | '\r' | '\t')) {
        return Err("a plan with a control character in a text".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pages: usize, prompt: usize) -> Plan {
        let page = PageConcept {
            title: "A fox".into(),
            prompt: "x".repeat(prompt),
            caption: String::new(),
        };
        Plan {
            title: "Woods".into(),
            subtitle: String::new(),
            description: String::new(),
            cover_prompt: "A wood".into(),
            pages: vec![page; pages],
            unplaced: Vec::new(),
            suggested: Vec::new(),
        }
    }

    #[test]
    fn a_plan_is_bounded_in_pages_and_words() {
        assert!(check(plan(100, MAX_TEXT_BYTES)).is_ok());
        assert_eq!(
            check(plan(1001, 1)),
            Err(CallError::InvalidResponse("a plan with 1001 pages".into()))
        );
        let error = check(plan(1, MAX_TEXT_BYTES + 1)).unwrap_err();
        assert_eq!(
            error,
            CallError::InvalidResponse("a plan with a text of 8193 bytes".into())
        );
    }

    #[test]
    fn the_remarks_of_a_plan_are_bounded() {
        let extra = |name: &str, value: String| (name.to_owned(), value);
        let mut extras: Vec<_> = (0..500).map(|at| extra("unplaced", format!("word{at}"))).collect();
        extras.extend([
            extra("character", "Biscuit: dog".into()),
            extra("character", "Rose".into()),
        ]);
        extras.push(extra("other", "thing".into()));
        let (unplaced, suggested) = remarks_from_extra(&extras);
        assert_eq!(unplaced.len(), MAX_REMARKS);
        let [SuggestedCharacter { name, kind }] = suggested.as_slice() else {
            panic!("{suggested:?}")
        };
        assert_eq!((name.as_str(), kind.as_str()), ("Biscuit", "dog"));
    }

    #[test]
    fn a_plan_has_no_control_characters_except_line_breaks_and_tabs() {
        let with = |description: &str| Plan {
            description: description.into(),
            ..plan(1, 1)
        };
        assert!(check(with("one\n\ttwo")).is_ok());
        for description in ["\u{1b}[2J", "a\0b", "a\u{202E}b"] {
            let error = check(with(description)).unwrap_err();
            assert!(matches!(error, CallError::InvalidResponse(_)), "{description:?}");
        }
    }
}
