//! A provider that draws, and whose vocabulary behaves according to its settings.
//!
//! Settings, such as `{"words": "first"}`: `words` is `first` (the first word of every text is unknown, which is the
//! default), `trap`, `spin`, `flood` (returns more than the host copies), `many` (returns ten thousand unknown words)
//! or `short` (returns no list for one of the texts).
use linepress_plugin_sdk::image::config;
use linepress_plugin_sdk::image::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress_plugin_sdk::vocabulary::{self, Question};
use serde::Deserialize;

pub struct Wordless;

impl Guest for Wordless {
    fn describe() -> Description {
        testbed_parts::describe("testbed.wordless")
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        Ok(testbed_parts::drawing(&request))
    }
}

impl vocabulary::Guest for Wordless {
    fn unknown_words(questions: Vec<Question>) -> Vec<Vec<String>> {
        let Settings { words } =
            serde_json::from_str(&config::get()).expect("the settings match the documentation of this crate");
        let first = |question: &Question| question.text.split(' ').take(1).map(str::to_owned).collect();
        match words.as_deref() {
            None | Some("first") => questions.iter().map(first).collect(),
            Some("spin") => loop {
                std::hint::spin_loop();
            },
            Some("flood") => vec![vec!["blah ".repeat(1_000_000)]; 10],
            Some("many") => {
                let many: Vec<String> = (0..10_000).map(|at| format!("word{at}")).collect();
                vec![many; questions.len()]
            }
            Some("short") => questions.iter().skip(1).map(first).collect(),
            Some(_) => panic!("the settings ask this vocabulary to trap"),
        }
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Wordless);
#[cfg(target_family = "wasm")]
linepress_plugin_sdk::vocabulary::export!(Wordless);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    words: Option<String>,
}
