//! The style of a cover.

crate::text_enum! {
    /// The style of a cover: black outlines to color, or a finished picture in color like that of a book in a shop.
    #[derive(Default)]
    pub enum CoverStyle {
        #[default]
        LineArt = "line_art",
        /// Drawn in color if one of the server's image providers can; otherwise as line art, which the item of the
        /// operation says in its `note`.
        Color = "color",
    }
}

impl CoverStyle {
    pub fn is_color(self) -> bool {
        self == Self::Color
    }
}
