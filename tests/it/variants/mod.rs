//! Variants: several pictures of a page, a cover or a character in one order. Each is charged, refunded and stored on
//! its own.
mod drawn;
mod orders;
mod others;
pub(crate) mod pages;

use futures::future::join_all;
use serde_json::Value;

use crate::test_app::{Actor, TestApp};
use crate::testing;

/// The attempts of the page, cover or character at this address.
async fn attempts(ada: &Actor, path: &str) -> Vec<Value> {
    let listed = ada.get(&format!("{path}/attempts")).await.expect(200);
    listed["attempts"].as_array().unwrap().clone()
}

pub(crate) fn id(attempt: &Value) -> &str {
    attempt["id"].as_str().unwrap()
}

/// The picture at this address.
async fn picture(ada: &Actor, path: &str) -> Vec<u8> {
    ada.get(path).await.body.to_vec()
}

/// Fails unless the image at the second address is that of the chosen attempt. Returns all attempts.
async fn checked_attempts(ada: &Actor, path: &str, image: &str) -> Vec<Value> {
    let listed = attempts(ada, path).await;
    let chosen: Vec<_> = listed.iter().filter(|attempt| attempt["chosen"] == true).collect();
    assert_eq!(chosen.len(), usize::from(!listed.is_empty()), "{listed:?}");
    if let [chosen] = chosen[..] {
        let attempt = format!("{path}/attempts/{}/image", id(chosen));
        assert_eq!(picture(ada, &attempt).await, picture(ada, image).await);
    }
    listed
}

/// Has each drawing that waits drawn by a worker of its own, all at the same time. Returns their number.
async fn draw_at_once(app: &TestApp) -> usize {
    let mut held = Vec::new();
    while let Some(claimed) = testing::claim(&app.server).await.unwrap() {
        held.push(claimed);
    }
    join_all(held.iter().map(|claimed| testing::attempt(&app.server, claimed))).await;
    held.len()
}
