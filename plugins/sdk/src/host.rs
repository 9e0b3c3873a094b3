//! What the server offers to a plugin. In a component these are imports; elsewhere they are the doubles of `testing`.

/// The operator's log, under the plugin's name.
pub mod log {
    pub use crate::bindings::shared::linepress::host::log::Level;

    /// Writes one line. Long lines are cut and floods are dropped.
    pub fn write(level: Level, message: &str) {
        #[cfg(target_family = "wasm")]
        crate::bindings::shared::linepress::host::log::write(level, message);
        #[cfg(not(target_family = "wasm"))]
        crate::testing::write_log(level, message);
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
    /// A JSON object, `{}` when there are none.
    pub fn get() -> String {
        #[cfg(target_family = "wasm")]
        return crate::bindings::shared::linepress::host::config::get();
        #[cfg(not(target_family = "wasm"))]
        return crate::testing::settings_text();
    }
}

/// How far a call is.
pub mod progress {
    /// Tells the server that `done` of `total` steps of this call are finished.
    pub fn report(done: u32, total: u32) {
        #[cfg(target_family = "wasm")]
        crate::bindings::shared::linepress::host::progress::report(done, total);
        #[cfg(not(target_family = "wasm"))]
        crate::testing::record_progress(done, total);
    }
}
