//! Book plans: from a theme to a request that makes the book. Nothing of them is stored.
use std::time::Duration;

use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::app::App;
use crate::artwork::{Aspect, Audience};
use crate::books::{NewBook, NewCover, PageEntry};
use crate::caller::Caller;
use crate::characters;
use crate::drawing::Sketch;
use crate::error::{Error, Result};
use crate::ids::CharacterId;
use crate::plugins::{CallError, CharacterSketch, PageConcept, Plan, PlanRequest};
use crate::validation;

/// When a client may ask again after planning failed.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// What a book should be about.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlan {
    #[garde(length(chars, min = 1, max = 500), custom(validation::line))]
    /// What the book is about.
    #[schema(min_length = 1, max_length = 500, format = "line", example = "A woodland day")]
    pub theme: String,
    /// How many pages to plan.
    #[garde(range(min = 1, max = 100))]
    #[schema(minimum = 1, maximum = 100, example = 8)]
    pub page_count: u32,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// `child` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub audience: Option<Audience>,
    /// The planner finds one when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 200), custom(validation::line)))]
    #[schema(min_length = 1, max_length = 200, format = "line", example = "Woodland Friends")]
    pub title: Option<String>,
    /// Ready characters that should appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
    /// The language of the plan, as a BCP 47 tag; `en` when it is left out. The planner of this server decides which it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 2, max = 35), custom(validation::language_tag)))]
    #[schema(min_length = 2, max_length = 35, format = "language_tag", example = "en")]
    pub language: Option<String>,
    /// Wishes in free words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(max_length = 2000, format = "text", example = "No spiders, please")]
    pub notes: Option<String>,
}

/// A plan. Show it, let it be edited, and send `generation_request` to `POST /books`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BookPlan {
    /// What each page would show, in order.
    pub page_concepts: Vec<Concept>,
    pub credit_estimate: CreditEstimate,
    pub generation_request: GenerationRequest,
}

/// What one page would show.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = PageConcept)]
pub struct Concept {
    pub title: String,
    /// What to draw.
    pub prompt: String,
    /// The line printed under the drawing; may be empty.
    pub caption: String,
}

/// Exactly what `generation_request` costs as it stands.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CreditEstimate {
    /// The price in credits.
    pub credits: usize,
    /// How many pages would be drawn.
    pub pages: usize,
}

/// A body for `POST /books`.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerationRequest {
    pub book: NewBook,
}

/// Plans a book.
pub async fn plan(app: &App, caller: &Caller, new: &NewPlan) -> Result<BookPlan> {
    validation::check("book_plan", new)?;
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = if named.is_empty() {
        Vec::new()
    } else {
        characters::usable(
            &mut app.database.begin_read().await?,
            caller,
            named,
            "book_plan.character_ids",
        )
        .await?
    };
    let language = new.language.clone().unwrap_or_else(|| "en".into());
    let Some(planner) = app.plugins.planner(&app.config.planner) else {
        tracing::error!(
            plugin = app.config.planner,
            "the planner is not loaded; see `linepress doctor`"
        );
        return Err(Error::planning_unavailable(RETRY_AFTER));
    };
    if !speaks(&planner.description().languages, &language) {
        let known = planner.description().languages.join(", ");
        return Err(Error::invalid_field(
            "book_plan.language",
            format!("this server plans in {known}"),
        ));
    }
    accounts::take_plan(app, caller).await?;
    let request = PlanRequest {
        theme: new.theme.clone(),
        page_count: new.page_count,
        aspect: new.aspect.unwrap_or_default(),
        audience: new.audience.unwrap_or_default(),
        title: new.title.clone(),
        characters: characters
            .iter()
            .map(|character| without_reference(character.sketch()))
            .collect(),
        language,
        notes: new.notes.clone(),
        seed: app.random.seed().unsigned_abs(),
    };
    let plan = planner.plan(request).await.map_err(unavailable)?;
    if let Err(problem) = sensible(&plan, new.page_count) {
        tracing::error!(
            plugin = planner.description().id,
            problem,
            "the planner answered nonsense"
        );
        return Err(Error::planning_unavailable(RETRY_AFTER));
    }
    Ok(into_book_plan(new, plan))
}

/// Every language when the planner names none, and every region of one it names.
fn speaks(known: &[String], language: &str) -> bool {
    let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    known.is_empty() || known.iter().any(|tag| primary(tag) == primary(language))
}

/// The plugin's words were logged where it was called; clients get none of them.
fn unavailable(error: CallError) -> Error {
    Error::planning_unavailable(error.retry_after().unwrap_or(RETRY_AFTER))
}

/// A plan must be a body that `POST /books` takes.
fn sensible(plan: &Plan, page_count: u32) -> Result<(), String> {
    if plan.pages.len() != page_count as usize {
        return Err(format!(
            "{} pages were asked for and {} came",
            page_count,
            plan.pages.len()
        ));
    }
    if let Some(page) = plan.pages.iter().find(|page| page.prompt.trim().is_empty()) {
        return Err(format!("page {:?} has no prompt", page.title));
    }
    let body = NewBook {
        title: plan.title.clone(),
        subtitle: Some(plan.subtitle.clone()),
        author: None,
        description: Some(plan.description.clone()),
        audience: None,
        aspect: None,
        character_ids: None,
        cover: Some(NewCover {
            prompt: plan.cover_prompt.clone(),
        }),
        pages: plan.pages.iter().map(|page| entry(page.clone())).collect(),
    };
    validation::check("book", &body).map_err(|error| error.message)
}

fn into_book_plan(new: &NewPlan, plan: Plan) -> BookPlan {
    let filled = |text: String| (!text.is_empty()).then_some(text);
    let concept = |page: &PageConcept| Concept {
        title: page.title.clone(),
        prompt: page.prompt.clone(),
        caption: page.caption.clone(),
    };
    let page_concepts: Vec<Concept> = plan.pages.iter().map(concept).collect();
    BookPlan {
        credit_estimate: CreditEstimate {
            credits: page_concepts.len(),
            pages: page_concepts.len(),
        },
        page_concepts,
        generation_request: GenerationRequest {
            book: NewBook {
                title: new.title.clone().unwrap_or(plan.title),
                subtitle: filled(plan.subtitle),
                author: None,
                description: filled(plan.description),
                audience: Some(new.audience.unwrap_or_default()),
                aspect: Some(new.aspect.unwrap_or_default()),
                character_ids: new.character_ids.clone().filter(|ids| !ids.is_empty()),
                cover: Some(NewCover {
                    prompt: plan.cover_prompt,
                }),
                pages: plan.pages.into_iter().map(entry).collect(),
            },
        },
    }
}

fn entry(page: PageConcept) -> PageEntry {
    PageEntry {
        title: Some(page.title),
        prompt: Some(page.prompt),
        caption: (!page.caption.is_empty()).then_some(page.caption),
        ..PageEntry::default()
    }
}

/// A character for the planner, which sees no images.
fn without_reference(sketch: Sketch) -> CharacterSketch {
    CharacterSketch {
        name: sketch.name,
        description: sketch.description,
        style: sketch.style,
        seed: sketch.seed.unsigned_abs(),
        reference: None,
    }
}
