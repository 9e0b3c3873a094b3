//! The appearance of the web pages: name, logo and accent color of the server, as its operator sets them.
mod accent;
mod color;
mod logo;
mod settings;

pub use accent::{Accent, Shade};
pub use color::Color;
pub use logo::{Logo, LogoError};
pub use settings::{AppearanceSettings, PRODUCT_NAME};
