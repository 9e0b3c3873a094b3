//! The operator's settings for the plugin, deserialized into the plugin's own type.

use serde::de::DeserializeOwned;

use crate::Failure;

/// Reads the plugin's settings. Only the operator can correct a wrong setting, so it makes the plugin unavailable. The
/// text names the setting.
pub fn settings<T: DeserializeOwned>() -> Result<T, Failure> {
    parse(&crate::config::get()).map_err(Failure::Unavailable)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let setting = error.path().to_string();
        // The position is removed: the settings are one line, so it does not help the operator.
        let problem = error.inner().to_string();
        let problem = problem.split(" at line ").next().unwrap_or_default();
        if setting == "." {
            format!("the settings of this plugin are wrong: {problem}")
        } else {
            format!("the setting `{setting}` of this plugin is wrong: {problem}")
        }
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Settings {
        model: String,
        #[serde(default)]
        sizes: Vec<u32>,
    }

    #[test]
    fn a_wrong_setting_is_named() {
        let problem = |text| parse::<Settings>(text).unwrap_err();
        assert_eq!(
            problem(r#"{"model": "pencil", "sizes": [1, "two"]}"#),
            "the setting `sizes[1]` of this plugin is wrong: invalid type: string \"two\", expected u32"
        );
        assert_eq!(
            problem("{}"),
            "the settings of this plugin are wrong: missing field `model`"
        );
        assert!(problem(r#"{"model": "pencil", "colour": 1}"#).contains("`colour`"));
    }

    #[test]
    fn settings_come_from_the_server() {
        crate::testing::set_settings(serde_json::json!({"model": "pencil"}));
        let settings: Settings = settings().unwrap();
        assert_eq!(settings.model, "pencil");
    }
}
