//! The print formats of all layouts that are loaded.
use std::collections::HashMap;
use std::fmt;

use linepress_model::PrintFormat;
use linepress_plugin_host::Layout;

use linepress_platform::app::App;

/// A print format and the layout that provides it.
#[derive(Clone)]
pub struct OfferedFormat {
    pub format: PrintFormat,
    pub layout: Layout,
}

impl fmt::Debug for OfferedFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.format.id, self.layout.description().id)
    }
}

/// A format that is not offered, because an earlier layout has a format with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenFormat {
    pub format: String,
    pub layout: String,
    /// The layout whose format is offered.
    pub offered_by: String,
}

/// The formats of all layouts: those of the layout that the settings name come first, then those of other layouts in
/// the order of their ids, each in its layout's order of preference. Of formats with the same id, only the first is
/// included.
pub fn formats(app: &App) -> Vec<OfferedFormat> {
    offered_and_hidden(app).0
}

/// The formats that are not offered.
pub fn hidden_formats(app: &App) -> Vec<HiddenFormat> {
    offered_and_hidden(app).1
}

fn offered_and_hidden(app: &App) -> (Vec<OfferedFormat>, Vec<HiddenFormat>) {
    let (live, mut layouts) = (app.live(), app.plugins.layouts());
    layouts.sort_by_key(|layout| layout.description().id != live.layout);
    let (mut offered, mut hidden) = (Vec::new(), Vec::new());
    let mut offered_by: HashMap<String, String> = HashMap::new();
    for layout in layouts {
        let id = &layout.description().id;
        for format in &layout.description().formats {
            if let Some(first) = offered_by.get(&format.id) {
                hidden.push(HiddenFormat {
                    format: format.id.clone(),
                    layout: id.clone(),
                    offered_by: first.clone(),
                });
                continue;
            }
            offered_by.insert(format.id.clone(), id.clone());
            offered.push(OfferedFormat {
                format: format.clone(),
                layout: layout.clone(),
            });
        }
    }
    (offered, hidden)
}
