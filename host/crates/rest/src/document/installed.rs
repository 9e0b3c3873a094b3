//! The parts of the document that depend on the installed plugins: the languages of book plans.

use serde_json::Value;

use linepress_core::app::App;

pub(super) fn describe(document: &mut Value, app: &App) {
    let planner = app.plugins.planner(&app.config.planner);
    let languages = planner
        .as_ref()
        .map(|planner| planner.description().languages.clone())
        .unwrap_or_default();
    if !languages.is_empty() {
        // A book may be in any language; the restriction applies only to plans.
        let schemas = &mut document["components"]["schemas"];
        let mut language = schemas["Language"].clone();
        language["pattern"] = language_pattern(&languages).into();
        schemas["PlanLanguage"] = language;
        schemas["NewPlan"]["properties"]["language"]["oneOf"][0]["$ref"] = "#/components/schemas/PlanLanguage".into();
    }
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
