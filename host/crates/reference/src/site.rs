//! What the pages show and load beyond the document.

/// The name of the page of all types.
pub(crate) const TYPES: &str = "types";

/// The server whose reference it is.
#[derive(Clone, Debug)]
pub struct Site {
    /// The name of the server.
    pub name: String,
    /// The addresses of the style sheets and of the script.
    pub styles: Vec<String>,
    pub script: String,
    /// The address of the icon.
    pub icon: String,
    /// The address of the server, without a slash at its end.
    pub url: String,
    /// The documents that the server shows as text next to the pages: name and title.
    pub guides: Vec<(&'static str, &'static str)>,
}
