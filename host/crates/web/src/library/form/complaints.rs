//! The complaints about a form.
use axum::http::StatusCode;

use crate::problem;
use linepress_http::{ErrorCode, Reply};
use linepress_platform::error::{Detail, Error, ErrorKind, UnprintableText};
use linepress_platform::field::{Field, Segment};

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
        "No font of this server has some characters of these texts: {}. Change them, or ask the operator of this \
         server to install a font with these characters.",
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
        "source_upload_id" => "photograph".into(),
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
            "No font of this server has some characters of these texts: Title (국, 한); Page 2, caption (국, 한). \
             Change them, or ask the operator of this server to install a font with these characters."
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
}
