//! The component's export: implements the planner contract with the functions of the crate.

use linepress_plugin_sdk::planner::{self, BookPlan, Description, Guest, PlanError, PlanRequest};

struct Storyboard;

impl Guest for Storyboard {
    fn describe() -> Description {
        crate::describe()
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        let plan = crate::plan(&request)?;
        planner::progress::report(request.page_count, request.page_count);
        Ok(plan)
    }
}

planner::export!(Storyboard);
