//! The title of the next volume of a series.
use linepress_core::series;
use linepress_platform::text::Title;

/// The title of the volume after this one and after all others of its series.
pub(super) fn next_title<'a>(title: &str, others: impl Iterator<Item = &'a str>) -> String {
    let others = others.filter(|other| series::is_same(title, other)).map(series::number);
    let last = others.fold(series::number(title), u32::max);
    let (name, before, after) = series::parse(title).map_or((title.trim(), ", Volume ", ""), |parts| {
        (parts.name, parts.before, parts.after)
    });
    let end = format!("{before}{}{after}", last.saturating_add(1));
    let most = Title::MAX_CHARS.saturating_sub(end.chars().count());
    let name: String = name.chars().take(most).collect();
    format!("{}{end}", name.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_the_next_volume_counts_on() {
        for (title, others, next) in [
            ("Woodland Friends", vec![], "Woodland Friends, Volume 2"),
            ("Woodland Friends, Volume 2", vec![], "Woodland Friends, Volume 3"),
            (
                "Woodland Friends",
                vec!["woodland friends – Vol. 4", "Woods, Volume 9"],
                "Woodland Friends, Volume 5",
            ),
            ("Waldfreunde (Band 9)", vec![], "Waldfreunde (Band 10)"),
            ("Robots Vol. 1", vec![], "Robots Vol. 2"),
            ("Apollo 11", vec![], "Apollo 11, Volume 2"),
            ("Volume 2", vec![], "Volume 2, Volume 2"),
            (
                "99999999999 Volume 99999999999",
                vec![],
                "99999999999 Volume 99999999999, Volume 2",
            ),
        ] {
            assert_eq!(next_title(title, others.into_iter()), next);
        }
        let long = "x".repeat(Title::MAX_CHARS);
        let next = next_title(&long, std::iter::empty());
        assert_eq!(next.chars().count(), Title::MAX_CHARS);
        assert!(next.ends_with("x, Volume 2"), "{next}");
    }
}
