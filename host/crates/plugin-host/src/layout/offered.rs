//! The print formats that the loaded layouts offer together.
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Layout;
use linepress_model::PrintFormat;

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

/// The formats of all loaded layouts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Formats {
    pub offered: Arc<[OfferedFormat]>,
    pub hidden: Arc<[HiddenFormat]>,
}

impl Formats {
    /// The formats of the layout `first` come first, then those of other layouts in the order of their ids, each in its
    /// layout's order of preference. Of formats with the same id, only the first is offered.
    fn of_layouts(layouts: &BTreeMap<String, Layout>, first: &str) -> Self {
        let preferred = layouts.get(first).into_iter();
        let others = layouts.iter().filter(|(id, _)| *id != first).map(|(_, layout)| layout);
        let (mut offered, mut hidden) = (Vec::new(), Vec::new());
        let mut offered_by: HashMap<&str, &str> = HashMap::new();
        for layout in preferred.chain(others) {
            let description = layout.description();
            for format in &description.formats {
                if let Some(earlier) = offered_by.get(format.id.as_str()) {
                    hidden.push(HiddenFormat {
                        format: format.id.clone(),
                        layout: description.id.clone(),
                        offered_by: (*earlier).to_owned(),
                    });
                    continue;
                }
                offered_by.insert(&format.id, &description.id);
                offered.push(OfferedFormat {
                    format: format.clone(),
                    layout: layout.clone(),
                });
            }
        }
        Self {
            offered: offered.into(),
            hidden: hidden.into(),
        }
    }
}

/// The formats of a set of layouts that does not change, with the layout that came first when they were last asked for.
#[derive(Default)]
pub(crate) struct LatestFormats(Mutex<Option<(String, Formats)>>);

impl LatestFormats {
    /// Returns the formats of these layouts, which are always the same. They are listed again only if another layout
    /// comes first.
    pub(crate) fn of_layouts(&self, layouts: &BTreeMap<String, Layout>, first: &str) -> Formats {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((preferred, formats)) = &*latest
            && preferred == first
        {
            return formats.clone();
        }
        let formats = Formats::of_layouts(layouts, first);
        *latest = Some((first.to_owned(), formats.clone()));
        formats
    }
}
