//! Plugins that a test changes: copies in the place of the links to the assembled ones.
use std::path::PathBuf;

use serde_json::Value;

use super::TestApp;

impl TestApp {
    /// Replaces the link to a plugin with a copy of it, changed as the test wants. Returns its folder. The server loads
    /// it with the next reload.
    pub(crate) fn own_plugin(&self, id: &str, change: impl FnOnce(&PathBuf)) -> PathBuf {
        let link = self.server.config.plugins_dir.join(id);
        let copy = link.with_file_name(format!(".{id}"));
        std::fs::create_dir(&copy).unwrap();
        for file in ["plugin.toml", "plugin.wasm"] {
            std::fs::copy(link.join(file), copy.join(file)).unwrap();
        }
        change(&copy);
        std::fs::remove_file(&link).unwrap();
        std::fs::rename(copy, &link).unwrap();
        link
    }

    /// Replaces a plugin with a copy whose settings this schema describes, and loads it.
    pub(crate) async fn describe_settings(&self, id: &str, schema: &Value) -> PathBuf {
        let folder = self.own_plugin(id, |copy| {
            std::fs::write(copy.join("config.json"), schema.to_string()).unwrap();
        });
        self.server.plugins.reload().await.unwrap();
        folder
    }
}
