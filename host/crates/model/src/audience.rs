//! Who will color the page.

crate::text_enum! {
    /// Who will color the page: it sets the line weight and how much a page may hold.
    #[derive(Default)]
    pub enum Audience {
        Toddler = "toddler",
        #[default]
        Child = "child",
        Teen = "teen",
        Adult = "adult",
    }
}
