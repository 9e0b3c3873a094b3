//! Forms of the library: their fields, the permission to send them, and the complaints about them.
use std::fmt;

use askama::Template;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::problem;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_accounts::order::{AgreedPrice, Order};
use linepress_core::artwork::transfers;
use linepress_core::characters::{CharacterIds, Selection};
use linepress_core::pages::Variants;
use linepress_http::form::CsrfForm;
use linepress_http::form::LastingForm;
use linepress_http::html::page;
use linepress_http::session::SignedIn;
use linepress_http::{ErrorCode, Failure, Reply, same_origin};
use linepress_platform::app::App;
use linepress_platform::error::{Detail, Error, ErrorKind, UnprintableText};
use linepress_platform::field::{Field, Segment};
use linepress_platform::ids::CharacterId;
use linepress_platform::text::unless_empty;

pub(crate) use crate::new_key;

/// The fields of a form, in order. A name may be repeated.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

/// The most fields of a form: more than the plan of the longest book has. The size of a form that is shown again grows
/// with the number of its fields, not only with their bytes.
const MAX_FIELDS: usize = 1_000;

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the fields of a form")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sent: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = sent.next_element()? {
            if fields.len() == MAX_FIELDS {
                return Err(A::Error::custom("it has too many fields"));
            }
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

impl Fields {
    pub(crate) fn push(&mut self, name: &str, value: String) {
        self.0.push((name.into(), value));
    }

    /// The trimmed text of a field, with line breaks as `\n`; empty if the field is missing.
    pub(crate) fn text(&self, name: &str) -> String {
        self.all(name).next().unwrap_or_default()
    }

    /// The text of a field; `None` if it is empty or missing.
    pub(crate) fn given<T: From<String>>(&self, name: &str) -> Option<T> {
        unless_empty(self.text(name))
    }

    /// The values of all fields with this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = String> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.trim().replace("\r\n", "\n"))
    }

    /// The typed value, if it differs from the value that the form originally showed. Only such fields are stored,
    /// because another page, an app or a drawing may have changed the others in the meantime. `None` if the form does
    /// not have the field. Without the original value in the form, every field counts as changed.
    pub(crate) fn changed(&self, name: &str) -> Option<String> {
        let typed = self.all(name).next()?;
        let shown = self.all(&format!("was_{name}")).next();
        (shown.as_ref() != Some(&typed)).then_some(typed)
    }

    /// The value with which to show a field again: the typed value if it was changed, otherwise the stored one.
    pub(crate) fn changed_or(&self, name: &str, present: &str) -> String {
        self.changed(name).unwrap_or_else(|| present.to_owned())
    }

    /// The changes to the selection of characters.
    pub(crate) fn selection(&self) -> Selection {
        if self.text("with_characters") != "yes" {
            return Selection::default();
        }
        let shown = self.all("was_character_ids").map(|id| CharacterId::from_client(&id));
        Selection::between(&shown.collect::<Vec<_>>(), &self.character_ids())
    }

    pub(crate) fn character_ids(&self) -> CharacterIds {
        let ids = self.all("character_ids");
        ids.map(|id| CharacterId::from_client(&id)).collect()
    }

    /// The idempotency key of the form, so that a form that is sent twice takes effect once.
    pub(crate) fn key(&self) -> Reply<IdempotencyKey> {
        let key = self.text("idempotency_key");
        Ok(IdempotencyKey::parse(
            Some(&key).filter(|key| !key.is_empty()).map(String::as_str),
        )?)
    }
}

impl Fields {
    /// The terms of the order that the form places: its key, and the price that its button showed.
    pub(crate) fn order(&self) -> Reply<Order> {
        Ok(Order::new(self.key()?, self.agreed_price()))
    }

    /// The number of pictures that the form orders of a page; `None` for a single one. A text that is no number is rejected
    /// like a wrong number.
    pub(crate) fn variants(&self) -> Option<Variants> {
        let chosen: String = self.given("variants")?;
        let chosen = Variants(chosen.parse().unwrap_or_default());
        (chosen != Variants::default()).then_some(chosen)
    }

    /// The terms of an order of variants. The form contains the price of one picture, and its button shows the price of as
    /// many as are chosen.
    pub(crate) fn order_of_variants(&self) -> Reply<Order> {
        let AgreedPrice::Credits(each) = self.agreed_price() else {
            return self.order();
        };
        let number = i64::from(self.variants().unwrap_or_default().0);
        Ok(Order::new(
            self.key()?,
            AgreedPrice::Credits(each.saturating_mul(number)),
        ))
    }

    /// The price that the form's button showed. A form without a price agrees to a free order only.
    pub(crate) fn agreed_price(&self) -> AgreedPrice {
        AgreedPrice::Credits(self.text("price").parse().unwrap_or_default())
    }
}

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

/// The errors of a form, as the form shows them.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    details: Vec<Detail>,
    /// The error that belongs to no field.
    pub message: Option<String>,
}

impl Complaints {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    pub(crate) fn from_message(message: impl Into<String>) -> Self {
        Self {
            details: Vec::new(),
            message: Some(message.into()),
        }
    }

    /// Converts an error into complaints. Errors that no form can fix are returned as failures of the page.
    pub(crate) fn from_error(error: Error) -> Reply<Self> {
        if matches!(
            error.kind,
            ErrorKind::Internal | ErrorKind::NotFound { .. } | ErrorKind::PlanRequired | ErrorKind::SessionEnded
        ) {
            return Err(error.into());
        }
        let details = error.details();
        let message = if details.is_empty() {
            Some(message_for(&error.kind))
        } else {
            None
        };
        Ok(Self { details, message })
    }

    /// Converts an error in the same way, and returns the status of the page with it.
    pub(crate) fn with_status(error: Error) -> Reply<(StatusCode, Self)> {
        let status = match error.kind {
            // The form was valid when it was shown.
            ErrorKind::PriceChanged { .. } => StatusCode::CONFLICT,
            _ => ErrorCode::from(&error).status(),
        };
        Ok((status, Self::from_error(error)?))
    }

    /// The complaint about a field of the request.
    pub(crate) fn at(&self, field: &Field) -> Option<String> {
        let detail = self.details.iter().find(|detail| detail.field.is_at(field));
        detail.map(|detail| sentence(&detail.message))
    }

    /// The complaints about the fields below this one, each at its path from there.
    pub(crate) fn below(&self, outer: &Field) -> Self {
        let details = self.details.iter().filter_map(|detail| {
            Some(Detail {
                field: detail.field.below(outer)?,
                message: detail.message.clone(),
            })
        });
        Self {
            details: details.collect(),
            message: None,
        }
    }

    /// All complaints, each with the readable name of its field.
    pub(crate) fn all(&self) -> impl Iterator<Item = String> {
        let details = self
            .details
            .iter()
            .map(|detail| format!("{}: {}.", readable_field(&detail.field), detail.message));
        self.message.iter().cloned().chain(details)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.details.is_empty() && self.message.is_none()
    }
}

fn message_for(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::RateLimited { retry_after, .. } => format!("{kind} Try again in {}.", problem::wait(*retry_after)),
        ErrorKind::GenerationActive { what, .. } => {
            format!("This {what} is being drawn. Wait until the drawing has ended.")
        }
        ErrorKind::IdempotencyConflict => {
            "This form was already sent with different content. Check the result before you send it again.".into()
        }
        kind => kind.to_string(),
    }
}

fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// The texts of a book that cannot be printed, in words.
pub(crate) fn unprintable(texts: &[UnprintableText]) -> String {
    const MAX_NAMED: usize = 8;
    let named = texts.iter().take(MAX_NAMED);
    let mut named: Vec<String> = named
        .map(|text| format!("{} ({})", readable_field(&text.field), text.listed()))
        .collect();
    if let Some(more) = texts.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        named.push(format!("{more} more"));
    }
    format!(
        "No font of this server has some characters of these texts: {}. Change them, or ask the operator of this server \
         to install a font with these characters.",
        named.join("; ")
    )
}

/// Translates `pages[2].title` into "Page 3, title".
fn readable_field(field: &Field) -> String {
    let mut words: Vec<String> = Vec::new();
    for segment in field.segments() {
        match segment {
            Segment::Name(name) => words.push(readable_name(name)),
            Segment::Index(index) => {
                if let Some(word) = words.last_mut().filter(|word| *word == "pages") {
                    *word = format!("page {}", index + 1);
                }
            }
        }
    }
    let text = sentence(&words.join(", "));
    text.trim_end_matches('.').to_owned()
}

fn readable_name(name: &str) -> String {
    match name {
        "character_ids" => "characters".into(),
        "image_url" => "address".into(),
        "image" => "file".into(),
        name => name.replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_path_becomes_a_readable_name() {
        for (field, words) in [
            (Field::pages().at(2).then(Field::title()), "Page 3, title"),
            (Field::title(), "Title"),
            (Field::page_count(), "Page count"),
            (Field::character_ids().at(0), "Characters"),
            (Field::image_url(), "Address"),
            (Field::cover().then(Field::prompt()), "Cover, prompt"),
        ] {
            assert_eq!(readable_field(&field), words);
        }
    }

    #[test]
    fn unprintable_texts_are_named_in_words() {
        let text = |field: Field| UnprintableText {
            field,
            characters: vec!['국', '한'],
        };
        assert_eq!(
            unprintable(&[text(Field::title()), text(Field::pages().at(1).then(Field::caption()))]),
            "No font of this server has some characters of these texts: Title (국, 한); Page 2, caption (국, 한). Change \
             them, or ask the operator of this server to install a font with these characters."
        );
        let pages: Vec<_> = (0..11)
            .map(|page| text(Field::pages().at(page).then(Field::title())))
            .collect();
        assert!(unprintable(&pages).contains("Page 8, title (국, 한); 3 more. Change them"));
    }

    #[test]
    fn a_complaint_is_found_at_its_field_only() {
        let title_of = |page| Field::pages().at(page).then(Field::title());
        let error = Error::invalid_field(title_of(1), "must not be blank");
        let complaints = Complaints::from_error(error).unwrap();
        assert_eq!(complaints.at(&title_of(1)).as_deref(), Some("Must not be blank."));
        assert_eq!(complaints.at(&title_of(10)), None);
        assert_eq!(complaints.at(&Field::title()), None);
        assert!(Complaints::from_error(Error::internal("broken")).is_err());
    }

    #[test]
    fn only_a_value_that_differs_from_the_shown_one_is_a_change() {
        let mut fields = Fields::default();
        for (name, value) in [
            ("title", "A fox"),
            ("was_title", " A fox "),
            ("caption", ""),
            ("was_caption", "Good night"),
            ("author", "Ada"),
        ] {
            fields.push(name, value.into());
        }
        assert_eq!(fields.changed("title"), None);
        assert_eq!(fields.changed("caption").as_deref(), Some(""));
        assert_eq!(fields.changed("author").as_deref(), Some("Ada"));
        assert_eq!(fields.changed("subtitle"), None);
        assert_eq!(fields.changed_or("title", "A vixen"), "A vixen");
        assert_eq!(fields.changed_or("caption", "Good day"), "");
    }

    #[test]
    fn the_fields_of_a_form_keep_their_order() {
        let mut fields = Fields::default();
        for (name, value) in [("a", " one\r\ntwo "), ("b", ""), ("a", "three")] {
            fields.push(name, value.into());
        }
        assert_eq!(fields.text("a"), "one\ntwo");
        assert_eq!(fields.all("a").collect::<Vec<_>>(), ["one\ntwo", "three"]);
        assert_eq!(fields.given::<String>("b"), None);
    }
}
