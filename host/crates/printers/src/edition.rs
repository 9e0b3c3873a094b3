//! The printer of a book, the backs of its drawings, and the part of it that a file contains.

linepress_model::text_enum! {
    /// The printer that a book is made for. Each printer has its own page sizes, margins and limits.
    #[derive(Default)]
    pub enum Edition {
        /// A printer at home or in a copy shop.
        #[default]
        Home = "home",
        /// Amazon KDP, as a paperback with a black and white interior.
        Kdp = "kdp",
        /// Lulu, as a paperback with a black and white interior.
        Lulu = "lulu",
    }
}

linepress_model::text_enum! {
    /// The backs of the drawings.
    #[derive(Default)]
    pub enum Backs {
        /// The backs are blank: markers bleed through paper, and a reader may cut out a page.
        #[default]
        Blank = "blank",
        /// The next drawing is on the back, which halves the number of sheets.
        Printed = "printed",
    }
}

linepress_model::text_enum! {
    /// The part of a book that a file contains.
    pub enum Part {
        /// The pages inside the cover, in the form that printing services require.
        Interior = "interior",
        /// A single sheet that is wrapped around the book: back, spine and front.
        Cover = "cover",
        /// The whole book in one file, for a printer at home.
        Book = "book",
    }
}

impl Edition {
    /// The printer's name, as it appears in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Home => "a printer at home",
            Self::Kdp => "Amazon KDP",
            Self::Lulu => "Lulu",
        }
    }

    /// The part of a book that is printed when the caller chooses none.
    pub fn usual_part(self) -> Part {
        match self {
            Self::Home => Part::Book,
            Self::Kdp | Self::Lulu => Part::Interior,
        }
    }
}
