//! The caller's own account, as every interface shows it.
use std::collections::BTreeMap;

use serde::Serialize;

use crate::accounts::{self, Limit};
use crate::app::App;
use crate::caller::{Caller, Plan};
use crate::error::Result;
use crate::ids::AccountId;
use crate::{print, routing};

/// The account behind the API key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Account)]
pub struct AccountResource {
    pub id: AccountId,
    /// The address the account was made with.
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
    /// Whether the plan opens the interfaces.
    pub active: bool,
}

/// The account's credits.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Credits)]
pub struct CreditsResource {
    /// What may be spent now.
    #[schema(minimum = 0)]
    pub available: i64,
    /// All charges so far.
    #[schema(minimum = 0)]
    pub spent: i64,
    /// What came back of them.
    #[schema(minimum = 0)]
    pub refunded: i64,
}

/// What this server can do for the account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Capabilities {
    /// Whether characters, pages and books can be drawn.
    pub generate: bool,
    /// Whether books can be planned.
    pub plan: bool,
    /// Whether finished artwork can be imported.
    pub import: bool,
    /// Whether books can be printed.
    pub pdf: bool,
    /// The ids of the plugins that draw.
    pub image_providers: Vec<String>,
    /// The ids of the plugins that plan.
    pub planners: Vec<String>,
    /// The ids of the print formats.
    pub print_formats: Vec<String>,
}

/// The account of the caller.
pub async fn me(app: &App, caller: &Caller) -> Result<AccountResource> {
    let now = app.clock.now();
    let standing = accounts::standing(app, caller, now).await?;
    let ids = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>();
    let (image_providers, planners) = (app.plugins.image_providers(), app.plugins.planners());
    let image_providers = ids(&mut image_providers.iter().map(|plugin| plugin.description().id.clone()));
    let planners = ids(&mut planners.iter().map(|plugin| plugin.description().id.clone()));
    let print_formats = ids(&mut print::formats(app).into_iter().map(|offered| offered.format.id));
    Ok(AccountResource {
        id: caller.account_id.clone(),
        email: caller.email.clone(),
        plan: PlanResource {
            name: caller.plan,
            active: caller.plan == Plan::Business,
        },
        credits: CreditsResource {
            available: standing.totals.available,
            spent: standing.totals.spent,
            refunded: standing.totals.refunded,
        },
        capabilities: Capabilities {
            generate: routing::is_any_loaded(app),
            plan: app.plugins.planner(&app.config.planner).is_some(),
            import: true,
            pdf: !print_formats.is_empty(),
            image_providers,
            planners,
            print_formats,
        },
        limits: accounts::limits(app, &standing, now),
    })
}
