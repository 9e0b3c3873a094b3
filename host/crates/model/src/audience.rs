//! The audience of a page.

crate::text_enum! {
    /// The people who will color the page. The audience determines the line weight and the amount of detail.
    #[derive(Default)]
    pub enum Audience {
        Toddler = "toddler",
        #[default]
        Child = "child",
        Teen = "teen",
        Adult = "adult",
    }
}
