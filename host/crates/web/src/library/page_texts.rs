//! The texts of a page in forms: those for a new page, for imported artwork, for a page of a book and for a present
//! page, and the rows of a draft. All of them share these inputs, so that a new text appears in each form.
use askama::Template;
use askama::filters::HtmlSafe;

use super::form::{Complaints, Fields, Typed};
use super::looks;
use linepress_core::pages::{Page, PageChange, PageRefinement, PageTexts};
use linepress_platform::field::Field;
use linepress_platform::ids::UploadId;

/// The texts in a form for one page.
pub(super) fn typed(fields: &Fields) -> PageTexts {
    PageTexts {
        title: fields.text("title"),
        prompt: fields.text("prompt"),
        caption: without_breaks(&fields.text("caption")),
        source_upload_id: None,
    }
}

/// The text as a single line. Its field is one of several lines, into which a text with line breaks can be pasted.
fn without_breaks(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// The texts in the rows of a draft's form. A text that is missing in the last rows is empty there: the form may have
/// been opened before the server knew the text.
pub(super) fn typed_rows(fields: &Fields) -> Vec<PageTexts> {
    let mut prompts = fields.all("page_prompt");
    let mut captions = fields.all("page_caption");
    let mut sources = fields.all("page_source_upload_id");
    let row = |title| PageTexts {
        title,
        prompt: prompts.next().unwrap_or_default(),
        caption: without_breaks(&captions.next().unwrap_or_default()),
        source_upload_id: sources
            .next()
            .filter(|id| !id.is_empty())
            .map(|id| UploadId::from_client(&id)),
    };
    fields.all("page_title").map(row).collect()
}

/// The texts that were changed in the form of a present page.
pub(super) fn change(fields: &Fields) -> PageChange {
    PageChange {
        title: fields.changed("title").map(Into::into),
        prompt: fields.changed("prompt").map(Into::into),
        caption: fields.changed("caption").map(|caption| without_breaks(&caption).into()),
        alternative_text: fields
            .changed("alternative_text")
            .map(|text| without_breaks(&text).into()),
        character_ids: None,
        locked: None,
        ..looks::page_change(fields)
    }
}

/// The change of a present page's picture, with the texts that were changed in the same form.
pub(super) fn refinement(fields: &Fields) -> PageRefinement {
    PageRefinement {
        instruction: fields.text("instruction").into(),
        title: fields.changed("title").map(Into::into),
        caption: fields.changed("caption").map(|caption| without_breaks(&caption).into()),
    }
}

/// The inputs for the texts of one page.
#[derive(Template)]
#[template(path = "library/page_texts.html")]
pub(super) struct TextInputs {
    texts: PageTexts,
    /// The stored texts, which the form of a present page sends with the typed ones.
    stored: Option<PageTexts>,
    /// `None` in a form for a picture that is not drawn.
    prompt: Option<PromptInput>,
    /// `None` unless the form is that of a present page with a picture.
    alternative_text: Option<AlternativeTextInput>,
    /// The beginning of the inputs' ids, which are unique on the web page.
    id_prefix: String,
    name_prefix: &'static str,
    /// The complaints about this page.
    complaints: Complaints,
}

/// The texts next to the input of a prompt.
struct PromptInput {
    label: &'static str,
    hint: &'static str,
    is_needed: bool,
}

/// The alternative text of the picture of a present page.
struct AlternativeTextInput {
    text: String,
    stored: String,
}

/// The derived template escapes what it shows.
impl HtmlSafe for TextInputs {}

impl TextInputs {
    /// The inputs of a form for a new page that is drawn.
    pub(super) fn of_drawing(
        id_prefix: &str,
        prompt_label: &'static str,
        fields: &Fields,
        complaints: &Complaints,
    ) -> Self {
        let prompt = PromptInput {
            label: prompt_label,
            hint: "Left empty, the title says it.",
            is_needed: false,
        };
        Self {
            prompt: Some(prompt),
            ..Self::of_import(id_prefix, fields, complaints)
        }
    }

    /// The inputs of a form for a new page of imported artwork.
    pub(super) fn of_import(id_prefix: &str, fields: &Fields, complaints: &Complaints) -> Self {
        Self {
            texts: typed(fields),
            stored: None,
            prompt: None,
            alternative_text: None,
            id_prefix: id_prefix.into(),
            name_prefix: "",
            complaints: complaints.below(&Field::default()),
        }
    }

    /// The inputs of the form for a present page.
    pub(super) fn of_page(page: &Page, form: &str, typed: &Typed<'_>) -> Self {
        let prompt = PromptInput {
            label: "What the next drawing shows",
            hint: "",
            is_needed: true,
        };
        let texts = PageTexts {
            title: typed.text(form, "title", &page.title),
            prompt: typed.text(form, "prompt", &page.prompt),
            caption: typed.text(form, "caption", &page.caption),
            source_upload_id: None,
        };
        let alternative_text = page.image.as_ref().map(|_| {
            let stored = page.alternative_text.clone().unwrap_or_default();
            AlternativeTextInput {
                text: typed.text(form, "alternative_text", &stored),
                stored,
            }
        });
        Self {
            texts,
            stored: Some(page.texts()),
            prompt: Some(prompt),
            alternative_text,
            id_prefix: String::new(),
            name_prefix: "",
            complaints: typed.complaints_of(form),
        }
    }

    /// The inputs of a draft's row.
    pub(super) fn of_row(index: usize, texts: PageTexts, complaints: &Complaints) -> Self {
        let prompt = PromptInput {
            label: "What to draw",
            hint: "",
            is_needed: false,
        };
        Self {
            texts,
            stored: None,
            prompt: Some(prompt),
            alternative_text: None,
            id_prefix: format!("page-{index}-"),
            name_prefix: "page_",
            complaints: complaints.below(&Field::pages().at(index)),
        }
    }

    fn id(&self, text: &str) -> String {
        format!("{}{text}", self.id_prefix)
    }

    fn name(&self, text: &str) -> String {
        format!("{}{text}", self.name_prefix)
    }

    fn complaint(&self, text: &'static str) -> Option<String> {
        self.complaints.at(&Field::named(text))
    }
}

#[cfg(test)]
mod tests {
    use linepress_platform::error::{Detail, Error};

    use super::*;

    fn form(sent: &[(&str, &str)]) -> Fields {
        let mut fields = Fields::default();
        for (name, value) in sent {
            fields.push(name, (*value).into());
        }
        fields
    }

    #[test]
    fn the_rows_of_a_draft_keep_their_texts_together() {
        let fields = form(&[
            ("page_title", "A fox"),
            ("page_prompt", "A fox asleep"),
            ("page_caption", ""),
            ("page_title", "An owl"),
            ("page_prompt", ""),
            ("page_caption", "Who?"),
            ("page_title", "A hare"),
        ]);
        let row = |title: &str, prompt: &str, caption: &str| PageTexts {
            title: title.into(),
            prompt: prompt.into(),
            caption: caption.into(),
            source_upload_id: None,
        };
        assert_eq!(
            typed_rows(&fields),
            [
                row("A fox", "A fox asleep", ""),
                row("An owl", "", "Who?"),
                row("A hare", "", "")
            ]
        );
    }

    #[test]
    fn line_breaks_in_a_line_become_spaces() {
        let pasted = "Good night,\r\n\r\n little fox";
        let page = form(&[("title", "A fox"), ("caption", pasted)]);
        let row = form(&[("page_title", "A fox"), ("page_caption", pasted)]);
        assert_eq!(typed(&page).caption, "Good night, little fox");
        assert_eq!(typed_rows(&row)[0].caption, "Good night, little fox");
        assert_eq!(change(&page).caption.as_deref(), Some("Good night, little fox"));
        let described = form(&[("alternative_text", "A fox\r\nin the snow")]);
        assert_eq!(
            change(&described).alternative_text.as_deref(),
            Some("A fox in the snow")
        );
        let others = change(&form(&[("title", "A fox")]));
        assert_eq!((others.caption, others.alternative_text), (None, None));
    }

    #[test]
    fn a_row_has_its_own_ids_names_values_and_complaints() {
        let about = |page: usize, message: &str| Detail {
            field: Field::pages().at(page).then(Field::caption()),
            message: message.into(),
        };
        let error = Error::validation(vec![about(3, "is too short"), about(12, "is too long")]);
        let complaints = Complaints::from_error(error).unwrap();
        let texts = PageTexts {
            title: "Fox & \"owl\"".into(),
            ..PageTexts::default()
        };
        let html = TextInputs::of_row(12, texts, &complaints).to_string();
        assert!(
            html.contains("id=\"page-12-title\" name=\"page_title\" value=\"Fox &#38; &#34;owl&#34;\""),
            "{html}"
        );
        assert!(html.contains("id=\"page-12-caption-error\">Is too long."), "{html}");
        assert!(!html.contains("Is too short"), "{html}");
    }

    #[test]
    fn a_form_for_imported_artwork_has_no_prompt() {
        let fields = form(&[("title", "A fox"), ("prompt", "A fox asleep")]);
        let imported = TextInputs::of_import("import-", &fields, &Complaints::none()).to_string();
        assert!(
            imported.contains("id=\"import-title\" name=\"title\" value=\"A fox\""),
            "{imported}"
        );
        assert!(!imported.contains("prompt"), "{imported}");
        let drawn = TextInputs::of_drawing("draw-", "What to draw", &fields, &Complaints::none()).to_string();
        assert!(drawn.contains("id=\"draw-prompt\" name=\"prompt\""), "{drawn}");
        assert!(drawn.contains("A fox asleep</textarea>"), "{drawn}");
    }
}
