//! A separate plugin folder for each test, copied from the assembled testbed.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linepress_egress::Dialer;
use linepress_metrics::PluginMetrics;
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{
    CallError, CompileLimits, DialTransport, DrawOptions, DrawRequest, Drawing, MaxConcurrentCalls, Network,
    PlanRequest, PluginSettings, Plugins, Purpose,
};
use tempfile::TempDir;

use crate::test_app::{binary, from_environment};

pub(crate) struct Folder {
    pub(crate) directory: TempDir,
    pub(crate) settings: PluginSettings,
}

impl Folder {
    /// Copies these plugins of the testbed. All tests share one cache of compiled code unless they set another.
    pub(crate) fn with(names: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let settings = PluginSettings {
            directory: directory.path().join("plugins"),
            bundled: None,
            cache_directory: Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-plugins"),
            program: binary(),
            compile_limits: CompileLimits::default(),
            max_concurrent_calls: MaxConcurrentCalls {
                image_providers: 4,
                planners: 2,
                layouts: 2,
                reviewers: 2,
            },
            max_responses_mib: 512,
            config: BTreeMap::new(),
            network: Network {
                transport: Arc::new(DialTransport::new(Dialer::system(Vec::new()))),
                grants: BTreeMap::new(),
                credentials: BTreeMap::new(),
            },
            template_trial: None,
            metrics: PluginMetrics::default(),
            calls: None,
            store: None,
        };
        std::fs::create_dir(&settings.directory).unwrap();
        let folder = Self { directory, settings };
        for name in names {
            folder.copy(name, name);
        }
        folder
    }

    /// Copies the plugin `testbed.<name>` to a folder with another name.
    pub(super) fn copy(&self, name: &str, folder: &str) -> PathBuf {
        self.copy_from(
            &from_environment("LINEPRESS_TEST_TESTBED").join(format!("testbed.{name}")),
            folder,
        )
    }

    /// Copies a shipped plugin that requests network access, under its id.
    pub(crate) fn copy_shipped(&self, id: &str) -> PathBuf {
        self.copy_from(&from_environment("LINEPRESS_TEST_NETWORK_PLUGINS").join(id), id)
    }

    /// Copies a shipped plugin that needs no approval, under its id.
    pub(super) fn copy_offline(&self, id: &str) -> PathBuf {
        self.copy_from(&from_environment("LINEPRESS_TEST_PLUGINS").join(id), id)
    }

    fn copy_from(&self, from: &Path, folder: &str) -> PathBuf {
        let to = self.settings.directory.join(folder);
        std::fs::create_dir(&to).unwrap();
        for file in ["plugin.toml", "plugin.wasm"] {
            std::fs::copy(from.join(file), to.join(file)).unwrap();
        }
        to
    }

    /// Changes a plugin's manifest, which must contain the text `from`.
    pub(super) fn rewrite(&self, folder: &str, from: &str, to: &str) {
        let manifest = self.settings.directory.join(folder).join("plugin.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(manifest, text.replace(from, to)).unwrap();
    }

    /// Replaces the component in a folder, and its digest in the manifest.
    pub(super) async fn exchange(&self, folder: &str, wasm: &[u8]) {
        std::fs::write(self.settings.directory.join(folder).join("plugin.wasm"), wasm).unwrap();
        let refusal = self.refusal().await;
        let digests: Vec<_> = refusal
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .filter(|word| word.len() == 64)
            .collect();
        let [found, stated] = digests[..] else {
            panic!("{refusal}")
        };
        self.rewrite(folder, stated, found);
    }

    pub(super) fn configure(mut self, name: &str, settings: serde_json::Value) -> Self {
        self.settings.config.insert(format!("testbed.{name}"), settings);
        self
    }

    pub(crate) async fn load(&self) -> Plugins {
        Plugins::load(self.settings.clone()).await.unwrap()
    }

    /// Returns the reason for the only refusal.
    pub(super) async fn refusal(&self) -> String {
        let plugins = self.load().await;
        let [refusal] = &plugins.refusals()[..] else {
            panic!("one refusal expected: {:?}", plugins.refusals())
        };
        assert!(refusal.folder.starts_with(&self.settings.directory));
        refusal.reason.clone()
    }
}

fn fox(seed: u64) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox in the snow".into(),
        title: "Fox".into(),
        width: 1152,
        height: 1536,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        characters: Vec::new(),
        source: None,
        seed,
        options: DrawOptions::default(),
    }
}

/// Has the plugin `testbed.<name>` draw a fox.
pub(super) async fn draw(plugins: &Plugins, name: &str, seed: u64) -> Result<Drawing, CallError> {
    plugins
        .image_provider(&format!("testbed.{name}"))
        .unwrap()
        .draw(fox(seed))
        .await
}

pub(super) fn woods(theme: &str, page_count: u32) -> PlanRequest {
    PlanRequest {
        theme: theme.into(),
        page_count,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "en".into(),
        notes: None,
        seed: 1,
        mismatch: None,
        earlier: Vec::new(),
    }
}
