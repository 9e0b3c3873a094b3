//! Bindings of the world `linepress:planner/book-planner@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::planner::planner as wit;
use crate::contract::{EarlierPage, PageConcept, Plan, PlanRequest, PlannerDescription, SuggestedCharacter};
use crate::error::CallError;
use crate::log_text::distinct_lines;

/// Maximum number of unplaced words, and of suggested characters, that are read from a plan.
const MAX_REMARKS: usize = 20;
/// Maximum length of each of them. A longer one is cut.
const MAX_REMARK_CHARS: usize = 60;

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v0/planner"],
        world: "linepress:planner/book-planner@0.1.0",
        with: {
            "linepress:types": super::super::host::linepress::types,
            "linepress:host": super::super::host::linepress::host,
        },
        exports: { default: async },
    });
}

/// A linked component of this world. `T` is the data of its stores.
pub(crate) struct Contract<T: 'static>(bindings::BookPlannerPre<T>);

impl<T: Send + 'static> Contract<T> {
    pub(crate) fn new(component: InstancePre<T>) -> wasmtime::Result<Self> {
        bindings::BookPlannerPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<T>) -> wasmtime::Result<PlannerDescription> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let wit::Description {
            id,
            name,
            version,
            languages,
            extra: _,
        } = instance.linepress_planner_planner().call_describe(&mut store).await?;
        Ok(PlannerDescription {
            id,
            name,
            version,
            languages,
        })
    }

    pub(crate) async fn plan(
        &self,
        mut store: Store<T>,
        request: PlanRequest,
    ) -> wasmtime::Result<Result<Plan, CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_planner_planner()
            .call_plan(&mut store, &request.into())
            .await?;
        Ok(reply.map(Into::into).map_err(Into::into))
    }
}

impl From<PlanRequest> for wit::PlanRequest {
    fn from(request: PlanRequest) -> Self {
        let mismatch = request.mismatch.map(|mismatch| ("mismatch".into(), mismatch));
        let earlier = request.earlier.into_iter();
        let earlier = earlier.map(|EarlierPage { title, prompt }| ("earlier".into(), format!("{title}\n{prompt}")));
        Self {
            theme: request.theme,
            page_count: request.page_count,
            aspect: request.aspect.into(),
            audience: request.audience.into(),
            title: request.title,
            characters: request.characters.into_iter().map(Into::into).collect(),
            language: request.language,
            notes: request.notes,
            seed: request.seed,
            extra: mismatch.into_iter().chain(earlier).collect(),
        }
    }
}

impl From<wit::BookPlan> for Plan {
    fn from(plan: wit::BookPlan) -> Self {
        let pages = plan.pages.into_iter();
        let (unplaced, suggested) = remarks_from_extra(&plan.extra);
        Self {
            unplaced,
            suggested,
            title: plan.title,
            subtitle: plan.subtitle,
            description: plan.description,
            cover_prompt: plan.cover_prompt,
            pages: pages
                .map(|wit::PageConcept { title, prompt, caption }| PageConcept { title, prompt, caption })
                .collect(),
        }
    }
}

impl From<wit::PlanError> for CallError {
    fn from(error: wit::PlanError) -> Self {
        match error {
            wit::PlanError::Refused(reason) => Self::Refused(reason),
            wit::PlanError::Invalid(reason) => Self::Invalid(reason),
            wit::PlanError::RateLimited(seconds) => {
                Self::RateLimited(seconds.map(|seconds| Duration::from_secs(seconds.into())))
            }
            wit::PlanError::Unavailable(reason) => Self::Unavailable(reason),
            wit::PlanError::Other(reason) => Self::Failed(reason),
        }
    }
}

/// Reads the unplaced words and the suggested characters from the extra values of a plan.
fn remarks_from_extra(extra: &[(String, String)]) -> (Vec<String>, Vec<SuggestedCharacter>) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
