//! File names that are derived from titles.
use crate::text;

/// The name of a downloaded file: in ASCII for every system, and with the title's own letters where they are not ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// ASCII only.
    pub plain: String,
    pub full: Option<String>,
}

/// Longer titles are truncated.
const MAX_TITLE_CHARS: usize = 80;

impl FileName {
    /// The title, or `otherwise` where no letter of the title can be used, followed by `end`.
    pub fn new(title: &str, otherwise: &str, end: &str) -> Self {
        let name = |title: String| match title.trim_end_matches('-') {
            "" => format!("{otherwise}{end}"),
            title => format!("{title}{end}"),
        };
        let full = (!title.is_ascii()).then(|| name(slug(title, |letter| !letter.is_ascii())));
        Self {
            plain: name(slug(title, |_| false)),
            full,
        }
    }
}

/// The title in lower case: its ASCII letters and digits, the letters that `is_kept` accepts, and a hyphen for each run
/// of other characters.
fn slug(title: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut slug = String::new();
    for letter in title.chars().take(MAX_TITLE_CHARS) {
        let is_hidden = letter.is_control() || letter.is_whitespace() || text::is_hidden_control(letter);
        if letter.is_ascii_alphanumeric() || (is_kept(letter) && !is_hidden) {
            slug.extend(letter.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::FileName;

    #[test]
    fn a_plain_name_is_ascii_and_a_full_one_has_the_titles_own_letters() {
        for (title, plain, full) in [
            ("Woodland Friends!", "woodland-friends-a4.pdf", None),
            ("森の仲間", "book-a4.pdf", Some("森の仲間-a4.pdf")),
            ("Bären im Wald", "b-ren-im-wald-a4.pdf", Some("bären-im-wald-a4.pdf")),
            ("../../etc/passwd\"\r\n", "etc-passwd-a4.pdf", None),
            ("fdp\u{202E}4a", "fdp-4a-a4.pdf", Some("fdp-4a-a4.pdf")),
        ] {
            let name = FileName::new(title, "book", "-a4.pdf");
            assert_eq!((name.plain.as_str(), name.full.as_deref()), (plain, full));
        }
    }
}
