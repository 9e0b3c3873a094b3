//! Bindings of the world `linepress:planner/book-planner@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::planner::planner as wit;
use crate::error::CallError;
use crate::host_state::State;
use crate::planner::{PageConcept, Plan, PlanRequest, PlannerDescription, remarks_from_extra};

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

pub(crate) struct Contract(bindings::BookPlannerPre<State>);

impl Contract {
    pub(crate) fn new(component: InstancePre<State>) -> wasmtime::Result<Self> {
        bindings::BookPlannerPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<State>) -> wasmtime::Result<PlannerDescription> {
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
        mut store: Store<State>,
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
            extra: request
                .mismatch
                .map(|mismatch| ("mismatch".into(), mismatch))
                .into_iter()
                .collect(),
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
