//! The JSON in a model's answer.
use serde::de::DeserializeOwned;

/// Parses a model's answer. Without support for schemas, models may write text around the JSON, so everything before
/// the first `{` and after the last `}` is ignored.
pub(crate) fn read<T: DeserializeOwned>(answer: &str) -> Result<T, serde_path_to_error::Error<serde_json::Error>> {
    let json = answer
        .find('{')
        .and_then(|start| answer.get(start..=answer.rfind('}')?))
        .unwrap_or_default();
    let mut json = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut json)
}
