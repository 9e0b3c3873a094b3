//! Both versions of the contract, next to each other.
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, Look};
use linepress_plugin_host::{
    CallError, Change, DrawOptions, DrawRequest, Drawing, ImageProvider, Media, PictureDescription, PictureToDescribe,
    PictureToReview, PromptToReview, Purpose, Reviewer, Verdict,
};
use serde_json::{Value, json};

use super::folder::Folder;
use crate::test_app::{Actor, TestApp};
use crate::testing;

fn prompt(text: &str) -> PromptToReview {
    PromptToReview {
        purpose: Purpose::Page,
        text: text.into(),
        title: "Fox".into(),
        audience: Audience::Child,
    }
}

fn image() -> Media {
    Media {
        media_type: "image/png".into(),
        bytes: b"\x89PNG\r\n\x1a\n".to_vec(),
    }
}

async fn reviewer(name: &str) -> Reviewer {
    let plugins = Folder::with(&[name]).load().await;
    assert_eq!(plugins.refusals(), []);
    plugins.reviewer(&format!("testbed.{name}")).unwrap()
}

async fn described(reviewer: &Reviewer, title: &str) -> Result<PictureDescription, CallError> {
    let finished = PictureToDescribe {
        purpose: Purpose::Page,
        title: title.into(),
        audience: Audience::Child,
        aspect: Aspect::Portrait,
        image: image(),
        language: "de".into(),
    };
    reviewer.describe_picture(finished).await
}

#[tokio::test]
async fn the_version_of_a_component_is_in_its_world() {
    let folder = Folder::with(&["critic", "narrator"]);
    folder.copy_offline("linepress.sketchbook");
    let plugins = folder.load().await;
    let mut worlds: Vec<_> = plugins
        .installed()
        .into_iter()
        .filter_map(|installed| Some((installed.id?, installed.serving?.world)))
        .collect();
    worlds.sort_unstable();
    let expected = [
        ("linepress.sketchbook", "linepress:image/image-provider@1"),
        ("testbed.critic", "linepress:review/reviewer@0.1"),
        ("testbed.narrator", "linepress:review/reviewer@1"),
    ];
    assert_eq!(worlds, expected.map(|(id, world)| (id.to_owned(), world.to_owned())));
}

#[tokio::test]
async fn a_manifest_must_name_the_version_of_its_component() {
    for (name, from, to) in [("narrator", "@1", "@0.1"), ("critic", "@0.1", "@1")] {
        let folder = Folder::with(&[name]);
        folder.rewrite(name, &format!("reviewer{from}"), &format!("reviewer{to}"));
        assert_eq!(
            folder.refusal().await,
            format!(
                "its manifest names the world linepress:review/reviewer{to}, but its component implements \
                 linepress:review/reviewer{from}: write `world = \"linepress:review/reviewer{from}\"` in plugin.toml"
            )
        );
    }
}

#[tokio::test]
async fn a_reviewer_of_version_1_judges_and_describes() {
    let narrator = reviewer("narrator").await;
    assert!(narrator.description().describes_pictures);
    let review = narrator.review_prompt(prompt("A fox")).await.unwrap();
    assert_eq!((review.verdict, review.cost_microdollars), (Verdict::Pass, Some(2_000)));
    assert_eq!(review.model.as_deref(), Some("eye-2"));
    let refused = narrator.review_prompt(prompt("A forbidden fox")).await.unwrap();
    assert_eq!(refused.verdict, Verdict::Refuse(Some("Not here.".into())));
    let verdict = async |is_redrawn| {
        let picture = PictureToReview {
            prompt: prompt("A wonky fox"),
            aspect: Aspect::Portrait,
            image: image(),
            is_redrawn,
        };
        narrator.review_picture(picture).await.unwrap().verdict
    };
    assert_eq!(verdict(false).await, Verdict::Redraw("Fewer legs.".into()));
    assert_eq!(verdict(true).await, Verdict::Pass);

    let description = described(&narrator, "A fox\nin the snow").await.unwrap();
    assert_eq!(description.alternative_text, "de: A fox in the snow");
    assert_eq!(description.caption.as_deref(), Some("A fox in the snow"));
    assert_eq!(description.cost_microdollars, Some(3_000));
    let dear = described(&narrator, "A dear fox").await.unwrap();
    assert_eq!(dear.cost_microdollars, None);
    assert!(matches!(
        described(&narrator, "A mute fox").await,
        Err(CallError::InvalidResponse(_))
    ));
    assert_eq!(
        described(&narrator, "A speechless fox").await,
        Err(CallError::Unavailable("no words".into()))
    );
    assert_eq!(
        described(&narrator, "A hurried fox").await,
        Err(CallError::RateLimited(Some(Duration::from_secs(7))))
    );
}

#[tokio::test]
async fn a_reviewer_of_version_0_describes_no_pictures() {
    let critic = reviewer("critic").await;
    assert!(!critic.description().describes_pictures);
    assert!(matches!(
        described(&critic, "A fox").await,
        Err(CallError::Unavailable(_))
    ));
}

async fn sketchbook() -> ImageProvider {
    let folder = Folder::with(&[]);
    folder.copy_offline("linepress.sketchbook");
    let plugins = folder.load().await;
    plugins.image_provider("linepress.sketchbook").unwrap()
}

/// A small page that sketchbook draws.
async fn sketched(prompt: &str, options: DrawOptions) -> Drawing {
    sketchbook().await.draw(page(prompt, options)).await.unwrap()
}

fn page(prompt: &str, options: DrawOptions) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: prompt.into(),
        title: String::new(),
        width: 288,
        height: 384,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        characters: Vec::new(),
        source: None,
        seed: 1,
        options,
    }
}

#[tokio::test]
async fn a_provider_of_version_1_gets_the_wishes_and_lists_the_unknown_words() {
    let sketchbook = sketchbook().await;
    assert!(sketchbook.description().draws_color && sketchbook.description().follows_looks);
    assert!(!sketchbook.description().draws(true));
    let plain = sketched("A fox and a zeppelin", DrawOptions::default()).await;
    assert_eq!(plain.unknown_words, ["zeppelin"]);
    assert!(plain.note.as_deref().unwrap().contains("zeppelin"), "{plain:?}");
    let look = Look {
        line_weight: LineWeight::Bold,
        detail: DetailLevel::Simple,
        style: String::new(),
        frame: FrameStyle::Usual,
    };
    let bold = DrawOptions {
        look,
        ..DrawOptions::default()
    };
    assert_ne!(sketched("A fox and a zeppelin", bold).await.bytes, plain.bytes);
    let changed = DrawOptions {
        change: Some(Change {
            instruction: "Make the fox bigger, move it to the left".into(),
            present_prompt: "A fox".into(),
        }),
        ..DrawOptions::default()
    };
    let changed = sketched(
        "A fox. With this change: Make the fox bigger, move it to the left",
        changed,
    )
    .await;
    assert_eq!(changed.note.as_deref(), Some("Not done: \"move it to the left\"."));
    assert!(changed.unknown_words.is_empty());
}

#[tokio::test]
async fn a_provider_of_version_1_gets_every_frame() {
    let sketchbook = sketchbook().await;
    let mut pages = HashSet::new();
    let frames = FrameStyle::ALL.iter().filter(|frame| **frame != FrameStyle::Usual);
    for frame in frames.clone() {
        let look = Look {
            frame: *frame,
            ..Look::default()
        };
        let options = DrawOptions {
            look,
            ..DrawOptions::default()
        };
        pages.insert(sketchbook.draw(page("A fox", options)).await.unwrap().bytes);
    }
    assert_eq!(pages.len(), frames.count());
}

#[tokio::test]
async fn a_provider_of_version_1_gets_the_seed_of_the_book() {
    let sketchbook = sketchbook().await;
    let mut pages = HashSet::new();
    for book_seed in 0..12 {
        let options = DrawOptions {
            book_seed: Some(book_seed),
            ..DrawOptions::default()
        };
        pages.insert(sketchbook.draw(page("A fox", options)).await.unwrap().bytes);
    }
    // Sketchbook chooses one of four frames by it.
    assert!((2..=4).contains(&pages.len()), "{}", pages.len());
}

/// The requests that sketchbook got for the page, cover or character with this title.
async fn requests(operator: &Actor, title: &str) -> Vec<Value> {
    let path = "/admin/plugins/linepress.sketchbook/calls";
    let reply = operator.get(path).await.expect(200);
    let calls = reply["plugin_calls"].as_array().unwrap().iter();
    let requests = calls.map(|call| call["request"].clone());
    let found: Vec<Value> = requests.filter(|request| request["title"] == title).collect();
    assert!(!found.is_empty(), "{title}");
    found
}

#[tokio::test]
async fn all_pages_of_a_book_are_drawn_with_one_seed_and_covers_without_a_frame() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let (ada, operator) = (app.account(9).await, app.operator().await);
    let wish = json!({"book": {"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let book = app.accepted(&ada, "/books", &wish).await.book_id();
    app.draw_everything().await;
    let path = format!("/books/{book}");
    let frameless = json!({"book": {"frame": "none"}});
    ada.patch(&path, &frameless).await.expect(200);
    let later = json!({"page": {"title": "A hare"}});
    app.accepted(&ada, &format!("{path}/pages"), &later).await;
    app.new_page(&ada, "A pig").await;
    let other = json!({"book": {"title": "Farm", "pages": [{"title": "A cow"}]}});
    app.accepted(&ada, "/books", &other).await;
    app.draw_everything().await;
    let first = ada.page_ids(&book).await.remove(0);
    for again in [format!("/pages/{first}/regenerate"), format!("{path}/cover/regenerate")] {
        app.accepted(&ada, &again, &json!({})).await;
        app.draw_everything().await;
    }
    testing::write_plugin_calls(&app.server).await.unwrap();

    let foxes = requests(&operator, "A fox").await;
    assert!(foxes.len() > 1, "{foxes:?}");
    let seed = &foxes[0]["book_seed"];
    assert!(seed.is_u64(), "{foxes:?}");
    for (title, frame) in [
        ("A fox", Value::Null),
        ("An owl", Value::Null),
        ("A hare", json!("none")),
    ] {
        for request in requests(&operator, title).await {
            assert_eq!(
                (&request["book_seed"], &request["look"]["frame"]),
                (seed, &frame),
                "{title}"
            );
        }
    }
    for title in ["A pig", "Woods"] {
        for request in requests(&operator, title).await {
            assert!(request["book_seed"].is_null() && request["look"].is_null(), "{request}");
        }
    }
    assert_ne!(requests(&operator, "A cow").await[0]["book_seed"], *seed);
}

#[tokio::test]
async fn all_volumes_of_a_series_and_copies_are_drawn_with_the_seed_of_the_first_volume() {
    let app = TestApp::builder()
        .image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let (ada, operator) = (app.account(9).await, app.operator().await);
    let order = async |title: &str, page: &str| {
        let wish = json!({"book": {"title": title, "pages": [{"title": page}]}});
        let book = app.accepted(&ada, "/books", &wish).await.book_id();
        app.draw_everything().await;
        book
    };
    let first = order("Woods", "A fox").await;
    let second = order("Woods, Volume 2", "An owl").await;
    // The seed outlives the first volume.
    ada.delete(&format!("/books/{first}")).await.expect_no_content();
    ada.delete(&format!("/bin/{first}")).await.expect_no_content();
    order("woods (Volume 3)", "A hare").await;
    let copy = ada.post_nothing(&format!("/books/{second}/copy")).await.expect(201)["book"].clone();
    let later = json!({"page": {"title": "A pig"}});
    let path = format!("/books/{}/pages", copy["id"].as_str().unwrap());
    app.accepted(&ada, &path, &later).await;
    order("Woods at night", "A cow").await;
    let redrawn = ada.page_ids(&second).await.remove(0);
    app.accepted(&ada, &format!("/pages/{redrawn}/regenerate"), &json!({}))
        .await;
    app.draw_everything().await;
    testing::write_plugin_calls(&app.server).await.unwrap();

    let seed = requests(&operator, "A fox").await[0]["book_seed"].clone();
    assert!(seed.is_u64(), "{seed}");
    for title in ["An owl", "A hare", "A pig"] {
        for request in requests(&operator, title).await {
            assert_eq!(request["book_seed"], seed, "{title}");
        }
    }
    assert_ne!(requests(&operator, "A cow").await[0]["book_seed"], seed);
}

/// A server whose plugins were all built before version 1.
#[tokio::test]
async fn components_that_were_built_for_version_0_still_make_a_book() {
    let app = TestApp::builder()
        .plugins_from(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/contract-v0"))
        .config(|config| {
            config.planner = "testbed.echo".into();
            config.layout = "testbed.folio".into();
            config.reviewer = "testbed.critic".into();
        })
        .start()
        .await;
    let loaded = app.server.plugins.installed();
    assert_eq!(app.server.plugins.refusals(), []);
    assert_eq!(loaded.len(), 4);
    for serving in loaded.into_iter().filter_map(|installed| installed.serving) {
        assert!(serving.world.ends_with("@0.1"), "{serving:?}");
    }

    let ada = app.account(5).await;
    let wish = json!({"book_plan": {"theme": "A fox", "page_count": 2, "aspect": "portrait"}});
    let plan = ada.post("/book_plans", &wish).await.expect(200)["book_plan"].clone();
    let accepted = app.accepted(&ada, "/books", &plan["generation_request"]).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    let pdf = ada.get(&format!("/books/{}/pdf", accepted.book_id())).await;
    assert_eq!(pdf.status, 200);
    assert!(pdf.body.starts_with(b"%PDF-"));

    let accepted = app.new_page(&ada, "A forbidden fox").await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    let error = operation.items[0].error.as_ref().unwrap();
    assert_eq!(error.code, FailureCode::ReviewRefused);
    app.check_ledger().await;
}
