//! Book planners: from a theme to page concepts.
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
use crate::vocabulary::lines;
use linepress_model::{Aspect, Audience};

/// Beyond these a plan is no plan. Whether it has the pages that were asked for is for the caller.
const MAX_PAGES: usize = 1000;
const MAX_TEXT_BYTES: usize = 8 << 10;

/// There are fewer languages with an ISO 639-1 code.
const MAX_LANGUAGES: usize = 200;

/// Remarks of a plan that count, of each kind, and their length.
const MAX_REMARKS: usize = 20;
const MAX_REMARK_CHARS: usize = 60;

/// What a planner says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannerDescription {
    pub id: String,
    /// For people.
    pub name: String,
    pub version: String,
    /// BCP 47 tags of the languages it plans in; empty means any.
    pub languages: Vec<String>,
}

/// What the book should be.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    pub theme: String,
    /// 1 to 100.
    pub page_count: u32,
    pub aspect: Aspect,
    pub audience: Audience,
    pub title: Option<String>,
    pub characters: Vec<CharacterSketch>,
    /// BCP 47.
    pub language: String,
    pub notes: Option<String>,
    pub seed: u64,
    /// What was wrong with the plan that came of this request before, where it is asked once more.
    pub mismatch: Option<String>,
}

/// What a planner planned. Only its size is checked: neither the number of pages nor their wording is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub title: String,
    /// May be empty.
    pub subtitle: String,
    pub description: String,
    pub cover_prompt: String,
    pub pages: Vec<PageConcept>,
    /// Words of the theme that no page shows.
    pub unplaced: Vec<String>,
    /// Named people and animals of the theme that are not among the characters.
    pub suggested: Vec<SuggestedCharacter>,
}

/// Somebody whom a theme names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCharacter {
    pub name: String,
    /// Such as `dog`.
    pub kind: String,
}

/// One page of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConcept {
    pub title: String,
    pub prompt: String,
    /// One line to print under the drawing; may be empty.
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
            return Err(format!("it names {} languages", description.languages.len()));
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

    /// What its calls may use, and have used.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// How long a plan may take, by its manifest.
    pub fn deadline(&self) -> Duration {
        self.0.sandbox.limits.deadline()
    }

    /// Plans a book. The pictures of the characters stay here: a planner reads words.
    pub async fn plan(&self, request: PlanRequest) -> Result<Plan, CallError> {
        self.plan_with(request, &CallOptions::default()).await
    }

    /// The same with options.
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
                Limits::copied_of_text(),
                |store| async move {
                    let reply = planner.0.contract.plan(store, request).await?;
                    Ok(reply.and_then(check))
                },
            )
            .await
    }
}

/// What the extra values of a plan say in addition to its pages.
pub(crate) fn remarks_of(extra: &[(String, String)]) -> (Vec<String>, Vec<SuggestedCharacter>) {
    let values = |wanted: &str| -> Vec<String> {
        let found = extra.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone()).collect()
    };
    let characters = lines(&values("character"), MAX_REMARKS, MAX_REMARK_CHARS);
    let suggested = characters.iter().filter_map(|character| {
        let (name, kind) = character.split_once(": ")?;
        Some(SuggestedCharacter {
            name: name.to_owned(),
            kind: kind.to_owned(),
        })
    });
    let suggested = suggested.collect();
    (lines(&values("unplaced"), MAX_REMARKS, MAX_REMARK_CHARS), suggested)
}

fn check(plan: Plan) -> Result<Plan, CallError> {
    if plan.pages.len() > MAX_PAGES {
        return Err(CallError::InvalidResponse(format!(
            "a plan of {} pages",
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

/// A text may have lines.
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
            Err(CallError::InvalidResponse("a plan of 1001 pages".into()))
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
        let (unplaced, suggested) = remarks_of(&extras);
        assert_eq!(unplaced.len(), MAX_REMARKS);
        let [SuggestedCharacter { name, kind }] = suggested.as_slice() else {
            panic!("{suggested:?}")
        };
        assert_eq!((name.as_str(), kind.as_str()), ("Biscuit", "dog"));
    }

    #[test]
    fn a_plan_has_no_control_characters_but_those_that_shape_a_text() {
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
