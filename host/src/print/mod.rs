//! Formats, layouts and Typst: from artwork to a print-ready PDF.
