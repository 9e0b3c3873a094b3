//! Series: books whose titles differ only in the number of their volume, such as "Woodland Friends" and "Woodland
//! Friends, Volume 2".
use linepress_plugin_host::EarlierPage;

/// The words that come before the number of a volume in a title.
const VOLUME_WORDS: [&str; 10] = [
    "volume", "vol.", "vol", "book", "part", "band", "teil", "tome", "tomo", "volumen",
];

/// A volume of a series, as far as a plan of the next one needs it.
#[derive(Clone, Debug)]
pub struct Volume {
    pub title: String,
    pub pages: Vec<EarlierPage>,
}

/// The parts of a title that ends with the number of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeTitle<'a> {
    /// The name of the series.
    pub name: &'a str,
    /// The text between the name and the number, such as ", Volume ".
    pub before: &'a str,
    pub number: u32,
    /// The text after the number, such as ")".
    pub after: &'a str,
}

/// Reads the number of the volume at the end of a title. None if it has none.
pub fn parse(title: &str) -> Option<VolumeTitle<'_>> {
    let end = title.trim_end_matches([' ', ')', ']', '.']);
    let start = end.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = end[start.len()..].parse().ok()?;
    let with_word = start.trim_end();
    let word_start = with_word.rfind(' ').map_or(0, |space| space + 1);
    let word = with_word[word_start..].trim_start_matches(['(', '[']).to_lowercase();
    if !VOLUME_WORDS.contains(&word.as_str()) {
        return None;
    }
    let name = title[..word_start].trim_end_matches([' ', ',', '-', '–', '—', ':', ';', '(', '[']);
    (!name.is_empty()).then_some(VolumeTitle {
        name,
        before: &title[name.len()..start.len()],
        number,
        after: &title[end.len()..],
    })
}

/// The name of the series that a book with this title belongs to, or begins.
pub fn name(title: &str) -> &str {
    parse(title).map_or(title.trim(), |parts| parts.name)
}

/// The number of the volume with this title. A title without a number is that of the first volume.
pub fn number(title: &str) -> u32 {
    parse(title).map_or(1, |parts| parts.number)
}

/// Returns true if books with these titles are of one series.
pub fn is_same(one: &str, other: &str) -> bool {
    name(one).to_lowercase() == name(other).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volumes_of_a_series_have_the_same_name_and_a_number() {
        for (title, series, volume) in [
            ("Woodland Friends", "Woodland Friends", 1),
            ("Woodland Friends, Volume 2", "Woodland Friends", 2),
            ("woodland friends – Vol. 4", "woodland friends", 4),
            ("Waldfreunde (Band 9)", "Waldfreunde", 9),
            ("Apollo 11", "Apollo 11", 1),
            ("Volume 2", "Volume 2", 1),
        ] {
            assert_eq!((name(title), number(title)), (series, volume));
        }
        assert!(is_same("Woodland Friends", "woodland friends – Vol. 4"));
        assert!(!is_same("Woodland Friends", "Woods, Volume 9"));
    }
}
