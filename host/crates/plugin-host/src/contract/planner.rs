//! The exchange with book planners.
use linepress_model::{Aspect, Audience};

use super::image::CharacterSketch;

/// A planner's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannerDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
    /// BCP 47 tags of the languages that the planner supports; empty means any language.
    pub languages: Vec<String>,
}

/// A request for a plan of a book.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    pub theme: String,
    /// 1 to 100.
    pub page_count: u32,
    pub aspect: Aspect,
    pub audience: Audience,
    pub title: Option<String>,
    pub characters: Vec<CharacterSketch>,
    /// A BCP 47 language tag.
    pub language: String,
    pub notes: Option<String>,
    pub seed: u64,
    /// The reason why the previous plan for this request was rejected, if this is another attempt.
    pub mismatch: Option<String>,
    /// The pages of the earlier volumes of a series, which the plan must not repeat.
    pub earlier: Vec<EarlierPage>,
}

/// A page of an earlier volume of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierPage {
    pub title: String,
    pub prompt: String,
}

/// A planner's plan of a book. Sizes and control characters were checked, but not the number of pages or their wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub title: String,
    /// May be empty.
    pub subtitle: String,
    pub description: String,
    pub cover_prompt: String,
    pub pages: Vec<PageConcept>,
    /// Words of the theme that do not occur on any page.
    pub unplaced: Vec<String>,
    /// Named people and animals of the theme that are not among the characters.
    pub suggested: Vec<SuggestedCharacter>,
}

/// A person or animal that the theme names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedCharacter {
    pub name: String,
    /// The kind of character, such as `dog`.
    pub kind: String,
}

/// One page of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConcept {
    pub title: String,
    pub prompt: String,
    /// A line to print under the drawing; may be empty.
    pub caption: String,
}
