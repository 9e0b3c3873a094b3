//! The views whose pages are kept, so that a designer can switch between them at once.
use super::view::{Shown, ShownPage, View};

/// The maximum number of views.
const MAX_KEPT_VIEWS: usize = 12;

/// The pages of the views that were shown last.
#[derive(Default)]
pub(super) struct KeptViews {
    /// The least recently shown view first.
    views: Vec<(View, Shown)>,
}

impl KeptViews {
    /// The pages of a view, which thereby becomes the most recently shown one.
    pub(super) fn show(&mut self, view: &View) -> Option<Shown> {
        let place = self.views.iter().position(|(kept, _)| kept == view)?;
        self.views[place..].rotate_left(1);
        self.views.last().map(|(_, shown)| shown.clone())
    }

    /// Keeps the pages of a view, which becomes the most recently shown one. If there are too many, the least recently
    /// shown view is removed.
    pub(super) fn keep(&mut self, view: &View, shown: &Shown) {
        self.views.retain(|(kept, _)| kept != view);
        if self.views.len() == MAX_KEPT_VIEWS {
            self.views.remove(0);
        }
        self.views.push((view.clone(), shown.clone()));
    }

    /// The pages of all views.
    pub(super) fn pages(&self) -> impl Iterator<Item = &ShownPage> {
        self.views.iter().flat_map(|(_, shown)| &shown.pages)
    }
}

#[cfg(test)]
mod tests {
    use linepress_printers::{Backs, Edition, Part};

    use super::*;

    fn view(number: usize) -> View {
        View {
            format: format!("format_{number}"),
            edition: Edition::Home,
            part: Part::Book,
            backs: Backs::Blank,
            sample: String::new(),
            drawings: None,
        }
    }

    #[test]
    fn only_the_least_recently_shown_view_makes_room_for_another_one() {
        let mut kept = KeptViews::default();
        let shown = |version: u64| Shown {
            version,
            ..Shown::default()
        };
        for number in 0..MAX_KEPT_VIEWS {
            kept.keep(&view(number), &shown(1));
        }
        assert!(kept.show(&view(0)).is_some());
        // A new version of a view takes the place of the old one.
        kept.keep(&view(1), &shown(2));
        kept.keep(&view(MAX_KEPT_VIEWS), &shown(1));
        let versions: Vec<Option<u64>> = (0..=MAX_KEPT_VIEWS)
            .map(|number| kept.show(&view(number)).map(|shown| shown.version))
            .collect();
        let mut expected = vec![Some(1); MAX_KEPT_VIEWS + 1];
        (expected[1], expected[2]) = (Some(2), None);
        assert_eq!(versions, expected);
    }
}
