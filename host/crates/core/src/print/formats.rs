//! The print formats of all layouts that are loaded.
use std::sync::Arc;

use linepress_plugin_host::Formats;

use linepress_platform::app::App;

pub use linepress_plugin_host::{HiddenFormat, OfferedFormat};

/// The formats of all layouts: those of the layout that the settings name come first, then those of other layouts in
/// the order of their ids, each in its layout's order of preference. Of formats with the same id, only the first is
/// included.
pub fn formats(app: &App) -> Arc<[OfferedFormat]> {
    of_settings(app).offered
}

/// The formats that are not offered.
pub fn hidden_formats(app: &App) -> Arc<[HiddenFormat]> {
    of_settings(app).hidden
}

fn of_settings(app: &App) -> Formats {
    app.plugins.formats(&app.live().layout)
}
