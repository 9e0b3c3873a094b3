//! `/admin/providers`: the image providers, in their order, with their state and what they drew by day.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use serde::Deserialize;

use super::operator::{Operator, OperatorForm};
use super::{Tab, words};
use crate::library::accepted;
use crate::library::form::{Complaints, Refused};
use crate::numbers::{dollars, grouped};
use crate::when::When;
use linepress_drawings::spending::ProviderDay;
use linepress_http::html::{Frame, page};
use linepress_http::{PathId, Query, Reply};
use linepress_model::counted;
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::providers::{self, ManagedProvider};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::field::Field;

#[derive(Template)]
#[template(path = "admin/providers.html")]
struct ProvidersPage {
    frame: Frame,
    tab: Tab,
    providers: Vec<ProviderCard>,
    days: Vec<DayRow>,
    done: Option<&'static str>,
    complaints: Complaints,
    /// The provider whose form was rejected, or empty.
    opened: String,
    /// The reason that the rejected form contained.
    reason: String,
}

impl ProvidersPage {
    /// The reason that the form of this provider shows.
    fn typed_reason(&self, provider: &str) -> &str {
        if self.opened == provider { &self.reason } else { "" }
    }

    /// The complaint about the reason in the form of this provider.
    fn wrong(&self, provider: &str) -> Option<String> {
        self.complaints.at(&Field::reason()).filter(|_| self.opened == provider)
    }

    /// The id of the field for the reason of the provider at this position.
    fn field_id(&self, position: &usize) -> String {
        format!("reason-{position}")
    }
}

/// A provider with its state.
struct ProviderCard {
    id: String,
    version: Option<String>,
    status: &'static str,
    class: &'static str,
    problem: Option<String>,
    pause: Option<When>,
    /// The number of calls that failed in a row; `None` after a success.
    failures: Option<String>,
    /// The limit of calls per minute.
    rate: Option<String>,
    off: Option<Off>,
}

/// The switch with which an operator took a provider out of use.
struct Off {
    reason: String,
    since: When,
}

impl From<ManagedProvider> for ProviderCard {
    fn from(provider: ManagedProvider) -> Self {
        let (status, class) = match &provider {
            provider if provider.switched_off.is_some() => ("Switched off", "incomplete"),
            provider if provider.version.is_none() => ("Not loaded", "incomplete"),
            provider if provider.paused_until.is_some() => ("Paused", "waits"),
            _ => ("In use", "ready"),
        };
        Self {
            id: provider.id,
            version: provider.version,
            status,
            class,
            problem: provider.problem,
            pause: provider.paused_until.map(When::new),
            failures: (provider.failures > 0).then(|| counted(provider.failures, "call")),
            rate: provider.per_minute.map(|calls| counted(i64::from(calls), "call")),
            off: provider.switched_off.map(|off| Off {
                reason: off.reason,
                since: When::new(off.since),
            }),
        }
    }
}

/// The drawings or reviews of one plugin with one model on one day.
struct DayRow {
    day: String,
    provider: String,
    model: String,
    drawn: String,
    failed: String,
    reviewed: String,
    seconds: String,
    cost: String,
    credits: String,
}

impl From<ProviderDay> for DayRow {
    fn from(day: ProviderDay) -> Self {
        Self {
            seconds: seconds_per_call(&day),
            day: day.day,
            provider: day.provider,
            model: day.model,
            drawn: grouped(day.drawings),
            failed: grouped(day.failures),
            reviewed: grouped(day.reviews),
            cost: dollars(day.cost_microdollars),
            credits: grouped(day.credits),
        }
    }
}

fn seconds_per_call(day: &ProviderDay) -> String {
    let tenths = day.draw_milliseconds.checked_div(day.attempts).unwrap_or_default() / 100;
    format!("{}.{} s", tenths / 10, tenths % 10)
}

/// The number of days that the page shows.
const SHOWN_DAYS: u32 = 14;

const PATH: &str = "/admin/providers";

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(done): Query<Done>) -> Reply {
    let done = words::done(done.done.as_deref());
    respond(&app, &operator, done, None).await
}

async fn respond(
    app: &App,
    operator: &Operator,
    done: Option<&'static str>,
    refused: Option<(&str, Refused<'_>)>,
) -> Reply {
    let (opened, refused) = refused.unzip();
    let days = providers::spending_by_day(app, &operator.actor, SHOWN_DAYS).await?;
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let view = ProvidersPage {
        frame: operator.frame(),
        tab: Tab::Providers,
        providers: providers::list(app, &operator.actor)
            .await?
            .into_iter()
            .map(ProviderCard::from)
            .collect(),
        days: days.into_iter().map(DayRow::from).collect(),
        done,
        opened: opened.unwrap_or_default().to_owned(),
        reason: refused
            .as_ref()
            .map_or_else(String::new, |refused| refused.fields.text("reason")),
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

/// Redirects to the providers, or shows them with the complaints about this form.
async fn finish(
    app: &App,
    form: &OperatorForm,
    id: &str,
    done: &'static str,
    outcome: Result<Option<ManagedProvider>>,
) -> Reply {
    let refused = match accepted::changed_by(("", &form.fields), outcome, "provider", PATH, done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    respond(app, &form.operator, None, Some((id, refused))).await
}

pub(super) async fn switch_off(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let given = GivenReason {
        reason: form.fields.text("reason").into(),
    };
    let changed = providers::switch_off(&app, &form.operator.actor, &id, &given).await;
    finish(&app, &form, &id, "switched-off", changed).await
}

pub(super) async fn switch_on(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let changed = providers::switch_on(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, "switched-on", changed).await
}

pub(super) async fn end_pause(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let changed = providers::end_pause(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, "pause-ended", changed).await
}

/// Redirects from the address of a form to the providers.
pub(super) async fn to_list(_: Operator) -> Redirect {
    Redirect::to(PATH)
}
