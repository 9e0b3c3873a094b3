//! Book planners, which turn a theme into page concepts.
use std::sync::Arc;
use std::time::Duration;

use linepress_model::alters_line;
use serde_json::{Value, json};

use crate::calls::{PluginVersion, brief, character, digest_of_texts};
use crate::compiled::CompiledPlugin;
use crate::contract::{Plan, PlanRequest, PlannerDescription};
use crate::description::{check_identity, check_label};
use crate::error::CallError;
use crate::limits::Limits;
use crate::options::CallOptions;
use crate::sandbox::{CallKind, Called, Sandbox, State, Usage};
use crate::v0;

/// Maximum number of pages of a plan. The calling code checks that the plan has the requested number of pages.
const MAX_PAGES: usize = 1000;
/// Maximum size of each text of a plan.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// Maximum number of languages of a planner. Fewer languages than this have an ISO 639-1 code.
const MAX_LANGUAGES: usize = 200;

/// A loaded book planner. Cheap to clone.
#[derive(Clone)]
pub struct Planner(Arc<Inner>);

struct Inner {
    description: PlannerDescription,
    sandbox: Sandbox,
    contract: Arc<v0::planner::Contract<State>>,
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

    /// The version of the plugin that is called.
    pub fn version(&self) -> &PluginVersion {
        &self.0.sandbox.version
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
                Called {
                    function: "plan",
                    kind: CallKind::Work,
                    request: self.0.sandbox.described(|| described(&request)),
                    result: planned,
                },
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

/// A request to a planner, for the log of calls.
fn described(request: &PlanRequest) -> Value {
    json!({
        "theme": brief(&request.theme),
        "page_count": request.page_count,
        "aspect": request.aspect.as_str(),
        "audience": request.audience.as_str(),
        "language": brief(&request.language),
        "title": request.title.as_deref().map(brief),
        "characters": request.characters.iter().map(character).collect::<Vec<_>>(),
        "notes": request.notes.as_deref().map(brief),
        "mismatch": request.mismatch.as_deref().map(brief),
        "earlier_pages": request.earlier.len(),
        "seed": request.seed,
    })
}

/// The plan of a planner, for the log of calls.
fn planned(plan: &Plan) -> Value {
    json!({
        "title": brief(&plan.title),
        "pages": plan.pages.len(),
        "sha256": digest_of_texts(texts(plan)),
    })
}

/// Every text of a plan.
fn texts(plan: &Plan) -> impl Iterator<Item = &str> {
    let pages = plan
        .pages
        .iter()
        .flat_map(|page| [&page.title, &page.prompt, &page.caption]);
    let texts = [&plan.title, &plan.subtitle, &plan.description, &plan.cover_prompt];
    texts.into_iter().chain(pages).map(String::as_str)
}

fn check(plan: Plan) -> Result<Plan, CallError> {
    if plan.pages.len() > MAX_PAGES {
        return Err(CallError::InvalidResponse(format!(
            "a plan with {} pages",
            plan.pages.len()
        )));
    }
    for text in texts(&plan) {
        check_text(text).map_err(CallError::InvalidResponse)?;
    }
    Ok(plan)
}

/// Checks the size of a text, and that it has no control characters except line breaks and tabs.
fn check_text(text: &str) -> Result<(), String> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("a plan with a text of {} bytes", text.len()));
    }
    if text.contains(|letter| alters_line(letter) && !matches!(letter, '\n' | '\r' | '\t')) {
        return Err("a plan with a control character in a text".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::PageConcept;

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
