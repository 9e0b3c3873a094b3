//! What the plugins of this server decide: the languages that can be planned in.

use serde_json::Value;

use crate::app::App;

pub(super) fn describe(document: &mut Value, app: &App) {
    let planner = app.plugins.planner(&app.config.planner);
    let languages = planner
        .as_ref()
        .map(|planner| planner.description().languages.clone())
        .unwrap_or_default();
    if !languages.is_empty() {
        // A book may be in any language; it is the planner that speaks only these.
        let schemas = &mut document["components"]["schemas"];
        let mut language = schemas["Language"].clone();
        language["pattern"] = one_of(&languages).into();
        schemas["PlanLanguage"] = language;
        schemas["NewPlan"]["properties"]["language"]["oneOf"][0]["$ref"] = "#/components/schemas/PlanLanguage".into();
    }
}

/// Any region of one of the languages, in any case.
fn one_of(languages: &[String]) -> String {
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
    use super::one_of;

    #[test]
    fn every_region_of_a_language_is_that_language() {
        assert_eq!(
            one_of(&["en".into(), "pt-BR".into()]),
            "^([Ee][Nn]|[Pp][Tt])(-[A-Za-z0-9]{1,8})*$"
        );
    }
}
