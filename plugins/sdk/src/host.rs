//! Functions that the server offers to a plugin. In a component they are imports; in native builds they are the doubles
//! of `testing`.

/// The operator's log, under the plugin's name.
pub mod log {
    pub use crate::bindings::shared::linepress::host::log::Level;

    /// Writes one line. The server cuts long lines, and drops lines beyond a limit per call.
    pub fn write(level: Level, message: &str) {
        #[cfg(target_family = "wasm")]
        crate::bindings::shared::linepress::host::log::write(level, message);
        #[cfg(not(target_family = "wasm"))]
        crate::doubles::write_log(level, message);
    }

    pub fn debug(message: &str) {
        write(Level::Debug, message);
    }

    pub fn info(message: &str) {
        write(Level::Info, message);
    }

    pub fn warn(message: &str) {
        write(Level::Warn, message);
    }

    pub fn error(message: &str) {
        write(Level::Error, message);
    }
}

/// The plugin's settings.
pub mod config {
    /// Returns the settings as the text of a JSON object, `{}` if there are none.
    pub fn get() -> String {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::config::get();
        #[cfg(not(target_family = "wasm"))]
        return crate::doubles::settings_text();
    }
}

/// The progress of a call.
pub mod progress {
    /// Reports that `done` of `total` steps of this call are finished.
    pub fn report(done: u32, total: u32) {
        #[cfg(target_family = "wasm")]
        crate::bindings::shared::linepress::host::progress::report(done, total);
        #[cfg(not(target_family = "wasm"))]
        crate::doubles::record_progress(done, total);
    }
}
