//! Validation of the `log` setting, and the filter made from it.
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Checks a filter. `EnvFilter` alone would take a misspelt level for the name of a module that does not exist, and the
/// log would be empty.
pub(super) fn check(filter: &str) -> Result<(), String> {
    const ALLOWED: &str = "must be off, error, warn, info, debug or trace, or a list such as \"info,sqlx=warn\"";
    let is_word = |part: &&str| !part.contains(['=', '[', ']', '{', '}']);
    let mut words = filter.split(',').filter(is_word);
    if let Some(word) = words.find(|word| word.is_empty() || word.parse::<LevelFilter>().is_err()) {
        return Err(format!("{ALLOWED}; {word:?} is not a level"));
    }
    if let Some(part) = filter.split(',').find(|part| part.ends_with('=')) {
        return Err(format!("{ALLOWED}; {part:?} ends before its level"));
    }
    match filter.parse::<EnvFilter>() {
        Ok(_) => Ok(()),
        Err(problem) => Err(format!("{ALLOWED}; {problem}")),
    }
}

/// The targets that are never logged. `wasmtime_wasi_http` sends plugins' requests: its lines do not name the plugin, a
/// plugin controls their number, and our own lines say more. `linepress::traces` is for the steps of traces, whose
/// fields do not belong into log lines.
const UNLOGGED: [&str; 2] = ["wasmtime_wasi_http=off", "linepress::traces=off"];

/// The filter of the setting, without the targets that are never logged.
pub fn filter(setting: &str) -> EnvFilter {
    let unlogged = UNLOGGED.iter().filter_map(|directive| directive.parse().ok());
    unlogged.fold(EnvFilter::new(setting), EnvFilter::add_directive)
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[test]
    fn a_plugin_cannot_fill_the_log_through_a_library() {
        for setting in ["info", "trace"] {
            let subscriber = tracing_subscriber::registry().with(filter(setting));
            tracing::subscriber::with_default(subscriber, || {
                assert!(!tracing::enabled!(target: "wasmtime_wasi_http::p2::error", tracing::Level::WARN));
                assert!(tracing::enabled!(target: "linepress", tracing::Level::WARN));
                assert!(!tracing::enabled!(target: "linepress::traces", tracing::Level::INFO));
            });
        }
    }

    #[test]
    fn a_level_and_a_list_of_levels_are_filters() {
        for filter in [
            "info",
            "OFF",
            "info,sqlx=warn",
            "warn,linepress::http=debug",
            "[request{method=GET}]=debug,info",
        ] {
            assert_eq!(check(filter), Ok(()), "{filter}");
        }
    }

    #[test]
    fn an_invalid_level_is_rejected_with_the_allowed_ones() {
        for filter in [
            "loud",
            "info,loud",
            "sqlx",
            "linepress=loud",
            "",
            "info,",
            "info,sqlx=",
            "sqlx=,info",
        ] {
            let problem = check(filter).expect_err(filter);
            assert!(
                problem.contains("must be off, error, warn, info, debug or trace"),
                "{filter}: {problem}"
            );
        }
        assert!(
            check("info,loud")
                .expect_err("a typo")
                .ends_with("\"loud\" is not a level")
        );
    }
}
