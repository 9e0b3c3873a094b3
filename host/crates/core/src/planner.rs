//! The planner of a caller: that of the settings, or the one for test keys.
use linepress_platform::app::App;
use linepress_plugin_host::Planner;

/// The planner for test keys. It calls no service, so tests cost the operator nothing.
const TEST_PLANNER: &str = "linepress.storyboard";

/// The id of the planner that plans for a caller with a test key, or for the others.
pub fn id_for(app: &App, is_test: bool) -> String {
    match is_test {
        true => TEST_PLANNER.into(),
        false => app.live().planner.clone(),
    }
}

/// The planner that plans for a caller with a test key, or for the others. None if it is not loaded.
pub fn loaded_for(app: &App, is_test: bool) -> Option<Planner> {
    app.plugins.planner(&id_for(app, is_test))
}
