//! Book plans: from a theme to a request that creates the book. Plans are not stored.
mod next_title;
mod repetition;
mod sequel;
mod warnings;

use std::time::{Duration, Instant};

use garde::Validate;
use garde::error::{Path, Report};
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{CallError, CallOptions, CharacterSketch, PageConcept, Plan, PlanRequest, Planner};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use linepress_accounts::caller::Caller;
use linepress_accounts::throttle;
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::books::{MAX_PAGES, NewBook, NewCover, PageEntry, check_size};
use linepress_core::characters::{self, CharacterIds};
use linepress_core::planner;
use linepress_core::series::Volume;
use linepress_drawings::queue::CharacterSnapshot;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::BookId;
use linepress_platform::text::{Language, Notes, Theme, Title};
use linepress_platform::validation;

use sequel::Series;
use warnings::WarningInput;

pub use sequel::NextVolume;
pub(crate) use sequel::next_volume;
pub use warnings::{Warning, WarningCode};

/// The `Retry-After` of a failed plan.
const PLANNING_RETRY_DELAY: Duration = Duration::from_secs(30);

/// A request for a book plan.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlan {
    /// The theme of the book.
    #[garde(dive)]
    pub theme: Theme,
    /// The number of pages to plan.
    #[garde(dive)]
    pub page_count: PageCount,
    /// The aspect of the book; `portrait` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// The audience of the book; `child` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub audience: Option<Audience>,
    /// The title; the planner chooses one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub title: Option<Title>,
    /// A book of which this plans the next volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub follows: Option<BookId>,
    /// Ready characters of the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The language of the plan; `en` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub language: Option<Language>,
    /// Further wishes, in free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub notes: Option<Notes>,
}

/// The number of pages to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageCount(pub u32);

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
            .description(Some("The number of pages to plan."))
            .minimum(Some(1))
            .maximum(Some(MAX_PAGES))
            .examples([8])
            .into()
    }
}

impl ToSchema for PageCount {}

/// A plan. Show it to a person for editing, then create a book from `generation_request`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BookPlan {
    /// The content of each page, in order.
    pub page_concepts: Vec<Concept>,
    /// Warnings about parts of the theme that the book would not show, and suggested characters; empty without any. The
    /// plan can be used in spite of its warnings.
    #[schema(required = false)]
    pub warnings: Vec<Warning>,
    pub credit_estimate: CreditEstimate,
    pub generation_request: GenerationRequest,
}

/// The content of one page.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = PageConcept)]
pub struct Concept {
    pub title: String,
    /// A description of the drawing.
    pub prompt: String,
    /// The line printed under the drawing; may be empty.
    pub caption: String,
}

/// The exact price of `generation_request` if it is not edited.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CreditEstimate {
    /// The price in credits.
    #[schema(minimum = 0)]
    pub credits: i64,
    /// The number of pages that would be drawn.
    pub pages: usize,
}

/// The request that creates a book. Each plan contains one.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerationRequest {
    pub book: NewBook,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<CallbackUrl>,
}

/// Plans a book. The next volume of a series has the characters, the audience, the aspect, the language and the look of
/// the book that it follows, unless others are given, and repeats no page of the volumes before it.
pub async fn plan(app: &App, caller: &Caller, new: &NewPlan) -> Result<BookPlan> {
    caller.require_reading()?;
    plan_after(app, caller, new, Vec::new()).await
}

/// Plans a book. It repeats no page of these books either, which may be planned only, as far as they are of its series.
pub async fn plan_after(app: &App, caller: &Caller, new: &NewPlan, planned: Vec<Volume>) -> Result<BookPlan> {
    caller.require_reading()?;
    validation::check(new)?;
    check_size(app, caller, new.page_count.0 as usize)?;
    let series = match &new.follows {
        Some(book) => Some(Series::find(app, caller, book, planned).await?),
        None => None,
    };
    let completed = match &series {
        Some(series) => Some(series.complete(app, caller, new).await?),
        None => None,
    };
    let (asked_language, new) = (&new.language, completed.as_ref().unwrap_or(new));
    let named = new.character_ids.as_deref().unwrap_or_default();
    let characters = if named.is_empty() {
        Vec::new()
    } else {
        characters::ready(
            &mut app.database.begin_read().await?,
            caller,
            named,
            &Field::character_ids(),
        )
        .await?
    };
    let language = new.language.as_deref().unwrap_or("en");
    let Some(planner) = planner::loaded_for(app, caller.is_test()) else {
        let plugin = planner::id_for(app, caller.is_test());
        tracing::error!(plugin, "the planner is not loaded; run `linepress doctor`");
        return Err(unavailable(PLANNING_RETRY_DELAY));
    };
    let language = checked_language(app, &planner, language)?;
    let end = Instant::now() + app.config.response_limit();
    let Ok(_place) = app
        .planning
        .within(caller.account_id(), app.config.response_limit())
        .await
    else {
        tracing::warn!("a book plan waited too long for its turn and was rejected");
        return Err(unavailable(PLANNING_RETRY_DELAY));
    };
    // Counted once the plan has its turn: a plan that gets none does not count towards the account's limit.
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
        earlier: series.as_ref().map(Series::earlier).unwrap_or_default(),
    };
    let asked = WarningInput {
        theme: &new.theme,
        aspect: request.aspect,
        audience: request.audience,
        names: request
            .characters
            .iter()
            .map(|character| character.name.clone())
            .collect(),
    };
    let plan = call_planner(&planner, request, end).await?;
    let warnings = warnings::for_plan(app, asked, &plan, end).await;
    let plan = into_book_plan(new, plan, warnings);
    Ok(match &series {
        Some(series) => series.dress(plan, asked_language.as_ref()),
        None => plan,
    })
}

/// The language to plan in: the one that was asked for, which the planner of the settings must support, or English if
/// this planner is that of tests and does not support it.
fn checked_language<'a>(app: &App, planner: &Planner, language: &'a str) -> Result<&'a str> {
    let of_settings = planner::loaded_for(app, false);
    let known = &of_settings.as_ref().unwrap_or(planner).description().languages;
    if !supports_language(known, language) {
        let problem = format!("this server plans in {}", known.join(", "));
        return Err(Error::invalid_field(Field::language(), problem));
    }
    Ok(match supports_language(&planner.description().languages, language) {
        true => language,
        false => "en",
    })
}

/// Calls the planner, and a second time if its plan cannot create a book, because planners that use a language model
/// sometimes return a wrong number of pages. Gives up at `end`.
async fn call_planner(planner: &Planner, mut request: PlanRequest, end: Instant) -> Result<Plan> {
    let plugin = &planner.description().id;
    for _ in 0..2 {
        let left = end.saturating_duration_since(Instant::now());
        let options = CallOptions {
            // Earlier than `end`, so that the log names the plugin and its output.
            deadline: Some(planner.deadline().min(left * 9 / 10)),
            ..CallOptions::default()
        };
        let Ok(planned) = tokio::time::timeout(left, planner.plan_with(request.clone(), &options)).await else {
            tracing::warn!(plugin, "a book plan timed out while it waited for other plans");
            return Err(unavailable(PLANNING_RETRY_DELAY));
        };
        let mismatch = match planned {
            Ok(plan) => match check_plan(&plan, &request) {
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
    Err(unavailable(PLANNING_RETRY_DELAY))
}

/// The error for a client when the planner returned no plan. The plugin's own error was logged where the plugin was
/// called, and is not sent to clients.
fn failure(error: &CallError) -> Error {
    match error {
        CallError::Refused(_) => Error::invalid_field(
            Field::theme(),
            "the planner declined to plan this; change the theme or the notes",
        ),
        CallError::Invalid(_) => Error::invalid_field(
            Field::theme(),
            "the planner cannot plan this as it stands; change the theme or the notes",
        ),
        error => unavailable(error.retry_after().unwrap_or(PLANNING_RETRY_DELAY)),
    }
}

/// Returns true if the planner of this server plans in the language.
pub fn plans_in(app: &App, language: &str) -> bool {
    let planner = planner::loaded_for(app, false);
    planner.is_some_and(|planner| supports_language(&planner.description().languages, language))
}

/// Returns whether the planner supports the language: it names no languages, or one with the same primary tag.
fn supports_language(known: &[String], language: &str) -> bool {
    let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    known.is_empty() || known.iter().any(|tag| primary(tag) == primary(language))
}

fn unavailable(retry_after: Duration) -> Error {
    ErrorKind::PlanningUnavailable { retry_after }.into()
}

/// Checks that the plan is a request that can create a book. The error says why it is not.
fn check_plan(plan: &Plan, request: &PlanRequest) -> Result<(), String> {
    if plan.pages.len() != request.page_count as usize {
        return Err(format!(
            "{} pages were requested, but the plan has {}",
            request.page_count,
            plan.pages.len()
        ));
    }
    if let Some(page) = plan.pages.iter().find(|page| page.prompt.trim().is_empty()) {
        return Err(format!("page {:?} has no prompt", page.title));
    }
    let pages = plan
        .pages
        .iter()
        .map(|page| (page.title.as_str(), page.prompt.as_str()));
    if let Some(title) = repetition::repeated(pages, &request.earlier) {
        return Err(format!(
            "page {title:?} repeats the title or the prompt of an earlier page"
        ));
    }
    // The client's title takes precedence, so the planner's need not be valid then.
    let title = request.title.as_ref().unwrap_or(&plan.title);
    let body = new_book(plan.clone(), title.clone().into());
    validation::check(&body).map_err(|error| error.to_string())
}

/// The book that a plan describes, with this title.
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
            prompt: Some(plan.cover_prompt.into()),
            style: None,
        }),
        line_weight: None,
        detail: None,
        style: None,
        frame: None,
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
        generation_request: GenerationRequest {
            book,
            callback_url: None,
        },
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

/// The character as the planner gets it, without a reference image.
fn without_reference(snapshot: CharacterSnapshot) -> CharacterSketch {
    CharacterSketch {
        name: snapshot.name,
        description: snapshot.description,
        style: snapshot.style,
        seed: snapshot.seed.unsigned_abs(),
        reference: None,
    }
}
