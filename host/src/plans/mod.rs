//! Book plans: from a theme to a request that makes the book. Nothing of them is stored.
mod warnings;

use std::time::{Duration, Instant};

use garde::Validate;
use garde::error::{Path, Report};
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{CallError, CallOptions, CharacterSketch, PageConcept, Plan, PlanRequest, Planner};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::app::App;
use crate::books::{MAX_PAGES, NewBook, NewCover, PageEntry, check_size};
use crate::caller::Caller;
use crate::characters::{self, CharacterIds};
use crate::error::{Error, ErrorKind, Result};
use crate::queue::CharacterSnapshot;
use crate::text::{Language, Notes, Theme, Title};
use crate::throttle;
use crate::validation;

use warnings::Asked;

pub(crate) use warnings::{Warning, WarningCode};

/// When a client may ask again after planning failed.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// What a book should be about.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlan {
    /// What the book is about.
    #[garde(dive)]
    pub theme: Theme,
    /// How many pages to plan.
    #[garde(dive)]
    pub page_count: PageCount,
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
    #[garde(dive)]
    pub title: Option<Title>,
    /// Ready characters that should appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The language of the plan; `en` when it is left out. The planner of this server decides which it speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub language: Option<Language>,
    /// Wishes in free words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub notes: Option<Notes>,
}

/// How many pages to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PageCount(pub u32);

impl Validate for PageCount {
    type Context = ();

    fn validate_into(&self, (): &(), parent: &mut dyn FnMut() -> Path, report: &mut Report) {
        if !(1..=MAX_PAGES).contains(&(self.0 as usize)) {
            report.append(parent(), garde::Error::new(format!("must be 1 to {MAX_PAGES}")));
        }
    }
}

impl PartialSchema for PageCount {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .description(Some("How many pages to plan."))
            .minimum(Some(1))
            .maximum(Some(MAX_PAGES))
            .examples([8])
            .into()
    }
}

impl ToSchema for PageCount {}

/// A plan. Show it, let it be edited, and create a book of `generation_request`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BookPlan {
    /// What each page would show, in order.
    pub page_concepts: Vec<Concept>,
    /// What of the theme the book would not show, and who could be a character; empty where nothing is amiss. The plan can
    /// be used as it is.
    #[schema(required = false)]
    pub warnings: Vec<Warning>,
    pub credit_estimate: CreditEstimate,
    pub generation_request: GenerationRequest,
}

/// What one page would show.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = PageConcept)]
pub(crate) struct Concept {
    pub title: String,
    /// What to draw.
    pub prompt: String,
    /// The line printed under the drawing; may be empty.
    pub caption: String,
}

/// Exactly what `generation_request` costs as it stands.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CreditEstimate {
    /// The price in credits.
    #[schema(minimum = 0)]
    pub credits: i64,
    /// How many pages would be drawn.
    pub pages: usize,
}

/// A book to be made; a plan has one of its own.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerationRequest {
    pub book: NewBook,
}

/// Plans a book.
pub(crate) async fn plan(app: &App, caller: &Caller, new: &NewPlan) -> Result<BookPlan> {
    validation::check("book_plan", new)?;
    check_size(app, new.page_count.0 as usize)?;
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = if named.is_empty() {
        Vec::new()
    } else {
        characters::ready(
            &mut app.database.begin_read().await?,
            caller,
            named,
            "book_plan.character_ids",
        )
        .await?
    };
    let language = new.language.as_deref().unwrap_or("en");
    let Some(planner) = app.plugins.planner(&app.config.planner) else {
        tracing::error!(
            plugin = app.config.planner,
            "the planner is not loaded; see `linepress doctor`"
        );
        return Err(unavailable(RETRY_AFTER));
    };
    if !speaks(&planner.description().languages, language) {
        let known = planner.description().languages.join(", ");
        return Err(Error::invalid_field(
            "book_plan.language",
            format!("this server plans in {known}"),
        ));
    }
    let end = Instant::now() + app.config.response_limit();
    let Ok(_place) = app
        .planning
        .within(&caller.account_id, app.config.response_limit())
        .await
    else {
        tracing::warn!("a book plan found no place in time");
        return Err(unavailable(RETRY_AFTER));
    };
    // With a place: a plan that finds none uses none of the account's turns.
    throttle::take_plan(app, caller).await?;
    let request = PlanRequest {
        theme: new.theme.to_string(),
        page_count: new.page_count.0,
        aspect: new.aspect.unwrap_or_default(),
        audience: new.audience.unwrap_or_default(),
        title: new.title.as_deref().map(str::to_owned),
        characters: characters
            .iter()
            .map(|character| without_reference(character.snapshot()))
            .collect(),
        language: language.into(),
        notes: new.notes.as_deref().map(str::to_owned),
        seed: app.random.seed().unsigned_abs(),
        mismatch: None,
    };
    let asked = Asked {
        theme: &new.theme,
        aspect: request.aspect,
        audience: request.audience,
        names: request
            .characters
            .iter()
            .map(|character| character.name.clone())
            .collect(),
    };
    let plan = ask(&planner, request, end).await?;
    let warnings = warnings::of(app, asked, &plan, end).await;
    Ok(into_book_plan(new, plan, warnings))
}

/// Asks the planner, and once more where its plan is no request that creates a book: planners that ask a model count
/// wrongly now and then. Gives up at `end`.
async fn ask(planner: &Planner, mut request: PlanRequest, end: Instant) -> Result<Plan> {
    let plugin = &planner.description().id;
    for _ in 0..2 {
        let left = end.saturating_duration_since(Instant::now());
        let options = CallOptions {
            // Before the request's own time is up, so that the log names the plugin and what it printed.
            deadline: Some(planner.deadline().min(left * 9 / 10)),
            ..CallOptions::default()
        };
        let Ok(planned) = tokio::time::timeout(left, planner.plan_with(request.clone(), &options)).await else {
            tracing::warn!(plugin, "other plans took all the time of this one");
            return Err(unavailable(RETRY_AFTER));
        };
        let mismatch = match planned {
            Ok(plan) => match sensible(&plan, &request) {
                Ok(()) => return Ok(plan),
                Err(problem) => problem,
            },
            Err(CallError::InvalidResponse(problem)) => problem,
            Err(error) => return Err(failure(&error)),
        };
        tracing::error!(plugin, mismatch, "the planner returned an invalid plan");
        request.mismatch = Some(mismatch);
        request.seed = request.seed.wrapping_add(1);
    }
    Err(unavailable(RETRY_AFTER))
}

/// What a client can do about a planner that gave nothing. What the plugin said was logged where it was called; clients get
/// none of it.
fn failure(error: &CallError) -> Error {
    match error {
        CallError::Refused(_) => Error::invalid_field(
            "book_plan.theme",
            "the planner declined to plan this; change the theme or the notes",
        ),
        CallError::Invalid(_) => Error::invalid_field(
            "book_plan.theme",
            "the planner cannot plan this as it stands; change the theme or the notes",
        ),
        error => unavailable(error.retry_after().unwrap_or(RETRY_AFTER)),
    }
}

/// Every language when the planner names none, and every region of one it names.
fn speaks(known: &[String], language: &str) -> bool {
    let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    known.is_empty() || known.iter().any(|tag| primary(tag) == primary(language))
}

fn unavailable(retry_after: Duration) -> Error {
    ErrorKind::PlanningUnavailable { retry_after }.into()
}

/// A plan must be a request that creates a book.
fn sensible(plan: &Plan, request: &PlanRequest) -> Result<(), String> {
    if plan.pages.len() != request.page_count as usize {
        return Err(format!(
            "{} pages were asked for and {} came",
            request.page_count,
            plan.pages.len()
        ));
    }
    if let Some(page) = plan.pages.iter().find(|page| page.prompt.trim().is_empty()) {
        return Err(format!("page {:?} has no prompt", page.title));
    }
    // The client's title wins, so the planner's own need not be one.
    let title = request.title.as_ref().unwrap_or(&plan.title);
    let body = new_book(plan.clone(), title.clone().into());
    validation::check("book", &body).map_err(|error| error.to_string())
}

/// The book that a plan describes, under this title.
fn new_book(plan: Plan, title: Title) -> NewBook {
    let filled = |text: String| (!text.is_empty()).then_some(text);
    NewBook {
        title,
        subtitle: filled(plan.subtitle).map(Into::into),
        author: None,
        description: filled(plan.description).map(Into::into),
        audience: None,
        aspect: None,
        language: None,
        character_ids: None,
        cover: Some(NewCover {
            prompt: plan.cover_prompt.into(),
        }),
        pages: plan.pages.into_iter().map(entry).collect(),
    }
}

fn into_book_plan(new: &NewPlan, plan: Plan, warnings: Vec<Warning>) -> BookPlan {
    let concept = |page: &PageConcept| Concept {
        title: page.title.clone(),
        prompt: page.prompt.clone(),
        caption: page.caption.clone(),
    };
    let page_concepts: Vec<Concept> = plan.pages.iter().map(concept).collect();
    let title = new.title.clone().unwrap_or_else(|| plan.title.clone().into());
    let book = NewBook {
        audience: Some(new.audience.unwrap_or_default()),
        aspect: Some(new.aspect.unwrap_or_default()),
        language: Some(new.language.clone().unwrap_or_else(|| "en".into())),
        character_ids: new.character_ids.clone().filter(|ids| !ids.is_empty()),
        ..new_book(plan, title)
    };
    BookPlan {
        credit_estimate: CreditEstimate {
            credits: book.price(),
            pages: page_concepts.len(),
        },
        page_concepts,
        warnings,
        generation_request: GenerationRequest { book },
    }
}

fn entry(page: PageConcept) -> PageEntry {
    PageEntry {
        title: Some(page.title.into()),
        prompt: Some(page.prompt.into()),
        caption: (!page.caption.is_empty()).then(|| page.caption.into()),
        ..PageEntry::default()
    }
}

/// A character for the planner, which sees no images.
fn without_reference(snapshot: CharacterSnapshot) -> CharacterSketch {
    CharacterSketch {
        name: snapshot.name,
        description: snapshot.description,
        style: snapshot.style,
        seed: snapshot.seed.unsigned_abs(),
        reference: None,
    }
}
