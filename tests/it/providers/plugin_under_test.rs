//! A shipped plugin with approval and key, and the server that it calls.
use std::collections::BTreeMap;
use std::sync::Arc;

use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{
    CallError, CharacterSketch, CredentialSource, DialTransport, DrawOptions, DrawRequest, Drawing, Grant, Media,
    PictureToReview, Plan, PlanRequest, Plugins, Preview, PromptToReview, Purpose, Review, Reviewer,
};
use serde_json::Value;

use super::apis::{Api, SECRET};
use super::replies::{PICTURE, Received};
use crate::plugins::folder::Folder;
use crate::test_app::{Page, Web};

pub(super) struct PluginUnderTest {
    api: &'static Api,
    web: Web,
    plugins: Plugins,
    // Deleted when the test ends.
    _folder: Folder,
}

impl PluginUnderTest {
    /// Loads the plugin with the settings of the API.
    pub(super) async fn for_api(api: &'static Api) -> Self {
        Self::with(api, &serde_json::json!({})).await
    }

    /// Loads the plugin with these additional settings.
    pub(super) async fn with(api: &'static Api, more: &Value) -> Self {
        let web = Web::open_for(api.hosts).await;
        let id = format!("linepress.{}", api.plugin);
        let mut folder = Folder::with(&[]);
        let copy = folder.copy_shipped(&id);
        let key = folder.directory.path().join("key");
        std::fs::write(&key, SECRET).unwrap();
        let mut settings = (api.settings)();
        for (name, value) in more.as_object().unwrap() {
            settings[name] = value.clone();
        }
        folder.settings.config.insert(id.clone(), settings);
        let network = &mut folder.settings.network;
        network.transport = Arc::new(DialTransport::new(web.dialer()));
        let sources = BTreeMap::from([(api.key.name.to_owned(), CredentialSource::File(key))]);
        network.credentials.insert(id.clone(), sources);
        let grant = Grant {
            digest: Preview::read(&copy, &folder.settings.config).unwrap().digest,
            origins: api.origins.iter().map(|origin| (*origin).to_owned()).collect(),
            private: Vec::new(),
            permissions: Default::default(),
        };
        network.grants.insert(id, grant);
        let plugins = folder.load().await;
        assert_eq!(plugins.refusals(), []);
        Self {
            api,
            web,
            plugins,
            _folder: folder,
        }
    }

    /// Sets the responses of the API, and deletes the recorded requests.
    pub(super) fn answers(&self, answers: impl IntoIterator<Item = (&'static str, Vec<Page>)>) {
        self.web.clear();
        for (path, pages) in answers {
            self.web.pages(path, pages);
        }
    }

    /// Sets the responses of a successful call, except for these paths.
    pub(super) fn succeeds_but<const COUNT: usize>(&self, answers: [(&'static str, Vec<Page>); COUNT]) {
        self.answers((self.api.success)().into_iter().chain(answers));
    }

    pub(super) async fn draw(&self, references: u8) -> Result<Drawing, CallError> {
        self.draw_from((1..=references).map(reference).collect()).await
    }

    /// Draws a page with one character per picture.
    pub(super) async fn draw_from(&self, references: Vec<Media>) -> Result<Drawing, CallError> {
        let id = format!("linepress.{}", self.api.plugin);
        self.plugins.image_provider(&id).unwrap().draw(page(references)).await
    }

    pub(super) async fn plan(&self) -> Result<Plan, CallError> {
        let planner = self.plugins.planner(&format!("linepress.{}", self.api.plugin)).unwrap();
        planner.plan(book()).await
    }

    fn reviewer(&self) -> Reviewer {
        self.plugins
            .reviewer(&format!("linepress.{}", self.api.plugin))
            .unwrap()
    }

    pub(super) async fn review_prompt(&self) -> Result<Review, CallError> {
        self.reviewer().review_prompt(prompt()).await
    }

    pub(super) async fn review_picture(&self) -> Result<Review, CallError> {
        let picture = PictureToReview {
            prompt: prompt(),
            aspect: Aspect::Portrait,
            image: reference(1),
            is_redrawn: false,
        };
        self.reviewer().review_picture(picture).await
    }

    /// Has the plugin draw, plan or review, according to its kind.
    pub(super) async fn call(&self) -> Result<(), CallError> {
        if self.api.is_planner() {
            self.plan().await.map(|_| ())
        } else if self.api.is_reviewer() {
            self.review_prompt().await.map(|_| ())
        } else {
            self.draw(0).await.map(|_| ())
        }
    }

    /// Returns the requests that the API has received so far.
    pub(super) fn received(&self) -> Vec<Received> {
        self.web
            .requests()
            .iter()
            .map(|request| Received::parse(request))
            .collect()
    }

    /// Returns the method and path of every request so far.
    pub(super) fn lines(&self) -> Vec<String> {
        self.received().iter().map(Received::line).collect()
    }
}

fn prompt() -> PromptToReview {
    PromptToReview {
        purpose: Purpose::Page,
        text: "A fox finds a key in the snow".into(),
        title: "The key".into(),
        audience: Audience::Child,
    }
}

fn page(references: Vec<Media>) -> DrawRequest {
    let character = |(index, reference)| CharacterSketch {
        name: format!("Fox {}", index + 1),
        description: "a small fox with a bell".into(),
        style: String::new(),
        seed: 1,
        reference: Some(reference),
    };
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox finds a key in the snow".into(),
        title: "The key".into(),
        width: 1152,
        height: 1536,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        characters: references.into_iter().enumerate().map(character).collect(),
        source: None,
        seed: 7,
        options: DrawOptions::default(),
    }
}

/// Returns the picture of a character.
pub(super) fn reference(number: u8) -> Media {
    Media {
        media_type: "image/png".into(),
        bytes: [PICTURE, &[number]].concat(),
    }
}

fn book() -> PlanRequest {
    PlanRequest {
        theme: "Foxes in winter".into(),
        page_count: 2,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "pt-BR".into(),
        notes: Some("no snowmen".into()),
        mismatch: None,
        earlier: Vec::new(),
        seed: 7,
    }
}
