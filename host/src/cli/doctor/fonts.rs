//! Checks of the fonts: the alphabets in which books can be printed.
use std::path::Path;

use linepress_platform::app::App;
use linepress_plugin_host::Layout;
use linepress_terminal::Report;

/// Alphabets with sample words: the alphabets that are most likely to be asked for.
const ALPHABETS: [(&str, &str); 18] = [
    ("Greek", "Ελληνικά"),
    ("Cyrillic", "Русский Українська"),
    ("Hebrew", "עברית"),
    ("Arabic", "العربية فارسی اردو"),
    ("Hindi", "हिन्दी"),
    ("Thai", "ภาษาไทย"),
    ("Chinese", "中文 繁體"),
    ("Japanese", "日本語 ひらがな カタカナ"),
    ("Korean", "한국어"),
    ("Bengali", "বাংলা"),
    ("Tamil", "தமிழ்"),
    ("Telugu", "తెలుగు"),
    ("Gujarati", "ગુજરાતી"),
    ("Punjabi", "ਪੰਜਾਬੀ"),
    ("Khmer", "ភាសាខ្មែរ"),
    ("Burmese", "မြန်မာ"),
    ("Georgian", "ქართული"),
    ("Amharic", "አማርኛ"),
];

pub(super) fn check(app: &App, report: &mut Report) {
    for layout in app.plugins.layouts() {
        let what = format!("fonts of {}", layout.description().id);
        match alphabets(app, &layout) {
            Ok((printed, missing)) => {
                report.good(&what, &printed.join(", "));
                if !missing.is_empty() {
                    let folders = app
                        .config
                        .font_folders
                        .iter()
                        .map(|folder| folder.display().to_string());
                    let folders: Vec<String> = folders.collect();
                    report.note(
                        &what,
                        &format!(
                            "no font for {}: books in them cannot be printed. Install Debian's packages fonts-noto-core and \
                             fonts-noto-cjk, or put fonts into a folder of `font_folders` ({}).",
                            missing.join(", "),
                            folders.join(", ")
                        ),
                    );
                }
            }
            Err(error) => report.bad(&what, &error.to_string(), "Fix the layout plugin's templates folder."),
        }
    }
}

/// The alphabets that can be printed, with the font if it does not belong to the layout, and those that cannot.
fn alphabets(app: &App, layout: &Layout) -> Result<(Vec<String>, Vec<&'static str>), linepress_print::PrintError> {
    let (mut printed, mut missing) = (Vec::new(), Vec::new());
    for (alphabet, words) in ALPHABETS {
        let found = app
            .renderer
            .fonts()
            .supplement(layout.templates(), [words].into_iter())?;
        let font = found
            .faces
            .first()
            .and_then(|face| face.file.file_name())
            .map(Path::new);
        match font {
            _ if !found.missing.is_empty() => missing.push(alphabet),
            Some(font) => printed.push(format!("{alphabet} ({})", font.display())),
            None => printed.push(alphabet.to_owned()),
        }
    }
    Ok((printed, missing))
}
