//! Checks of a layout's print formats that need no typesetting.
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Component, Path};

use linepress_model::PrintFormat;

use crate::description::{check_label, is_word};
use crate::log_text::excerpt;

const MAX_FORMATS: usize = 64;

/// Trim widths and heights in µm: 50 mm (a booklet) to 1 m (a poster).
pub(super) const TRIM_UM: RangeInclusive<u32> = 50_000..=1_000_000;
/// Bleed in µm. Printers ask for 3 to 5 mm.
pub(super) const BLEED_UM: RangeInclusive<u32> = 0..=25_000;
/// Recommended width and height of a page's picture in pixels.
const RECOMMENDED_PIXELS: RangeInclusive<u32> = 64..=10_000;

/// Checks the number of formats, and the id, name, sizes and template of each.
pub(super) fn check_formats(formats: &[PrintFormat], templates: &Path) -> Result<(), String> {
    check_descriptions(formats)?;
    check_templates(formats, templates)
}

/// Checks the number of formats, and the id, name and sizes of each.
pub(super) fn check_descriptions(formats: &[PrintFormat]) -> Result<(), String> {
    if formats.is_empty() {
        return Err("it has no print format: a layout needs at least one".into());
    }
    if formats.len() > MAX_FORMATS {
        return Err(format!(
            "it has {} print formats, but a layout can have at most {MAX_FORMATS}",
            formats.len()
        ));
    }
    let mut seen = BTreeSet::new();
    for format in formats {
        let id = &format.id;
        if !is_word(id, '_') {
            return Err(format!(
                "its format {:?} needs an id of lowercase letters, digits and underscores",
                excerpt(id.clone(), 100)
            ));
        }
        check_label(&format!("the name of its format {id}"), &format.name)?;
        if !seen.insert(id) {
            return Err(format!("it has two formats named {id}"));
        }
        check_sizes(format).map_err(|reason| format!("its format {id} {reason}"))?;
    }
    Ok(())
}

/// Checks that each format has its template.
pub(super) fn check_templates(formats: &[PrintFormat], templates: &Path) -> Result<(), String> {
    for PrintFormat { id, template, .. } in formats {
        check_template(template, templates).map_err(|reason| format!("its format {id} {reason}"))?;
    }
    Ok(())
}

fn check_sizes(format: &PrintFormat) -> Result<(), String> {
    for (what, found, allowed, unit) in [
        ("a trim width", format.trim_width_um, TRIM_UM, "µm"),
        ("a trim height", format.trim_height_um, TRIM_UM, "µm"),
        ("a bleed", format.bleed_um, BLEED_UM, "µm"),
        (
            "a recommended width",
            format.recommended_width,
            RECOMMENDED_PIXELS,
            "pixels",
        ),
        (
            "a recommended height",
            format.recommended_height,
            RECOMMENDED_PIXELS,
            "pixels",
        ),
    ] {
        if !allowed.contains(&found) {
            let (min, max) = allowed.into_inner();
            return Err(format!("has {what} of {found} {unit}; it must be {min} to {max}"));
        }
    }
    Ok(())
}

/// Checks that a template is a regular file inside the templates folder, even after symbolic links are resolved.
fn check_template(template: &str, templates: &Path) -> Result<(), String> {
    let quoted = excerpt(template.to_owned(), 100);
    let is_plain = Path::new(template)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !is_plain || !template.ends_with(".typ") {
        return Err(format!(
            "names the template {quoted:?}; it must be a .typ file inside templates"
        ));
    }
    let found = templates.join(template).canonicalize();
    let inside = templates.canonicalize();
    match (found, inside) {
        (Ok(found), Ok(inside)) if found.is_file() && found.starts_with(&inside) => Ok(()),
        _ => Err(format!("names the template {quoted:?}, which is not in templates")),
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::{Aspect, FormatMargins};

    use super::*;

    fn format(id: &str, template: &str) -> PrintFormat {
        PrintFormat {
            id: id.into(),
            name: "US Letter".into(),
            aspect: Aspect::Portrait,
            trim_width_um: 215_900,
            trim_height_um: 279_400,
            bleed_um: 0,
            margins: FormatMargins::default(),
            recommended_width: 1152,
            recommended_height: 1536,
            template: template.into(),
        }
    }

    #[test]
    fn every_format_needs_its_template_inside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let templates = folder.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("letter.typ"), "").unwrap();
        std::fs::write(folder.path().join("outside.typ"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("outside.typ"), templates.join("link.typ")).unwrap();

        let check = |template: &str| check_formats(&[format("us_letter", template)], &templates);
        assert_eq!(check("letter.typ"), Ok(()));
        for trick in [
            "missing.typ",
            "../outside.typ",
            "link.typ",
            "/etc/passwd",
            "",
            "letter.txt",
        ] {
            assert!(check(trick).unwrap_err().contains("us_letter"), "{trick:?}");
        }
    }

    #[test]
    fn formats_have_different_ids_and_nonzero_sizes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.typ"), "").unwrap();
        let two = [format("a4", "a.typ"), format("a4", "a.typ")];
        assert_eq!(
            check_formats(&two, folder.path()),
            Err("it has two formats named a4".into())
        );
        let flat = PrintFormat {
            trim_height_um: 0,
            ..format("a4", "a.typ")
        };
        assert!(check_formats(&[flat], folder.path()).unwrap_err().contains("of 0 µm"));
        assert!(check_formats(&[format("US Letter", "a.typ")], folder.path()).is_err());
        assert!(check_formats(&[], folder.path()).is_err());
    }

    #[test]
    fn formats_are_bounded_in_number_and_size() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.typ"), "").unwrap();
        let check = |formats: &[PrintFormat]| check_formats(formats, folder.path());
        let many: Vec<_> = (0..65).map(|number| format(&format!("a{number}"), "a.typ")).collect();
        assert_eq!(check(&many[..64]), Ok(()));
        assert!(
            check(&many)
                .unwrap_err()
                .contains("65 print formats, but a layout can have at most 64")
        );
        let wide = PrintFormat {
            trim_width_um: 4_290_000_000,
            ..format("wide", "a.typ")
        };
        assert_eq!(
            check(&[wide]),
            Err("its format wide has a trim width of 4290000000 µm; it must be 50000 to 1000000".into())
        );
        let bled = PrintFormat {
            bleed_um: 25_001,
            ..format("bled", "a.typ")
        };
        assert!(
            check(&[bled])
                .unwrap_err()
                .contains("a bleed of 25001 µm; it must be 0 to 25000")
        );
        let sharp = PrintFormat {
            recommended_height: u32::MAX,
            ..format("sharp", "a.typ")
        };
        assert!(check(&[sharp]).unwrap_err().contains("it must be 64 to 10000"));
    }
}
