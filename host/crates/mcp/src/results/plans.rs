//! Book plans.
use serde::Serialize;
use utoipa::ToSchema;

use linepress_planning::plans::{BookPlan, CreditEstimate, GenerationRequest, Warning};

/// The result of `plan_book`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlanResult {
    book_plan: Plan,
}

/// A book plan: the arguments of create_book. The page concepts are left out, because the arguments contain them.
#[derive(Serialize, ToSchema)]
struct Plan {
    warnings: Vec<Warning>,
    credit_estimate: CreditEstimate,
    generation_request: GenerationRequest,
}

impl From<BookPlan> for PlanResult {
    fn from(plan: BookPlan) -> Self {
        let BookPlan {
            page_concepts: _,
            warnings,
            credit_estimate,
            generation_request,
        } = plan;
        Self {
            book_plan: Plan {
                warnings,
                credit_estimate,
                generation_request,
            },
        }
    }
}
