//! The requests with which a plugin is checked, like those of a server.
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{
    CallError, CharacterSketch, DrawOptions, DrawRequest, LayoutBook, LayoutDrawing, Media, PlanRequest,
    PromptToReview, Purpose,
};

use crate::workbench::Plugin;

/// Makes one ordinary call. An image provider gets `source` as the picture to draw from.
pub(super) async fn once(plugin: &Plugin, source: Option<&Media>) -> Result<(), CallError> {
    match plugin {
        Plugin::ImageProvider(provider) => {
            let aspect = provider.description().aspects[0];
            provider.draw(fox(aspect, Audience::Child, 1, source)).await.map(drop)
        }
        Plugin::Planner(planner) => planner.plan(woods(3, 1)).await.map(drop),
        Plugin::Layout(layout) => {
            let format = &layout.description().formats[0];
            layout.lay_out(book(3, format.aspect), &format.id).await.map(drop)
        }
        Plugin::Reviewer(reviewer) => reviewer.review_prompt(fox_to_review()).await.map(drop),
    }
}

pub(super) fn fox(aspect: Aspect, audience: Audience, seed: u64, source: Option<&Media>) -> DrawRequest {
    let (width, height) = aspect.recommended_pixels();
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox builds a snowman in front of a hut in the woods".into(),
        title: "Fox".into(),
        width,
        height,
        aspect,
        audience,
        characters: Vec::new(),
        source: source.cloned(),
        seed,
        options: DrawOptions::default(),
    }
}

/// An ordinary prompt, which a reviewer should pass.
pub(super) fn fox_to_review() -> PromptToReview {
    let DrawRequest {
        purpose,
        prompt,
        title,
        audience,
        ..
    } = fox(Aspect::Portrait, Audience::Child, 1, None);
    PromptToReview {
        purpose,
        text: prompt,
        title,
        audience,
    }
}

pub(super) fn character(number: u64, reference: Option<Media>) -> CharacterSketch {
    CharacterSketch {
        name: format!("Mira {number}"),
        description: "A girl with curly hair and a striped scarf".into(),
        style: "simple".into(),
        seed: number,
        reference,
    }
}

pub(super) fn woods(page_count: u32, seed: u64) -> PlanRequest {
    PlanRequest {
        theme: "A year in the woods".into(),
        page_count,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "en".into(),
        notes: None,
        mismatch: None,
        earlier: Vec::new(),
        seed,
    }
}

pub(super) fn book(drawings: usize, aspect: Aspect) -> LayoutBook {
    let drawing = |number| LayoutDrawing {
        title: format!("Drawing {number}"),
        caption: String::new(),
    };
    LayoutBook {
        title: "A year in the woods".into(),
        subtitle: String::new(),
        author: "Ada".into(),
        description: String::new(),
        audience: Audience::Child,
        aspect,
        has_cover: true,
        drawings: (0..drawings).map(drawing).collect(),
        language: "en".into(),
        extra: Vec::new(),
    }
}
