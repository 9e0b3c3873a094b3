//! Templates that change while a server runs.
use std::sync::Arc;
use std::time::Duration;

use linepress_core::print::SampleTrial;
use linepress_plugin_host::Plugins;
use linepress_print::RenderSettings;

use super::folder::Folder;
use crate::test_app::binary;

const GOOD: &str = r#"
#let data = json("data.json")
#for (index, leaf) in data.leaves.enumerate() { if index > 0 { pagebreak() } }
"#;

/// Creates a folder with a layout whose changed templates are tried out.
fn folio() -> Folder {
    let mut folder = Folder::with(&["folio"]);
    folder.settings.template_trial = Some(Arc::new(SampleTrial::new(RenderSettings {
        program: binary(),
        timeout: Duration::from_secs(60),
        memory_limit_bytes: 1 << 30,
        max_concurrent: 1,
        font_folders: Vec::new(),
    })));
    std::fs::create_dir_all(folder.settings.directory.join("folio/templates")).unwrap();
    save(&folder, GOOD);
    folder
}

fn save(folder: &Folder, template: &str) {
    let path = folder.settings.directory.join("folio/templates/folio.typ");
    std::fs::write(path, template).unwrap();
}

/// Returns the template that books are printed with.
fn serving(plugins: &Plugins) -> String {
    let layout = plugins.layout("testbed.folio").unwrap();
    std::fs::read_to_string(layout.templates().join("folio.typ")).unwrap()
}

#[tokio::test]
async fn failing_templates_leave_the_previous_ones_in_use() {
    let folder = folio();
    let plugins = folder.load().await;
    save(&folder, "#nothing");
    // A change takes effect only when the server has checked it.
    assert_eq!(serving(&plugins), GOOD);
    plugins.reload().await.unwrap();
    assert_eq!(serving(&plugins), GOOD);
    let refusals = plugins.refusals();
    let reason = &refusals[0].reason;
    assert!(
        reason.contains("its templates fail: folio: folio.typ:1:2: unknown variable: nothing"),
        "{reason}"
    );

    let better = format!("{GOOD}// better");
    save(&folder, &better);
    plugins.reload().await.unwrap();
    assert_eq!(serving(&plugins), better);
    assert!(plugins.refusals().is_empty());
}

#[tokio::test]
async fn a_book_is_printed_with_the_templates_it_began_with() {
    let folder = folio();
    let plugins = folder.load().await;
    let layout = plugins.layout("testbed.folio").unwrap();
    save(&folder, &format!("{GOOD}// better"));
    plugins.reload().await.unwrap();
    let text = std::fs::read_to_string(layout.templates().join("folio.typ")).unwrap();
    assert_eq!(text, GOOD);
}
