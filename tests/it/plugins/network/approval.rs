//! The approval of what a plugin requests, without which it is not loaded.
use std::collections::BTreeMap;

use linepress_plugin_host::CredentialSource;
use serde_json::json;

use super::{ID, grant, granted};
use crate::test_app::Web;

#[tokio::test]
async fn a_plugin_waits_for_approval_and_names_the_command() {
    let web = Web::open().await;
    let mut folder = granted(&web, json!({})).await;
    folder.settings.network.grants.clear();
    assert_eq!(
        folder.refusal().await,
        "it asks to reach https://pictures.test:443 (GET, POST), to reach https://*.pictures.test:443 (GET), to have api_key \
         sent to https://pictures.test:443 as x-key; to approve this: linepress plugin allow testbed.courier"
    );
}

#[tokio::test]
async fn any_change_of_the_folder_requires_approval_again() {
    let web = Web::open().await;
    let folder = granted(&web, json!({})).await;
    let added = folder.settings.directory.join("courier/notes.txt");
    std::fs::write(&added, "new").unwrap();
    let refusal = folder.refusal().await;
    assert!(
        refusal.starts_with("its folder has changed since it was approved"),
        "{refusal}"
    );
    std::fs::remove_file(&added).unwrap();
    assert_eq!(folder.load().await.refusals(), []);
}

#[tokio::test]
async fn a_setting_that_adds_an_origin_requires_approval() {
    let web = Web::open().await;
    let mirror = format!("http://{}", web.address);
    let mut folder = granted(&web, json!({"mirror": mirror})).await;
    let refusal = folder.refusal().await;
    assert!(
        refusal.contains(&format!("{mirror}, which is not granted")),
        "{refusal}"
    );
    let origins = ["https://pictures.test", "https://*.pictures.test", &mirror].map(String::from);
    grant(&mut folder, &origins, &[]).await;
    let refusal = folder.refusal().await;
    assert!(refusal.contains(&format!("--private {mirror}")), "{refusal}");
    grant(&mut folder, &origins, &[mirror]).await;
    assert_eq!(folder.load().await.refusals(), []);
}

#[tokio::test]
async fn a_missing_secret_is_reported_before_the_first_drawing() {
    let web = Web::open().await;
    let mut folder = granted(&web, json!({})).await;
    folder.settings.network.credentials.clear();
    let refusal = folder.refusal().await;
    assert!(refusal.starts_with("it needs the credential api_key"), "{refusal}");
    let nowhere = CredentialSource::Env("NO_SUCH_VARIABLE_OF_A_TEST".into());
    let sources = BTreeMap::from([("api_key".to_owned(), nowhere)]);
    folder.settings.network.credentials.insert(ID.into(), sources);
    let refusal = folder.refusal().await;
    assert!(refusal.contains("NO_SUCH_VARIABLE_OF_A_TEST_FILE"), "{refusal}");
}

#[tokio::test]
async fn a_component_without_requests_has_no_network() {
    let web = Web::open().await;
    let folder = granted(&web, json!({})).await;
    let manifest = folder.settings.directory.join("courier/plugin.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let (head, rest) = text.split_once("[[http]]").unwrap();
    let (_, limits) = rest.split_once("[limits]").unwrap();
    std::fs::write(&manifest, format!("{head}[limits]{limits}")).unwrap();
    let refusal = folder.refusal().await;
    assert!(
        refusal.contains("wasi:http") && refusal.contains("[[http]]"),
        "{refusal}"
    );
}
