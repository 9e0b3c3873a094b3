//! The form above a list, with which it is searched, filtered and sorted, and the links that select several of its
//! items.
use linepress_model::Aspect;
use url::form_urlencoded;

use super::books::ListQuery;
use super::choices::{self, Choice};
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_core::search::{ListSort, Search};
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::text::SearchQuery;

/// The words for a status in a list.
pub(super) trait StatusWords: Copy + 'static {
    const ALL: &'static [Self];
    fn value(self) -> &'static str;
    fn label(self) -> &'static str;
}

impl StatusWords for BookStatus {
    const ALL: &'static [Self] = BookStatus::ALL;

    fn value(self) -> &'static str {
        self.as_str()
    }

    fn label(self) -> &'static str {
        match self {
            Self::Generating => "Being drawn",
            Self::Ready => "Ready to print",
            Self::Incomplete => "With missing pages",
        }
    }
}

impl StatusWords for Status {
    const ALL: &'static [Self] = Status::ALL;

    fn value(self) -> &'static str {
        self.as_str()
    }

    fn label(self) -> &'static str {
        match self {
            Self::Generating => "Being drawn",
            Self::Ready => "Drawn",
            Self::Failed => "Could not be drawn",
        }
    }
}

/// The form above a list.
pub(super) struct SearchBar {
    pub path: &'static str,
    pub query: String,
    pub statuses: Vec<Choice>,
    /// Empty if the items have no shapes.
    pub aspects: Vec<Choice>,
    pub sorts: Vec<Choice>,
    /// True if it does not show everything, the newest first.
    pub is_active: bool,
    /// True if items can be selected.
    pub is_selecting: bool,
    /// The address of this search: with the parameter that selects items, and without it.
    pub select_address: String,
    pub address: String,
}

impl SearchBar {
    pub(super) const MAX_QUERY_CHARS: usize = SearchQuery::MAX_CHARS;

    /// The form as the address asks for it, and the search that it stands for. Values that an old bookmark may contain
    /// are ignored.
    pub(super) fn read<S: StatusWords>(path: &'static str, query: &ListQuery, has_aspects: bool) -> (Self, Search<S>) {
        let given = |text: &Option<String>| text.clone().unwrap_or_default();
        let (status, aspect, sort) = (given(&query.status), given(&query.aspect), given(&query.sort));
        let words: String = given(&query.q).trim().chars().take(Self::MAX_QUERY_CHARS).collect();
        let search = Search::new(
            &words,
            S::ALL.iter().copied().find(|known| known.value() == status),
            Aspect::parse(&aspect).filter(|_| has_aspects),
            ListSort::parse(&sort).unwrap_or_default(),
        );
        let statuses = S::ALL.iter().map(|known| Choice {
            value: known.value(),
            label: known.label(),
            chosen: known.value() == status,
        });
        let mut parameters = form_urlencoded::Serializer::new(String::new());
        let mut is_active = false;
        for (name, value) in [
            ("q", words.as_str()),
            ("status", search.status.map(StatusWords::value).unwrap_or_default()),
            ("aspect", search.aspect.map(Aspect::as_str).unwrap_or_default()),
            (
                "sort",
                Some(search.sort)
                    .filter(|sort| *sort != ListSort::Newest)
                    .map(ListSort::as_str)
                    .unwrap_or_default(),
            ),
        ] {
            if !value.is_empty() {
                parameters.append_pair(name, value);
                is_active = true;
            }
        }
        let parameters = parameters.finish();
        let address = match parameters.is_empty() {
            true => path.to_owned(),
            false => format!("{path}?{parameters}"),
        };
        let bar = Self {
            path,
            query: words,
            statuses: statuses.collect(),
            aspects: if has_aspects {
                choices::aspects(&aspect)
            } else {
                Vec::new()
            },
            sorts: sorts(search.sort),
            is_active,
            is_selecting: query.select.is_some(),
            select_address: format!("{address}{}select=yes", if is_active { "&" } else { "?" }),
            address,
        };
        (bar, search)
    }

    /// The address of the list as it is shown, to which the cursor of the next part is added.
    pub(super) fn shown(&self) -> &str {
        if self.is_selecting {
            &self.select_address
        } else {
            &self.address
        }
    }
}

/// Returns None if the cursor belongs to the list in another order, as one from an old bookmark may.
pub(super) fn unless_stale<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind, ErrorKind::InvalidPagination(_)) => Ok(None),
        found => found.map(Some),
    }
}

fn sorts(chosen: ListSort) -> Vec<Choice> {
    let choice = |sort: &ListSort| Choice {
        value: sort.as_str(),
        label: match sort {
            ListSort::Newest => "Newest first",
            ListSort::Title => "A to Z",
            ListSort::Changed => "Last changed first",
        },
        chosen: *sort == chosen,
    };
    ListSort::ALL.iter().map(choice).collect()
}
