//! A planner that shows the theme at a different place and time on each page.
wit_bindgen::generate!({ path: "wit", world: "book-planner", generate_all });

use exports::linepress::planner::planner::{BookPlan, Description, Guest, PageConcept, PlanError, PlanRequest};

struct Quilt;

const PLACES: [&str; 10] = [
    "in the garden",
    "on a hill",
    "by the river",
    "at the market",
    "under an old tree",
    "at the beach",
    "in the kitchen",
    "on a train",
    "at the pond",
    "in the tent",
];

const TIMES: [&str; 10] = [
    "at sunrise",
    "at noon",
    "in the rain",
    "with a picnic",
    "in the wind",
    "with balloons",
    "with kites",
    "in the snow",
    "at sunset",
    "under the stars",
];

/// The number of scenes: each place at each time.
const SCENES: usize = PLACES.len() * TIMES.len();

/// The distance between the scenes of two pages. It has no common factor with `SCENES`, so that each scene occurs once.
const STEP: usize = 37;

/// The most characters of the theme that are in the title.
const MAX_TITLE_CHARS: usize = 60;

impl Guest for Quilt {
    fn describe() -> Description {
        Description {
            id: "acme.quilt".into(),
            name: "Quilt".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            languages: vec!["en".into()],
            extra: Vec::new(),
        }
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        use linepress::host::{config, log};
        let plan = plan_of(&request, &ending_of(&config::get())?)?;
        log::write(log::Level::Debug, &format!("a plan of {} pages", plan.pages.len()));
        Ok(plan)
    }
}

#[cfg(target_family = "wasm")] // native linkers reject the names of the exports
export!(Quilt);

/// Plans a book. The same request gives the same plan, and a different seed a different one.
fn plan_of(request: &PlanRequest, ending: &str) -> Result<BookPlan, PlanError> {
    let theme = request.theme.trim();
    let names: Vec<&str> = request
        .characters
        .iter()
        .map(|character| character.name.as_str())
        .collect();
    let subject = match &names[..] {
        [] => theme.to_owned(),
        names => format!("{theme}, with {}", names.join(" and ")),
    };
    let first = (request.seed % SCENES as u64) as usize;
    let scenes = (0..SCENES).map(|index| (first + index * STEP) % SCENES);
    let pages = scenes.map(|scene| {
        page(
            &subject,
            PLACES[scene / TIMES.len()],
            TIMES[scene % TIMES.len()],
            ending,
        )
    });
    let count = request.page_count as usize;
    let pages: Vec<PageConcept> = pages
        .filter(|page| !is_in_earlier_volume(request, page))
        .take(count)
        .collect();
    if pages.len() < count {
        return Err(PlanError::Invalid(
            "the earlier volumes contain all scenes of this planner".into(),
        ));
    }
    let short: String = theme.chars().take(MAX_TITLE_CHARS).collect();
    Ok(BookPlan {
        title: request.title.clone().unwrap_or_else(|| short.trim_end().to_owned()),
        subtitle: String::new(),
        description: format!("A coloring book of {count} pages about this theme: {theme}"),
        cover_prompt: format!("{subject}{ending}"),
        pages,
        extra: Vec::new(),
    })
}

fn page(subject: &str, place: &str, time: &str, ending: &str) -> PageConcept {
    let (first, rest) = place.split_at(1);
    PageConcept {
        title: format!("{}{rest}, {time}", first.to_uppercase()),
        prompt: format!("{subject}, {place}, {time}{ending}"),
        caption: String::new(),
    }
}

/// The value `earlier` is there for each page of the earlier volumes of a series: its title, a line feed, its prompt.
fn is_in_earlier_volume(request: &PlanRequest, page: &PageConcept) -> bool {
    let mut earlier = request.extra.iter().filter(|(name, _)| name == "earlier");
    earlier.any(|(_, value)| value.lines().next() == Some(page.title.as_str()))
}

/// Reads the only setting, which `config.json` documents.
fn ending_of(settings: &str) -> Result<String, PlanError> {
    let settings: serde_json::Value = serde_json::from_str(settings).unwrap_or_default();
    match &settings["ending"] {
        serde_json::Value::Null => Ok(String::new()),
        serde_json::Value::String(ending) if ending.is_empty() => Ok(String::new()),
        serde_json::Value::String(ending) => Ok(format!(", {ending}")),
        _ => Err(PlanError::Unavailable("the setting ending must be a text".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linepress::types::types::{Aspect, Audience};

    fn request(page_count: u32, seed: u64) -> PlanRequest {
        PlanRequest {
            theme: "Foxes".into(),
            page_count,
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            title: None,
            characters: Vec::new(),
            language: "en".into(),
            notes: None,
            seed,
            extra: Vec::new(),
        }
    }

    fn titles(request: &PlanRequest) -> Vec<String> {
        let plan = plan_of(request, "").unwrap();
        plan.pages.into_iter().map(|page| page.title).collect()
    }

    #[test]
    fn every_page_is_different_and_depends_on_the_seed() {
        let mut all = titles(&request(100, 7));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 100);
        assert_eq!(titles(&request(3, 7)), titles(&request(3, 7)));
        assert_ne!(titles(&request(3, 7)), titles(&request(3, u64::MAX)));
    }

    #[test]
    fn a_page_of_an_earlier_volume_is_not_repeated() {
        let first = titles(&request(50, 1));
        let extra = first
            .iter()
            .map(|title| ("earlier".to_owned(), format!("{title}\nFoxes")));
        let mut second = request(50, 1);
        second.extra = extra.collect();
        assert!(titles(&second).iter().all(|title| !first.contains(title)));
        second.page_count = 51;
        assert!(matches!(plan_of(&second, ""), Err(PlanError::Invalid(_))));
    }

    #[test]
    fn the_ending_is_a_setting() {
        assert_eq!(ending_of("{}").unwrap(), "");
        let plan = plan_of(&request(1, 1), &ending_of(r#"{"ending": "in felt"}"#).unwrap()).unwrap();
        assert!(plan.pages[0].prompt.ends_with(", in felt"));
        assert!(matches!(ending_of(r#"{"ending": 1}"#), Err(PlanError::Unavailable(_))));
    }
}
