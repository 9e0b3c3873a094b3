//! The name, logo and accent color that the operator sets.
use std::path::Path;

use linepress_accounts::accounts::Plan;
use linepress_platform::config::Config;
use tempfile::TempDir;

use crate::oauth::Scene;
use crate::test_app::{Html, TestApp};

const LOGO: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>"#;

/// Starts a server with a name, a logo and a dark accent color.
async fn own_server() -> TestApp {
    let folder = TempDir::new().unwrap();
    let logo = folder.path().join("logo.svg");
    std::fs::write(&logo, LOGO).unwrap();
    TestApp::builder()
        .config(|config| set_appearance(config, &logo))
        .start()
        .await
}

fn set_appearance(config: &mut Config, logo: &Path) {
    let table = format!(
        "name = \"Ink & Co\"\ncolor = \"#1a1a2e\"\nlogo = {:?}",
        logo.display().to_string()
    );
    config.appearance = toml::from_str(&table).unwrap();
}

/// The address of the first resource of the page whose tag begins with these words.
fn address(page: &Html, tag: &str) -> String {
    let (_, rest) = page
        .text
        .split_once(tag)
        .unwrap_or_else(|| panic!("no {tag} in {}", page.text));
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn without_settings_every_page_looks_like_linepress() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 9).await;
    for page in [
        app.browser().get("/").await,
        app.browser().get("/sign-in").await,
        ada.get("/library").await,
    ] {
        page.expect(200, " · Linepress</title>\n").expect(
            200,
            "<path class=\"ink\" d=\"M19 20.500h10M19 38h10\"/></g>\n</svg><span>Linepress</span></a>\n",
        );
        let style = address(&page, "<link rel=\"stylesheet\" href=\"");
        let icon = style.replace("style.css", "icon.svg");
        let script = style.replace("style.css", "script.js");
        page.expect(
            200,
            &format!(
                "<link rel=\"stylesheet\" href=\"{style}\">\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"{icon}\">\n\
                 <script src=\"{script}\" defer></script>\n"
            ),
        );
        assert!(!page.text.contains("/assets/own/"), "{}", page.text);
    }
    let library = ada.get("/library").await;
    library.expect(200, "<p>Made with Linepress, for people with crayons.</p>");
}

#[tokio::test]
async fn every_page_has_the_name_the_logo_and_the_color_of_the_settings() {
    let mut scene = Scene::on(own_server().await).await;
    let consent = scene.client.address(&[]);
    let mut pages = Vec::new();
    for path in ["/library", "/account", consent.as_str(), "/nowhere"] {
        pages.push(scene.browser.get(path).await);
    }
    for path in ["/", "/sign-in", "/preview/unknown", "/first-account/unknown"] {
        pages.push(scene.app.browser().get(path).await);
    }
    for page in &pages {
        for text in [
            " · Ink &#38; Co</title>",
            "alt=\"\"><span>Ink &#38; Co</span></a>",
            "<link rel=\"stylesheet\" href=\"/assets/own/",
            "<link rel=\"icon\" type=\"image/svg+xml\" href=\"/assets/own/",
        ] {
            assert!(page.text.contains(text), "{text:?} is not in {}", page.text);
        }
        assert!(!page.text.contains("Linepress"), "{}", page.text);
    }
    scene
        .browser
        .get(&consent)
        .await
        .expect(200, "asks to use your Ink &#38; Co account");
}

#[tokio::test]
async fn the_logo_and_the_color_are_cached_until_they_change() {
    let app = own_server().await;
    let mut browser = app.browser();
    let front = browser.get("/").await;
    let logo = address(&front, "<img src=\"");
    let sheet = address(&front, "<link rel=\"stylesheet\" href=\"/assets/own/");
    let sheet = format!("/assets/own/{sheet}");
    let served = browser.get(&logo).await;
    served.expect(200, LOGO);
    assert_eq!(served.header("content-type"), "image/svg+xml");
    // Nothing in a file that a visitor opens by itself is run.
    assert!(
        served
            .header("content-security-policy")
            .starts_with("default-src 'none'; style-src")
    );
    let style = browser.get(&sheet).await;
    // The color is lightened on dark paper.
    style
        .expect(200, "--accent: #1a1a2e; --on-accent: #ffffff;")
        .expect(200, "prefers-color-scheme: dark");
    assert_eq!(style.text.matches("#1a1a2e").count(), 1, "{}", style.text);
    for path in [&logo, &sheet] {
        let response = browser.get(path).await;
        assert_eq!(
            response.header("cache-control"),
            "public, max-age=31536000, immutable",
            "{path}"
        );
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
        // A page of a node with other settings requests another version.
        let name = path.rsplit('/').next().unwrap();
        let other = browser.get(&format!("/assets/own/0/{name}")).await;
        assert_eq!(other.header("cache-control"), "no-store", "{path}");
        TestApp::start()
            .await
            .browser()
            .get(path)
            .await
            .expect(404, "There is nothing here");
    }
    browser
        .get("/assets/own/0/other")
        .await
        .expect(404, "There is nothing here");
}
