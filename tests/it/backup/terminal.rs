//! An installation at whose terminal commands are typed.
use std::path::Path;
use std::process::{Command, Output};

use super::Site;
use crate::test_app::{ObjectStore, TestApp, binary};

/// An installation at whose terminal commands are typed.
pub(super) struct Terminal<'a> {
    url: &'a str,
    data: &'a Path,
    objects: &'a ObjectStore,
    /// Further settings, as environment variables.
    settings: Vec<(&'static str, String)>,
}

impl<'a> Terminal<'a> {
    pub(super) fn of_app(app: &'a TestApp) -> Self {
        Self {
            url: &app.server.config.database_url,
            data: &app.server.config.data_dir,
            objects: &app.objects,
            settings: Vec::new(),
        }
    }

    pub(super) fn of_site(site: &'a Site) -> Self {
        Self {
            url: &site.url,
            data: &site.folder,
            objects: &site.objects,
            settings: Vec::new(),
        }
    }

    pub(super) fn with_settings(self, settings: Vec<(&'static str, String)>) -> Self {
        Self { settings, ..self }
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.data)
            .env("LINEPRESS_LISTEN", "127.0.0.1:0")
            .env("LINEPRESS_PUBLIC_URL", "http://127.0.0.1:9")
            .env("LINEPRESS_IMAGE_PROVIDERS", "testbed.plain")
            .env("LINEPRESS_DATA_DIR", self.data)
            .env("LINEPRESS_DATABASE_URL", self.url)
            .envs(self.objects.variables())
            .envs(self.settings.iter().cloned());
        command
    }

    pub(super) fn types(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    #[track_caller]
    pub(super) fn reads(&self, arguments: &[&str]) -> String {
        let output = self.types(arguments);
        let text = text_of(&output);
        assert!(output.status.success(), "{arguments:?}: {text}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    pub(super) fn is_refused(&self, arguments: &[&str]) -> String {
        let output = self.types(arguments);
        let text = text_of(&output);
        assert!(!output.status.success(), "{arguments:?}: {text}");
        text
    }
}

fn text_of(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]]
        .map(String::from_utf8_lossy)
        .concat()
}
