//! The settings of what may be drawn: the words that no prompt may contain, and what happens without a reviewer.
use linepress_model::{Audience, text_enum};
use serde::{Deserialize, Serialize};

text_enum! {
    /// What happens to a drawing that the reviewer of the settings cannot review.
    #[derive(Default)]
    pub enum OnReviewFailure {
        /// It is drawn as if there were no reviewer.
        #[default]
        Pass = "pass",
        /// It waits for the reviewer. If that takes too long, it fails, and its credits are refunded.
        Refuse = "refuse",
    }
}

/// The words that no prompt may contain: those of the server, and those of its operator. The words of an audience apply
/// to the younger ones, too.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BlockedWords {
    /// True if the words of the server are blocked in addition to those of the operator.
    pub built_in: bool,
    pub toddler: Vec<String>,
    pub child: Vec<String>,
    pub teen: Vec<String>,
    pub adult: Vec<String>,
}

impl Default for BlockedWords {
    fn default() -> Self {
        Self {
            built_in: true,
            toddler: Vec::new(),
            child: Vec::new(),
            teen: Vec::new(),
            adult: Vec::new(),
        }
    }
}

impl BlockedWords {
    /// Maximum number of words of one audience.
    const MAX_WORDS: usize = 1000;
    /// Maximum length of a word or phrase.
    const MAX_WORD_CHARS: usize = 100;

    /// The operator's words for an audience: its own, and those of the older ones.
    pub fn for_audience(&self, audience: Audience) -> impl Iterator<Item = &str> {
        let from = match audience {
            Audience::Toddler => 0,
            Audience::Child => 1,
            Audience::Teen => 2,
            Audience::Adult => 3,
        };
        let lists = self.lists().into_iter().skip(from);
        lists.flat_map(|(_, words)| words.iter().map(String::as_str))
    }

    /// The lists with the names of their settings, the youngest audience first.
    fn lists(&self) -> [(&'static str, &[String]); 4] {
        [
            ("blocked_words.toddler", &self.toddler),
            ("blocked_words.child", &self.child),
            ("blocked_words.teen", &self.teen),
            ("blocked_words.adult", &self.adult),
        ]
    }

    /// Removes empty words: an environment variable cannot express an empty list.
    pub(super) fn remove_empty(&mut self) {
        for words in [&mut self.toddler, &mut self.child, &mut self.teen, &mut self.adult] {
            words.retain(|word| !word.trim().is_empty());
        }
    }

    /// Checks each list; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        for (setting, words) in self.lists() {
            if words.len() > Self::MAX_WORDS {
                return Err((setting, format!("must have at most {} words", Self::MAX_WORDS)));
            }
            let is_word =
                |word: &String| word.chars().any(char::is_alphanumeric) && word.chars().count() <= Self::MAX_WORD_CHARS;
            if let Some(word) = words.iter().find(|word| !is_word(word)) {
                let most = Self::MAX_WORD_CHARS;
                let problem = format!("{word:?} must be a word or a phrase of at most {most} characters");
                return Err((setting, problem));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_audience_apply_to_the_younger_ones() {
        let words = |word: &str| vec![word.to_owned()];
        let blocked = BlockedWords {
            toddler: words("spider"),
            child: words("vampire"),
            teen: words("casino"),
            adult: words("acme"),
            ..BlockedWords::default()
        };
        let applied = |audience| blocked.for_audience(audience).collect::<Vec<_>>();
        assert_eq!(applied(Audience::Toddler), ["spider", "vampire", "casino", "acme"]);
        assert_eq!(applied(Audience::Teen), ["casino", "acme"]);
        assert_eq!(applied(Audience::Adult), ["acme"]);
    }
}
