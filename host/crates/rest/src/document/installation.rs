//! The parts of the document that depend on the server: its settings, and the languages of its planner.
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::schema::{Schemas, object};
use linepress_core::planner;
use linepress_core::print::{self, PrintFormatResource};
use linepress_planning::plans::NewPlan;
use linepress_platform::app::App;
use linepress_platform::text::Language;

/// The settings and plugins of a server that its document depends on.
pub(super) struct Installation {
    pub brand: String,
    /// The URL of the server, in front of paths outside of the base URL.
    pub public_url: String,
    pub base_url: String,
    /// The languages of the planner; empty without a planner, or if it names none.
    pub plan_languages: Vec<String>,
    pub print_formats: Vec<PrintFormatResource>,
}

impl Installation {
    pub(super) fn of(app: &App) -> Self {
        let planner = planner::loaded_for(app, false);
        let languages = planner.map(|planner| planner.description().languages.clone());
        Self {
            brand: app.config.brand.clone(),
            public_url: app.config.public_url.clone(),
            base_url: app.config.base_url(),
            plan_languages: languages.unwrap_or_default(),
            print_formats: print::formats(app).iter().map(PrintFormatResource::new).collect(),
        }
    }
}

/// Restricts the language of plans to these. A book may be in any language.
pub(super) fn restrict_plan_languages(schemas: &mut Schemas, languages: &[String]) {
    const PLAN_LANGUAGE: &str = "PlanLanguage";
    if languages.is_empty() {
        return;
    }
    let mut language = object(Language::schema());
    language.pattern = Some(language_pattern(languages));
    schemas.insert(PLAN_LANGUAGE.into(), language.into());
    let mut plan = object(NewPlan::schema());
    let Some(RefOr::T(Schema::OneOf(optional))) = plan.properties.get_mut("language") else {
        unreachable!("the language of a plan is optional");
    };
    for item in &mut optional.items {
        if let RefOr::Ref(reference) = item {
            reference.ref_location = Ref::from_schema_name(PLAN_LANGUAGE).ref_location;
        }
    }
    schemas.insert(NewPlan::name().into(), plan.into());
}

/// A pattern for the languages, with any region and in any case.
fn language_pattern(languages: &[String]) -> String {
    let either_case = |letter: char| format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase());
    let primaries: Vec<String> = languages
        .iter()
        .map(|tag| tag.split(['-', '_']).next().unwrap_or_default())
        .map(|primary| primary.chars().map(either_case).collect())
        .collect();
    format!("^({})(-[A-Za-z0-9]{{1,8}})*$", primaries.join("|"))
}

#[cfg(test)]
mod tests {
    use super::language_pattern;

    #[test]
    fn a_language_matches_with_any_region() {
        assert_eq!(
            language_pattern(&["en".into(), "pt-BR".into()]),
            "^([Ee][Nn]|[Pp][Tt])(-[A-Za-z0-9]{1,8})*$"
        );
    }
}
