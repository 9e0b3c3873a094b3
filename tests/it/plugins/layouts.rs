//! Layouts: pure functions with a folder of templates.
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{CallError, LayoutBook, LayoutDrawing};

use super::folder::Folder;
use crate::test_app::TestApp;

fn folio() -> Folder {
    let folder = Folder::with(&["folio"]);
    let templates = folder.settings.directory.join("folio/templates");
    std::fs::create_dir_all(&templates).unwrap();
    std::fs::write(templates.join("folio.typ"), "").unwrap();
    folder
}

fn book(title: &str, drawings: usize) -> LayoutBook {
    let drawing = LayoutDrawing {
        title: "Fox".into(),
        caption: String::new(),
    };
    LayoutBook {
        title: title.into(),
        subtitle: String::new(),
        author: String::new(),
        description: String::new(),
        audience: Audience::Child,
        aspect: Aspect::Portrait,
        has_cover: false,
        drawings: vec![drawing; drawings],
        language: "en".into(),
        extra: Vec::new(),
    }
}

#[tokio::test]
async fn a_layout_reports_its_formats_and_lays_out_leaves() {
    let folder = folio();
    let plugins = folder.load().await;
    let layout = plugins.layout("testbed.folio").unwrap();
    assert_eq!(layout.description().formats[0].trim_height_um, 330_000);
    assert!(
        layout
            .templates()
            .join(&layout.description().formats[0].template)
            .is_file()
    );
    let leaves = layout.lay_out(book("woods", 3), "folio").await.unwrap();
    assert_eq!(
        leaves.iter().map(|leaf| leaf.drawing).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(2)]
    );
}

#[tokio::test]
async fn a_layout_has_neither_time_nor_randomness() {
    let plugins = folio().load().await;
    let layout = plugins.layout("testbed.folio").unwrap().clone();
    // Another task, as in a worker.
    let other = layout.clone();
    let leaves = tokio::spawn(async move { other.lay_out(book("woods", 1), "folio").await });
    let leaves = leaves.await.unwrap().unwrap();
    assert_eq!(leaves[0].extra[0], ("seconds".into(), "0".into()));
    assert_eq!(leaves, layout.lay_out(book("woods", 1), "folio").await.unwrap());
}

#[tokio::test]
async fn a_leaf_beyond_the_book_is_an_invalid_response() {
    let plugins = folio().load().await;
    let layout = plugins.layout("testbed.folio").unwrap();
    let error = layout.lay_out(book("beyond", 3), "folio").await.unwrap_err();
    assert_eq!(
        error,
        CallError::InvalidResponse("leaf 3 has drawing 3, but the book has 3 drawings".into())
    );
}

#[tokio::test]
async fn an_unknown_format_is_invalid() {
    let plugins = folio().load().await;
    let error = plugins
        .layout("testbed.folio")
        .unwrap()
        .lay_out(book("woods", 1), "tabloid")
        .await
        .unwrap_err();
    assert!(error.is_final(), "{error}");
}

#[tokio::test]
async fn a_layout_without_its_template_is_refused() {
    let folder = folio();
    let templates = folder.settings.directory.join("folio/templates");
    std::fs::remove_file(templates.join("folio.typ")).unwrap();
    assert_eq!(
        folder.refusal().await,
        "its format folio names the template \"folio.typ\", which is not in templates"
    );
    std::fs::remove_dir(templates).unwrap();
    assert!(folder.refusal().await.starts_with("it has no folder named templates"));
}

/// A page size and a leaf that the component does not know.
const ADDITIONS: &str = r#"
[[formats]]
id = "folio_trade"
name = "Trade paperback"
template = "folio.typ"
width-mm = 152.4
height-mm = 228.6
printers = ["kdp", "lulu"]

[[leaves]]
kind = "map"
before = "drawing"
"#;

#[tokio::test]
async fn formats_and_leaves_in_the_templates_are_offered_like_those_of_the_component() {
    let folder = folio();
    let file = folder.settings.directory.join("folio/templates/layout.toml");
    std::fs::write(&file, ADDITIONS).unwrap();
    let plugins = folder.load().await;
    let layout = plugins.layout("testbed.folio").unwrap();
    let formats = &layout.description().formats;
    let ids: Vec<&str> = formats.iter().map(|format| format.id.as_str()).collect();
    assert_eq!(ids, ["folio", "folio_trade"]);
    assert_eq!(
        (formats[1].trim_width_um, formats[1].aspect),
        (152_400, Aspect::Portrait)
    );
    for id in ids {
        let laid_out = layout.lay_out_reporting(book("woods", 2), id).await.unwrap();
        let kinds: Vec<&str> = laid_out.leaves.iter().map(|leaf| leaf.kind.as_str()).collect();
        assert_eq!(kinds, ["map", "blank", "drawing", "drawing"], "{id}");
        assert_eq!(laid_out.unplaced, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_layout_whose_additions_are_wrong_is_refused_with_the_reason() {
    let folder = folio();
    let file = folder.settings.directory.join("folio/templates/layout.toml");
    for (wrong, told) in [
        (
            ADDITIONS.replace("name = ", "nmae = "),
            "its templates/layout.toml is invalid in line ",
        ),
        (ADDITIONS.replace("228.6", "215.0"), "Lulu has no pages of 6 x 8.46 in"),
        (
            ADDITIONS.replace("folio_trade", "folio"),
            "it has two formats named folio",
        ),
        (
            ADDITIONS.replace("folio_trade", "Trade"),
            "needs an id of lowercase letters",
        ),
        (ADDITIONS.replace("folio.typ", "trade.typ"), "which is not in templates"),
        (
            ADDITIONS.replace("228.6", "152.4").replace("printers", "# printers"),
            "has no other square format",
        ),
    ] {
        std::fs::write(&file, wrong).unwrap();
        let refusal = folder.refusal().await;
        assert!(refusal.contains(told), "{told}: {refusal}");
    }
}

#[tokio::test]
async fn a_changed_layout_offers_its_formats_at_once() {
    let folder = folio();
    let plugins = folder.load().await;
    let offered = || {
        let formats = plugins.formats("testbed.folio").offered;
        formats
            .iter()
            .map(|offered| offered.format.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(offered(), ["folio"]);
    let layout = folder.settings.directory.join("folio");
    std::fs::write(layout.join("templates/layout.toml"), ADDITIONS).unwrap();
    plugins.reload().await.unwrap();
    assert_eq!(offered(), ["folio", "folio_trade"]);
    std::fs::remove_dir_all(layout).unwrap();
    plugins.reload().await.unwrap();
    assert!(offered().is_empty());
}

#[tokio::test]
async fn the_formats_of_the_chosen_layout_come_first() {
    let app = TestApp::builder().all_plugins().start().await;
    for (layout, beginning) in [
        ("linepress.storybook", "storybook_"),
        ("linepress.print-on-demand", "pod_"),
        ("linepress.storybook", "storybook_"),
    ] {
        let formats = app.server.plugins.formats(layout);
        let first = &formats.offered[0].format.id;
        assert!(first.starts_with(beginning), "{layout}: {first}");
        assert_eq!((formats.offered.len(), formats.hidden.len()), (18, 0));
    }
}
