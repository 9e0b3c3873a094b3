//! Doubles for unit tests, which run natively. A test sets everything that a component would receive from the server.
//!
//! ```ignore
//! use linepress_plugin_sdk::testing::{self, Reply};
//! use linepress_plugin_sdk::{Deadline, http::Request};
//! use serde_json::json;
//!
//! testing::set_settings(json!({"model": "pencil-2"}));
//! testing::reply(Reply::json(429, json!({})).header("retry-after", "7"));
//! let response = Request::post("https://api.example.com/draw", &Deadline::after_seconds(60)).send().unwrap();
//! assert_eq!(response.retry_after(), Some(7));
//! assert_eq!(testing::requests()[0].url, "https://api.example.com/draw");
//! ```
//!
//! All state is local to the thread, so tests that run in parallel do not affect each other.

/// Example requests.
mod requests;

pub use self::requests::{
    book, draw_request, finished_picture, picture_to_review, plan_request, prompt_to_review, refine_request,
};
pub use crate::doubles::{log, progress, set_settings, slept};
pub use crate::http::double::{Reply, fail, reply, requests};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{self, Reply};
    use crate::{Deadline, http::Request};

    /// The example in the comment of this module.
    #[test]
    fn a_test_sets_what_the_server_would_return() {
        testing::set_settings(json!({"model": "pencil-2"}));
        testing::reply(Reply::json(429, json!({})).header("retry-after", "7"));
        let response = Request::post("https://api.example.com/draw", &Deadline::after_seconds(60))
            .send()
            .unwrap();
        assert_eq!(response.retry_after(), Some(7));
        assert_eq!(testing::requests()[0].url, "https://api.example.com/draw");
    }
}
