//! Forms of the library: their fields, the permission to send them, and the complaints about them.
mod complaints;
mod fields;

use askama::Template;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use linepress_accounts::caller::Caller;
use linepress_core::artwork::transfers;
use linepress_core::variants::Variants;
use linepress_http::form::CsrfForm;
use linepress_http::form::LastingForm;
use linepress_http::html::page;
use linepress_http::session::SignedIn;
use linepress_http::{Failure, Reply, same_origin};
use linepress_platform::app::App;
use linepress_platform::field::Field;
use linepress_platform::ids::CharacterId;

pub(crate) use crate::new_key;
pub(crate) use complaints::{Complaints, unprintable};
pub(crate) use fields::Fields;

/// Returns true if the plan of the signed-in account allows changes.
pub(crate) fn may_change(signed_in: &SignedIn) -> bool {
    signed_in.caller().require_plan().is_ok()
}

/// Rejects accounts whose plan does not allow changes, as the other interfaces do.
pub(crate) fn check_plan(signed_in: &SignedIn) -> Reply<()> {
    Ok(signed_in.caller().require_plan()?)
}

/// A form that changes the library, from an account whose plan allows it.
pub(crate) struct Change {
    pub signed_in: SignedIn,
    pub caller: Caller,
    pub fields: Fields,
}

impl FromRequest<App> for Change {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let sent = CsrfForm::<Fields>::from_request(request, app).await?;
        Self::from_form(sent).map_err(Failure::into_response)
    }
}

impl Change {
    fn from_form(sent: CsrfForm<Fields>) -> Reply<Self> {
        let CsrfForm { signed_in, form } = sent;
        check_plan(&signed_in)?;
        Ok(Self {
            caller: signed_in.caller(),
            signed_in,
            fields: form,
        })
    }
}

/// The page for a draft's form whose session has ended. A sign-in page in its place would lose the typed texts, but a
/// reload of this page sends them again. The server stores nothing for visitors who are not signed in.
#[derive(Template)]
#[template(path = "library/signed_out.html")]
struct SignedOutPage;

/// Rejects a form without a session, if a page of this site sent it by a button. The script of a page gets the redirect
/// to the sign-in page, by which it recognizes the end of a session.
async fn check_session(request: Request, app: &App) -> Result<Request, Response> {
    let (mut parts, body) = request.into_parts();
    let headers = &parts.headers;
    let accepts_pages = headers
        .get(header::ACCEPT)
        .and_then(|accepted| accepted.to_str().ok())
        .is_some_and(|accepted| accepted.contains("text/html"));
    if !accepts_pages || !same_origin::is_reported(app, headers) {
        return Ok(Request::from_parts(parts, body));
    }
    let signed_in = <Option<SignedIn> as FromRequestParts<App>>::from_request_parts(&mut parts, app).await?;
    match signed_in {
        Some(_) => Ok(Request::from_parts(parts, body)),
        None => Err(page(StatusCode::FORBIDDEN, &SignedOutPage)),
    }
}

/// The form of a draft, which contains a whole book. It is larger than other forms, so it is read only from an account
/// whose plan allows changes, and occupies one of the account's places for transfers.
pub(crate) struct DraftForm {
    pub change: Change,
    /// False if the page is from an earlier session. Then the texts are saved, and nothing else happens.
    pub is_current: bool,
}

/// The size limit of a draft's form, in bytes: a book of a hundred pages with the longest texts.
const MAX_BOOK_FORM_BYTES: usize = 4 * 1024 * 1024;

impl FromRequest<App> for DraftForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let request = check_session(request, app).await?;
        let admit = async |signed_in: &SignedIn| {
            check_plan(signed_in)?;
            Ok(transfers::place(app, &signed_in.account.id).await?)
        };
        let read = LastingForm::<Fields>::read(request, app, MAX_BOOK_FORM_BYTES, async |signed_in| {
            admit(signed_in).await.map_err(Failure::into_response)
        });
        let LastingForm { sent, is_current } = read.await?;
        Ok(Self {
            change: Change::from_form(sent).map_err(Failure::into_response)?,
            is_current,
        })
    }
}

/// A rejected form, for a page that may contain several forms.
pub(crate) struct Refused<'a> {
    /// The name of the form in the page's template.
    pub form: &'static str,
    pub fields: &'a Fields,
    pub status: StatusCode,
    pub complaints: Complaints,
}

/// The values of the forms on a page: the stored values, except in the rejected form.
pub(crate) struct Typed<'a>(pub Option<&'a Refused<'a>>);

impl Typed<'_> {
    pub(crate) fn text(&self, form: &str, name: &str, present: &str) -> String {
        let fields = self.refused_fields(form);
        fields.map_or_else(|| present.to_owned(), |fields| fields.changed_or(name, present))
    }

    pub(crate) fn variants(&self, form: &str) -> Option<Variants> {
        self.refused_fields(form).and_then(Fields::variants)
    }

    pub(crate) fn characters(&self, form: &str, present: &[CharacterId]) -> Vec<CharacterId> {
        let fields = self.refused_fields(form);
        fields.map_or_else(|| present.to_vec(), |fields| fields.selection().apply_to(present))
    }

    /// The complaints about the fields of the rejected form.
    pub(crate) fn complaints(&self) -> Complaints {
        let refused = self.0.map(|refused| refused.complaints.below(&Field::default()));
        refused.unwrap_or_default()
    }

    /// The complaints about the fields of this form; none unless it is the rejected one.
    pub(crate) fn complaints_of(&self, form: &str) -> Complaints {
        if self.form() == form {
            self.complaints()
        } else {
            Complaints::none()
        }
    }

    /// The name of the form to open: the rejected one, or empty.
    pub(crate) fn form(&self) -> &'static str {
        self.0.map_or("", |refused| refused.form)
    }

    fn refused_fields(&self, form: &str) -> Option<&Fields> {
        self.0
            .filter(|refused| refused.form == form)
            .map(|refused| refused.fields)
    }
}
