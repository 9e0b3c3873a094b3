//! The subjects of a cover in color whose prompt names a place and nothing else.

use super::Setting;

impl Setting {
    /// Returns the labels of the inhabitants that such a cover shows, the most important first.
    pub fn stars(&self) -> &'static [&'static str] {
        match self.name {
            "underwater" => &["octopus", "dolphin", "turtle"],
            "sea" => &["dolphin", "sailboat"],
            "beach" => &["crab", "turtle"],
            "space" => &["astronaut", "alien", "rocket"],
            "farm" => &["cow", "pig", "rooster"],
            "winter" => &["penguin", "polar bear"],
            "christmas" => &["santa claus", "penguin"],
            "desert" | "savanna" => &["lion", "elephant", "zebra"],
            "jungle" => &["lion", "elephant", "monkey"],
            "prehistoric" => &["sauropod", "t-rex"],
            "pond" | "rain" => &["frog", "duck"],
            "castle" => &["princess", "dragon"],
            "party" => &["bear", "rabbit"],
            "circus" => &["lion", "clown face"],
            "city" | "market" | "school" => &["girl", "boy", "dog"],
            "laboratory" | "workshop" => &["robot", "cat"],
            "kitchen" | "room" => &["cat", "dog"],
            "night" | "halloween" => &["owl", "bat"],
            "mountain" => &["bear", "eagle"],
            "autumn" => &["fox", "raccoon"],
            "sky" => &["unicorn", "bird"],
            _ => &["fox", "rabbit", "owl"],
        }
    }
}
