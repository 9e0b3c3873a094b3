//! For whom a book is printed, and what of it.

linepress_model::text_enum! {
    /// Where a book is printed. Each printer has its own page sizes, margins and limits.
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
    /// What is on the backs of the drawings.
    #[derive(Default)]
    pub enum Backs {
        /// Nothing: markers bleed through paper, and a page may be cut out.
        #[default]
        Blank = "blank",
        /// The next drawing, which halves the number of sheets.
        Printed = "printed",
    }
}

linepress_model::text_enum! {
    /// What of a book a file holds.
    pub enum Part {
        /// The pages within the cover, as printers want them.
        Interior = "interior",
        /// One sheet that is wrapped around the book: back, spine and front.
        Cover = "cover",
        /// The whole book in one file, for a printer at home.
        Book = "book",
    }
}

impl Edition {
    /// What to call the printer.
    pub fn name(self) -> &'static str {
        match self {
            Self::Home => "a printer at home",
            Self::Kdp => "Amazon KDP",
            Self::Lulu => "Lulu",
        }
    }

    /// What of a book is printed when nobody says.
    pub fn usual_part(self) -> Part {
        match self {
            Self::Home => Part::Book,
            Self::Kdp | Self::Lulu => Part::Interior,
        }
    }
}
