//! The brightness of colors as people see it.

/// The [relative luminance] of an sRGB color (red, green, blue), from 0 to 1.
///
/// [relative luminance]: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
pub fn relative_luminance(color: [u8; 3]) -> f64 {
    let [red, green, blue] = color.map(|value| {
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}
