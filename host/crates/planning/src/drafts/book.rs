//! The book of a draft: texts as they were typed, which may be incomplete.
use linepress_model::{Aspect, Audience, Look};
use serde::{Deserialize, Serialize};

use crate::plans::{BookPlan, Warning, WarningCode};
use linepress_core::books::{CoverStyle, MAX_PAGES, NewBook, NewCover};
use linepress_core::characters::CharacterIds;
use linepress_core::pages::PageTexts;
use linepress_core::print::{Manuscript, ManuscriptDrawing};
use linepress_core::series::Volume;
use linepress_platform::ids::CharacterId;
use linepress_platform::text::{unless_default, unless_empty};
use linepress_plugin_host::EarlierPage;

/// A book that is not ordered yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DraftBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub cover_prompt: String,
    pub cover_style: CoverStyle,
    pub audience: Audience,
    pub look: Look,
    pub aspect: Aspect,
    /// Empty if none was chosen.
    pub language: String,
    pub character_ids: Vec<CharacterId>,
    /// The theme that it was planned from.
    pub theme: String,
    pub pages: Vec<PageTexts>,
    /// The planner's warnings.
    pub warnings: Vec<DraftWarning>,
}

/// A warning of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftWarning {
    pub code: WarningCode,
    pub words: Vec<String>,
    pub message: String,
    /// The prompt of the page that the warning is about. Once that prompt is changed, the warning no longer applies.
    /// None if it is about the whole book.
    pub prompt: Option<String>,
    /// A character that the planner suggests to create.
    pub character: Option<SuggestedCharacter>,
}

/// A figure that the theme names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedCharacter {
    pub name: String,
    pub description: String,
}

/// A change of the pages of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEdit {
    Add,
    MoveEarlier(usize),
    MoveLater(usize),
    Remove(usize),
    /// Has a page drawn from its words again, instead of from a photograph.
    RemovePhoto(usize),
}

impl DraftBook {
    /// The draft of a plan, with the plan's warnings.
    pub fn from_plan(plan: BookPlan) -> Self {
        let warning = |warning: Warning| {
            let page = warning.page_number.and_then(|number| number.checked_sub(1));
            let concept = page.and_then(|index| plan.page_concepts.get(index));
            DraftWarning {
                code: warning.code,
                words: warning.words,
                message: warning.message,
                prompt: concept.map(|concept| concept.prompt.clone()),
                character: warning.character.map(|character| SuggestedCharacter {
                    name: character.name,
                    description: character.kind,
                }),
            }
        };
        Self {
            warnings: plan.warnings.into_iter().map(warning).collect(),
            ..Self::from_request(plan.generation_request.book)
        }
    }

    /// The draft of a request that creates a book of new pages.
    fn from_request(book: NewBook) -> Self {
        // Destructured by name, so that a new field must be stored or left out on purpose.
        let NewBook {
            title,
            subtitle,
            author,
            description,
            audience,
            aspect,
            language,
            character_ids,
            cover,
            line_weight,
            detail,
            style,
            frame,
            pages,
        } = book;
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        Self {
            title: title.to_string(),
            subtitle: text(subtitle.as_deref()),
            author: text(author.as_deref()),
            description: text(description.as_deref()),
            cover_prompt: text(cover.as_ref().and_then(|cover| cover.prompt.as_deref())),
            cover_style: cover.as_ref().and_then(|cover| cover.style).unwrap_or_default(),
            audience: audience.unwrap_or_default(),
            look: Look {
                line_weight: line_weight.unwrap_or_default(),
                detail: detail.unwrap_or_default(),
                style: text(style.as_deref()),
                frame: frame.unwrap_or_default(),
            },
            aspect: aspect.unwrap_or_default(),
            language: text(language.as_deref()),
            character_ids: character_ids.map(|ids| ids.to_vec()).unwrap_or_default(),
            pages: pages.iter().map(PageTexts::from).collect(),
            // Set by `drafts::plan`.
            theme: String::new(),
            // Set by `from_plan`.
            warnings: Vec::new(),
        }
    }

    /// The request that creates the book.
    pub fn request(&self) -> NewBook {
        let ids = self.character_ids.iter().cloned().collect::<CharacterIds>();
        NewBook {
            title: self.title.clone().into(),
            subtitle: unless_empty(self.subtitle.clone()),
            author: unless_empty(self.author.clone()),
            description: unless_empty(self.description.clone()),
            audience: Some(self.audience),
            aspect: Some(self.aspect),
            language: unless_empty(self.language.clone()),
            character_ids: Some(ids).filter(|ids| !ids.is_empty()),
            cover: unless_default(self.cover()),
            line_weight: unless_default(self.look.line_weight),
            detail: unless_default(self.look.detail),
            style: unless_empty(self.look.style.clone()),
            frame: unless_default(self.look.frame),
            pages: self.pages.iter().cloned().map(Into::into).collect(),
        }
    }

    /// The cover, without what a new book has anyway.
    fn cover(&self) -> NewCover {
        NewCover {
            prompt: unless_empty(self.cover_prompt.clone()),
            style: unless_default(self.cover_style),
        }
    }

    /// The texts of the book as they would be printed, without pictures.
    pub(super) fn manuscript(&self) -> Manuscript {
        let drawing = |page: &PageTexts| ManuscriptDrawing {
            title: page.title.clone(),
            caption: page.caption.clone(),
            alternative_text: String::new(),
            master: String::new(),
        };
        Manuscript {
            title: self.title.clone(),
            subtitle: self.subtitle.clone(),
            author: self.author.clone(),
            description: self.description.clone(),
            audience: self.audience,
            aspect: self.aspect,
            language: self.language.clone(),
            isbn: String::new(),
            cover: None,
            drawings: self.pages.iter().map(drawing).collect(),
        }
    }

    /// The warnings that still apply to the book, each with the numbers of its pages, none for the whole book. Warnings
    /// about the same words of several pages are one warning.
    pub fn warnings(&self) -> Vec<(DraftWarning, Vec<usize>)> {
        let mut current: Vec<(DraftWarning, Vec<usize>)> = Vec::new();
        for warning in &self.warnings {
            let pages = self.pages_of(warning);
            let is_of_a_page = warning.prompt.is_some();
            if is_of_a_page && pages.is_empty() {
                continue;
            }
            let same = current.iter_mut().find(|(other, _)| {
                is_of_a_page && other.prompt.is_some() && other.code == warning.code && other.words == warning.words
            });
            match same {
                Some((_, known)) => known.extend(pages),
                None => current.push((warning.clone(), pages)),
            }
        }
        for (warning, pages) in current.iter_mut().filter(|(warning, _)| warning.prompt.is_some()) {
            pages.sort_unstable();
            pages.dedup();
            // Pages may have moved since the planner gave the warning.
            warning.message = Warning::about(warning.code, warning.words.clone(), pages).message;
        }
        current
    }

    /// The numbers of the pages that have the prompt of the warning.
    fn pages_of(&self, warning: &DraftWarning) -> Vec<usize> {
        let numbered = self.pages.iter().zip(1..);
        let pages = numbered.filter(|(page, _)| warning.prompt.as_ref() == Some(&page.prompt));
        pages.map(|(_, number)| number).collect()
    }

    /// Applies the edit to the pages. An edit of a page that does not exist changes nothing.
    pub fn apply(&mut self, edit: PageEdit) {
        let count = self.pages.len();
        match edit {
            PageEdit::Add if count < MAX_PAGES => self.pages.push(PageTexts::default()),
            PageEdit::MoveEarlier(index) if (1..count).contains(&index) => self.pages.swap(index, index - 1),
            PageEdit::MoveLater(index) if index + 1 < count => self.pages.swap(index, index + 1),
            PageEdit::Remove(index) if index < count => drop(self.pages.remove(index)),
            PageEdit::RemovePhoto(index) if index < count => self.pages[index].source_upload_id = None,
            _ => {}
        }
    }

    /// The title for a list, at most 200 characters without control characters: a draft may contain any text, but a
    /// database column cannot store NUL.
    pub(super) fn shown_title(&self) -> String {
        let visible = self.title.chars().filter(|letter| !letter.is_control());
        visible.take(200).collect()
    }

    /// The draft as a volume of a series.
    pub(super) fn into_volume(self) -> Volume {
        let page = |page: PageTexts| EarlierPage {
            title: page.title,
            prompt: page.prompt,
        };
        Volume {
            title: self.title,
            pages: self.pages.into_iter().map(page).collect(),
        }
    }

    pub(super) fn page_count(&self) -> i64 {
        i64::try_from(self.pages.len()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(titles: &[&str]) -> DraftBook {
        let page = |title: &&str| PageTexts {
            title: (*title).into(),
            ..PageTexts::default()
        };
        DraftBook {
            pages: titles.iter().map(page).collect(),
            ..DraftBook::default()
        }
    }

    #[test]
    fn a_draft_preserves_every_field_of_its_request() {
        let body = serde_json::json!({
            "title": "A", "subtitle": "B", "author": "C", "description": "D", "audience": "adult", "aspect": "square",
            "language": "de", "character_ids": ["char_01KAFMYG00000000000000000A"], "cover": {"prompt": "E", "style": "color"},
            "line_weight": "bold", "detail": "simple", "style": "Woodcut", "frame": "none",
            "pages": [{"title": "F", "prompt": "G", "caption": "H"}, {"title": "I"}],
        });
        let book: NewBook = serde_json::from_value(body.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(DraftBook::from_request(book).request()).unwrap(),
            body
        );
    }

    #[test]
    fn pages_can_be_moved_and_removed_and_an_edit_of_a_missing_page_changes_nothing() {
        for (edit, after) in [
            (PageEdit::MoveEarlier(1), vec!["b", "a", "c"]),
            (PageEdit::MoveEarlier(0), vec!["a", "b", "c"]),
            (PageEdit::MoveLater(1), vec!["a", "c", "b"]),
            (PageEdit::MoveLater(2), vec!["a", "b", "c"]),
            (PageEdit::Remove(0), vec!["b", "c"]),
            (PageEdit::Remove(3), vec!["a", "b", "c"]),
            (PageEdit::Add, vec!["a", "b", "c", ""]),
        ] {
            let mut book = titled(&["a", "b", "c"]);
            book.apply(edit);
            assert_eq!(book, titled(&after), "{edit:?}");
        }
        let mut full = titled(&["a"; MAX_PAGES]);
        full.apply(PageEdit::Add);
        assert_eq!(full.pages.len(), MAX_PAGES);
    }

    #[test]
    fn a_warning_follows_its_page_and_ends_when_its_prompt_changes() {
        let mut book = titled(&["a", "b"]);
        book.pages[1].prompt = "An axolotl".into();
        let warning = |message: &str, prompt: Option<&str>| DraftWarning {
            code: WarningCode::NotDrawn,
            words: vec!["axolotl".into()],
            message: message.into(),
            prompt: prompt.map(str::to_owned),
            character: None,
        };
        book.warnings = vec![warning("Of the book.", None), warning("Page 2.", Some("An axolotl"))];
        book.apply(PageEdit::MoveEarlier(1));
        let warnings = book.warnings();
        assert_eq!(warnings[0].0.message, "Of the book.");
        assert_eq!(warnings[0].1, [] as [usize; 0]);
        assert!(warnings[1].0.message.starts_with("Page 1 cannot show \"axolotl\""));
        assert_eq!(warnings[1].1, [1]);
        book.pages[0].prompt = "A newt".into();
        assert_eq!(book.warnings().len(), 1);
    }

    #[test]
    fn warnings_about_the_same_words_of_several_pages_are_one() {
        let mut book = titled(&["a", "b", "c", "d"]);
        for (page, prompt) in book
            .pages
            .iter_mut()
            .zip(["An axolotl", "A cello", "An axolotl swims", "An axolotl"])
        {
            page.prompt = prompt.into();
        }
        let warning = |word: &str, prompt: &str| DraftWarning {
            code: WarningCode::NotDrawn,
            words: vec![word.into()],
            message: String::new(),
            prompt: Some(prompt.into()),
            character: None,
        };
        book.warnings = vec![
            warning("axolotl", "An axolotl"),
            warning("cello", "A cello"),
            warning("axolotl", "An axolotl swims"),
            warning("axolotl", "An axolotl"),
        ];
        let warnings = book.warnings();
        let messages: Vec<&str> = warnings.iter().map(|(warning, _)| warning.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "Pages 1, 3 and 4 cannot show \"axolotl\": the image provider knows no drawing of it. Use other words in \
                 their prompts.",
                "Page 2 cannot show \"cello\": the image provider knows no drawing of it. Use other words in its prompt.",
            ]
        );
        assert_eq!(warnings[0].1, [1, 3, 4]);
    }

    #[test]
    fn a_title_in_a_list_has_no_control_characters() {
        let book = DraftBook {
            title: "A\0 fox\n".into(),
            ..DraftBook::default()
        };
        assert_eq!(book.shown_title(), "A fox");
    }
}
