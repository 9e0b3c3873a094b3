//! The forms of `/admin/accounts/{id}`.
use axum::extract::State;

use super::account::{Outcome, respond};
use super::operator::OperatorForm;
use super::password_link::ShownLink;
use crate::library::accepted;
use crate::library::form::Fields;
use linepress_accounts::accounts::{LimitName, Plan, Role};
use linepress_accounts::credits::MAX_GRANT_CREDITS;
use linepress_http::{PathId, Reply};
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::accounts::{self, AccountChange, CreditChange, LimitChanges};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;

/// The names of the forms on the page.
const PLAN: &str = "plan";
const ROLE: &str = "role";
pub(super) const LIMITS: &str = "limits";
const ADD: &str = "add";
const WITHDRAW: &str = "withdraw";
const SECOND_FACTOR: &str = "second-factor";
const SUSPEND: &str = "suspend";
const RESUME: &str = "resume";
const LINK: &str = "link";
const CLOSE: &str = "close";

/// Redirects to the account, or shows it with the complaints about this form.
async fn finish<T>(
    app: &App,
    form: &OperatorForm,
    id: &AccountId,
    (name, done): (&'static str, &str),
    outcome: Result<Option<T>>,
) -> Reply {
    let path = format!("/admin/accounts/{id}");
    let refused = match accepted::changed_by((name, &form.fields), outcome, "account", &path, done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    respond(app, &form.operator, id, Outcome::Refused(refused)).await
}

fn accepts_unverified(fields: &Fields) -> bool {
    fields.text("accept_unverified") == "yes"
}

pub(super) async fn set_plan(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let change = Plan::parse(&form.fields.text("plan")).map(|plan| AccountChange {
        plan: Some(plan),
        ..unchanged(&form)
    });
    finish_change(&app, &form, &id, (PLAN, "plan"), Field::plan(), change).await
}

pub(super) async fn set_role(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let change = Role::parse(&form.fields.text("role")).map(|role| AccountChange {
        role: Some(role),
        ..unchanged(&form)
    });
    finish_change(&app, &form, &id, (ROLE, "role"), Field::role(), change).await
}

/// Sets the limits whose fields were changed; an empty field returns the limit to that of the server's settings.
pub(super) async fn set_limits(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let changed = match typed_limits(&form.fields) {
        Ok(limits) => {
            let change = AccountChange {
                limits: Some(limits),
                ..unchanged(&form)
            };
            accounts::change(&app, &form.operator.actor, &id, &change).await
        }
        Err(error) => Err(error),
    };
    finish(&app, &form, &id, (LIMITS, "limits"), changed).await
}

fn typed_limits(fields: &Fields) -> Result<LimitChanges> {
    let mut changes = LimitChanges::default();
    for name in LimitName::ALL {
        let field = limit_field(*name);
        let limit = match fields.changed(&field.to_string()).as_deref() {
            None => continue,
            Some("") => None,
            Some(typed) => {
                let limit = typed.parse::<i64>();
                Some(limit.map_err(|_| Error::invalid_field(field, "must be a whole number"))?)
            }
        };
        changes.0.insert(*name, limit);
    }
    Ok(changes)
}

/// The field of a limit in the form.
pub(super) fn limit_field(name: LimitName) -> Field {
    Field::named(LIMITS).then(Field::named(name.as_str()))
}

/// A change of nothing, which accepts an unverified address if the form does.
fn unchanged(form: &OperatorForm) -> AccountChange {
    AccountChange {
        accept_unverified: accepts_unverified(&form.fields),
        ..AccountChange::default()
    }
}

/// Makes a change; `None` if the form sent an unknown choice in this field.
async fn finish_change(
    app: &App,
    form: &OperatorForm,
    id: &AccountId,
    names: (&'static str, &'static str),
    field: Field,
    change: Option<AccountChange>,
) -> Reply {
    let changed = match change {
        Some(change) => accounts::change(app, &form.operator.actor, id, &change).await,
        None => Err(unknown_choice(field)),
    };
    finish(app, form, id, names, changed).await
}

/// The error for a choice that the form does not offer.
pub(super) fn unknown_choice(field: Field) -> Error {
    Error::invalid_field(field, "must be one of the choices")
}

pub(super) async fn add_credits(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let changed = change_credits(&app, &form, &id, 1).await;
    finish(&app, &form, &id, (ADD, "added"), changed?).await
}

pub(super) async fn withdraw_credits(
    State(app): State<App>,
    PathId(id): PathId<AccountId>,
    form: OperatorForm,
) -> Reply {
    let changed = change_credits(&app, &form, &id, -1).await;
    finish(&app, &form, &id, (WITHDRAW, "withdrawn"), changed?).await
}

/// Changes the credits by the typed number, with this sign.
async fn change_credits(app: &App, form: &OperatorForm, id: &AccountId, sign: i64) -> Reply<Result<Option<()>>> {
    let OperatorForm { operator, fields } = form;
    let key = fields.key()?;
    let amount = fields.text("amount").parse::<i64>().ok();
    let amount = amount.filter(|amount| (1..=MAX_GRANT_CREDITS).contains(amount));
    let Some(amount) = amount else {
        let problem = format!("must be a whole number from 1 to {MAX_GRANT_CREDITS}");
        return Ok(Err(Error::invalid_field(Field::named("amount"), problem)));
    };
    let change = CreditChange {
        amount: sign * amount,
        reason: fields.text("reason").into(),
        accept_unverified: accepts_unverified(fields),
    };
    let changed = accounts::change_credits(app, &operator.actor, Some(&key), id, &change).await;
    Ok(changed.map(|done| done.map(|_| ())))
}

pub(super) async fn reset_second_factor(
    State(app): State<App>,
    PathId(id): PathId<AccountId>,
    form: OperatorForm,
) -> Reply {
    let reset = accounts::reset_second_factor(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, (SECOND_FACTOR, "reset-second-factor"), reset).await
}

pub(super) async fn suspend(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let given = GivenReason {
        reason: form.fields.text("reason").into(),
    };
    let suspended = accounts::suspend(&app, &form.operator.actor, &id, &given).await;
    finish(&app, &form, &id, (SUSPEND, "suspended"), suspended).await
}

pub(super) async fn resume(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let resumed = accounts::resume(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, (RESUME, "resumed"), resumed).await
}

pub(super) async fn close(State(app): State<App>, PathId(id): PathId<AccountId>, form: OperatorForm) -> Reply {
    let closed = match form.fields.text("certain") == "yes" {
        true => accounts::close(&app, &form.operator.actor, &id).await,
        false => Err(Error::invalid_field(
            Field::named("certain"),
            "tick the box to close the account",
        )),
    };
    finish(&app, &form, &id, (CLOSE, "closed"), closed).await
}

/// Makes a link. Shows it in this response rather than after a redirect, because it is not stored.
pub(super) async fn offer_password_link(
    State(app): State<App>,
    PathId(id): PathId<AccountId>,
    form: OperatorForm,
) -> Reply {
    let actor = &form.operator.actor;
    let account = accounts::get(&app, actor, &id).await?;
    let email = account.map(|account| account.email).unwrap_or_default();
    match accounts::offer_password_link(&app, actor, &id).await {
        Ok(Some(link)) => {
            let link = ShownLink::new(&app, email, &link);
            respond(&app, &form.operator, &id, Outcome::Linked(link)).await
        }
        refused => finish(&app, &form, &id, (LINK, ""), refused).await,
    }
}
