//! The caller's own account, as every interface shows it.
use std::collections::BTreeMap;

use serde::Serialize;

use crate::{planner, print};
use linepress_accounts::accounts::{self, Limit};
use linepress_accounts::caller::Caller;
use linepress_drawings::routing;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;
use linepress_platform::subscription::Plan;

/// The account that the API key belongs to.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Account)]
pub struct AccountResource {
    pub id: AccountId,
    /// The email address with which the account was created.
    #[schema(format = "email", example = "ada@example.com")]
    pub email: String,
    pub plan: PlanResource,
    pub credits: CreditsResource,
    pub capabilities: Capabilities,
    /// Every limit that can refuse a request, by name.
    pub limits: BTreeMap<&'static str, Limit>,
}

/// The account's plan.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Plan)]
pub struct PlanResource {
    pub name: Plan,
    /// True if the plan allows the use of the interfaces.
    pub active: bool,
}

/// The account's credits.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Credits)]
pub struct CreditsResource {
    /// The balance that can be spent now.
    #[schema(minimum = 0)]
    pub available: i64,
    /// The sum of all charges.
    #[schema(minimum = 0)]
    pub spent: i64,
    /// The sum of all refunds.
    #[schema(minimum = 0)]
    pub refunded: i64,
}

/// The functions that this server offers to the account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Capabilities {
    /// True if characters, pages and books can be drawn.
    pub generate: bool,
    /// True if books can be planned.
    pub plan: bool,
    /// True if finished artwork can be imported.
    pub import: bool,
    /// True if books can be printed.
    pub pdf: bool,
    /// The ids of the image provider plugins.
    pub image_providers: Vec<String>,
    /// The ids of the planner plugins.
    pub planners: Vec<String>,
    /// The ids of the print formats.
    pub print_formats: Vec<String>,
}

/// The caller's account with its credits, capabilities and limits.
pub async fn me(app: &App, caller: &Caller) -> Result<AccountResource> {
    caller.require_reading()?;
    let now = app.clock.now();
    let standing = accounts::standing(app, caller.account_id(), now).await?;
    let ids = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>();
    let (image_providers, planners) = (app.plugins.image_providers(), app.plugins.planners());
    let image_providers = ids(&mut image_providers.iter().map(|plugin| plugin.description().id.clone()));
    let planners = ids(&mut planners.iter().map(|plugin| plugin.description().id.clone()));
    let print_formats = ids(&mut print::formats(app).iter().map(|offered| offered.format.id.clone()));
    Ok(AccountResource {
        id: caller.account_id().clone(),
        email: caller.email().to_owned(),
        plan: PlanResource {
            name: caller.plan(),
            active: caller.plan() == Plan::Business,
        },
        credits: CreditsResource {
            available: standing.totals.available,
            spent: standing.totals.spent,
            refunded: standing.totals.refunded,
        },
        capabilities: Capabilities {
            generate: routing::is_any_loaded_for(app, caller.is_test()),
            plan: planner::loaded_for(app, caller.is_test()).is_some(),
            import: true,
            pdf: !print_formats.is_empty(),
            image_providers,
            planners,
            print_formats,
        },
        limits: standing.limits(app, now),
    })
}
