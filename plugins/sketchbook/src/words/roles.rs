//! Trades and other roles without a drawing: a person with the clothing and things that the role is known by.

use super::{Possessions, is_one_of};
use crate::figure::person::Outfit;
use crate::figure::traits::Trait;
use crate::inflection::singulars;

/// A trade, a sport or a figure of a tale, with its attributes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Role {
    /// Phrases that name the role, separated by `|`.
    words: &'static str,
    who: Who,
    worn: &'static [Trait],
    /// Labels, the most important first.
    held: &'static [&'static str],
    /// The clothes, if they are more than the worn items.
    outfit: Option<Outfit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// An adult: a woman, a man or a neutral person, depending on the pronouns of the prompt.
    Adult,
    Label(&'static str),
}

const fn adult(words: &'static str, worn: &'static [Trait], held: &'static [&'static str]) -> Role {
    Role {
        words,
        who: Who::Adult,
        worn,
        held,
        outfit: None,
    }
}

const fn known_as(
    words: &'static str,
    label: &'static str,
    worn: &'static [Trait],
    held: &'static [&'static str],
) -> Role {
    Role {
        words,
        who: Who::Label(label),
        worn,
        held,
        outfit: None,
    }
}

#[rustfmt::skip]
const ROLES: &[Role] = &[
    // The family.
    known_as("grandma|grandmother|granny|nana|old woman|old lady|elderly woman|great grandmother|babushka|abuela", "old woman", &[Trait::Bun, Trait::Glasses], &[]),
    // Tales and historical times.
    adult("pirate|buccaneer|pirate captain", &[Trait::PirateHat, Trait::EyePatch], &[]),
    adult("viking", &[Trait::Helmet], &["axe"]),
    adult("samurai|swordsman|musketeer", &[Trait::Bandana], &["sword"]),
    adult("gladiator|soldier|warrior", &[Trait::Helmet], &["shield"]),
    adult("archer|robin hood", &[Trait::Cap], &["bow and arrow"]),
    adult("magician|conjurer|illusionist", &[Trait::TopHat, Trait::BowTie], &["magic wand"]),
    adult("jester", &[Trait::PartyHat], &["yo-yo"]),
    adult("cowboy|cowgirl|gaucho|rancher", &[Trait::SunHat, Trait::Bandana], &[]),
    adult("sheriff", &[Trait::SunHat, Trait::Badge], &[]),
    known_as("little red riding hood|red riding hood", "girl", &[Trait::Cape], &["basket"]),
    // Trades whose drawings end at the chest: a procedural body makes them as large as other people.
    adult("cook|chef|baker|pastry chef", &[Trait::ChefHat], &["spoon"]),
    adult("doctor|nurse|physician|vet|veterinarian|surgeon|paramedic", &[Trait::LabCoat, Trait::Badge], &[]).dressed_as(Outfit::Doctor),
    adult("teacher|schoolteacher", &[Trait::Glasses], &["open book"]),
    known_as("student|pupil|schoolchild", "child", &[], &["books"]),
    adult("firefighter|fireman|firewoman|fire fighter", &[Trait::Helmet], &["bucket"]).dressed_as(Outfit::Firefighter),
    adult("police officer|policeman|policewoman|cop", &[Trait::Cap, Trait::Badge], &[]).dressed_as(Outfit::Police),
    adult("farmer|gardener", &[Trait::SunHat], &["basket"]),
    adult("construction worker|builder|bricklayer|mason|roofer", &[Trait::Helmet], &["hammer"]).dressed_as(Outfit::Builder),
    adult("mechanic|machinist", &[Trait::Cap], &["wrench"]),
    adult("pilot|captain|ship captain|aviator", &[Trait::Cap, Trait::Necktie], &[]),
    adult("detective|sleuth|spy", &[Trait::SunHat], &["magnifying glass tilted left"]),
    adult("artist|painter", &[Trait::Beanie], &["paintbrush"]),
    // Trades.
    adult("carpenter|woodworker|joiner", &[Trait::Cap], &["carpentry saw"]),
    adult("blacksmith|smith|metalworker", &[Trait::Bandana], &["hammer"]),
    adult("plumber", &[Trait::Cap], &["wrench"]),
    adult("electrician", &[Trait::Helmet], &["light bulb"]),
    adult("welder", &[Trait::Helmet, Trait::Sunglasses], &[]),
    adult("engineer", &[Trait::Helmet], &["wrench"]),
    adult("miner", &[Trait::Helmet], &["pick"]),
    adult("lumberjack|woodcutter|logger", &[Trait::Beanie], &["axe"]),
    adult("postman|postwoman|mailman|mail carrier|letter carrier|postal worker|mail woman", &[Trait::Cap], &["envelope"]),
    adult("fisherman|fisherwoman|fisher|angler", &[Trait::SunHat], &["fishing pole"]),
    adult("beekeeper", &[Trait::SunHat], &["honey pot"]),
    adult("dentist", &[Trait::Glasses], &["toothbrush"]),
    adult("barber|hairdresser|hairstylist|stylist", &[], &["scissors"]),
    adult("tailor|seamstress|dressmaker", &[Trait::Glasses], &["scissors"]),
    adult("weaver|knitter", &[], &["yarn"]),
    adult("potter", &[], &["amphora"]),
    adult("shoemaker|cobbler", &[Trait::Glasses], &["hiking boot"]),
    adult("jeweler|jeweller|goldsmith", &[Trait::Monocle], &["gem stone"]),
    adult("clockmaker|watchmaker", &[Trait::Monocle], &["magnifying glass tilted left"]),
    adult("photographer", &[Trait::Cap], &["camera"]),
    adult("filmmaker|film director|movie director|cameraman", &[Trait::Cap], &["video camera"]),
    adult("reporter|journalist", &[Trait::Glasses], &["microphone"]),
    adult("waiter|waitress|barista|butler", &[Trait::BowTie], &["hot beverage"]),
    adult("sailor|mariner", &[Trait::Cap, Trait::Bandana], &[]),
    adult("bus driver|taxi driver|truck driver|train driver|driver|conductor|ticket inspector", &[Trait::Cap, Trait::Necktie], &[]),
    adult("lifeguard", &[Trait::Sunglasses], &["ring buoy"]),
    adult("librarian", &[Trait::Glasses], &["books"]),
    adult("professor|scholar|writer|author|poet", &[Trait::Glasses], &["closed book"]),
    adult("archaeologist|paleontologist", &[Trait::SunHat], &["shovel"]),
    adult("explorer|adventurer|treasure hunter", &[Trait::SunHat], &["magnifying glass tilted left"]),
    adult("zookeeper|zoo keeper|lighthouse keeper|caretaker|janitor", &[Trait::Cap], &["bucket"]),
    adult("shepherd|shepherdess", &[Trait::SunHat, Trait::Scarf], &[]),
    adult("inventor", &[Trait::Glasses], &["gear"]),
    adult("scientist|chemist|researcher|biologist|physicist|lab assistant", &[Trait::LabCoat, Trait::Glasses], &["test tube"]),
    adult("astronomer|stargazer", &[Trait::Glasses], &["telescope"]),
    adult("pharmacist", &[Trait::LabCoat], &["lotion bottle"]),
    adult("florist", &[], &["bouquet"]),
    adult("vendor|seller|street vendor|shopkeeper|merchant|trader|grocer|market woman", &[Trait::SunHat], &["basket"]),
    adult("businessman|businesswoman|lawyer|judge|banker|mayor|president", &[Trait::Necktie], &[]),
    adult("ranger|park ranger|scout", &[Trait::SunHat], &["flashlight"]),
    adult("cleaning lady|chimney sweep|street sweeper|sweeper", &[Trait::Cap], &["broom"]),
    adult("newspaper seller|paperboy|papergirl", &[Trait::Cap], &["newspaper"]),
    // Music.
    adult("singer", &[], &["microphone"]),
    adult("musician|street musician|guitarist|guitar player|minstrel|bard", &[], &["guitar"]),
    adult("mariachi", &[Trait::SunHat, Trait::Bandana], &["guitar"]),
    adult("drummer", &[], &["drum"]),
    adult("violinist|fiddler", &[Trait::BowTie], &["violin"]),
    adult("trumpeter", &[Trait::BowTie], &["trumpet"]),
    adult("flutist|flautist|piper", &[], &["flute"]),
    adult("harpist", &[], &["harp"]),
    adult("saxophonist", &[], &["saxophone"]),
    adult("accordionist", &[], &["accordion"]),
    adult("dj|disc jockey", &[Trait::Headphones], &[]),
    // Sports.
    adult("soccer player|football player|footballer|goalkeeper|goalie", &[], &["soccer ball"]),
    adult("baseball player", &[Trait::Cap], &["baseball"]),
    adult("cricket player|cricketer", &[Trait::Cap], &["cricket game"]),
    adult("tennis player", &[Trait::Cap], &["tennis"]),
    adult("volleyball player", &[], &["volleyball"]),
    adult("rugby player", &[], &["rugby football"]),
    adult("ice hockey player|hockey player", &[Trait::Helmet], &["ice hockey"]),
    adult("table tennis player", &[], &["ping pong"]),
    adult("badminton player", &[], &["badminton"]),
    adult("referee|umpire", &[Trait::Cap], &["stopwatch"]),
    adult("champion", &[Trait::Necklace], &["trophy"]),
];

const FEMALE: &str = "she her hers herself woman women female lady fisherwoman postwoman waitress seamstress shepherdess \
    cowgirl businesswoman mail";
const MALE: &str = "he his him himself man men male fisherman postman mailman cameraman swordsman businessman";

impl Role {
    const fn dressed_as(mut self, outfit: Outfit) -> Self {
        self.outfit = Some(outfit);
        self
    }

    /// Returns the role that a phrase names, and true if the phrase was a plural.
    pub(super) fn named(phrase: &[String]) -> Option<(&'static Self, bool)> {
        let find = |joined: &str| {
            ROLES
                .iter()
                .find(|role| role.words.split('|').any(|words| words == joined))
        };
        if let Some(role) = find(&phrase.join(" ")) {
            return Some((role, false));
        }
        let (last, before) = phrase.split_last()?;
        let forms = singulars(last)
            .into_iter()
            .chain(last.strip_suffix("men").map(|stem| format!("{stem}man")));
        forms.into_iter().find_map(|form| {
            let words: Vec<&str> = before.iter().map(String::as_str).chain([form.as_str()]).collect();
            Some((find(&words.join(" "))?, true))
        })
    }

    /// Returns what a person with this role wears and holds.
    pub(super) fn possessions(&self) -> Possessions {
        Possessions {
            held: self.held.iter().map(|label| ((*label).to_string(), 1)).collect(),
            worn: self.worn.to_vec(),
            outfit: self.outfit,
            ..Possessions::default()
        }
    }

    /// Returns the label of the person with this role, in a prompt of these words.
    pub(super) fn label(&self, words: &[String]) -> &'static str {
        let says = |list: &str| words.iter().any(|word| is_one_of(list, word));
        match self.who {
            Who::Label(label) => label,
            Who::Adult if says(FEMALE) => "woman",
            Who::Adult if says(MALE) => "man",
            Who::Adult => "person",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ROLES, Who};
    use crate::art::Drawings;
    use crate::grip::grip_of;

    #[test]
    fn every_role_has_a_drawing_and_holds_only_things_with_a_grip() {
        for role in ROLES {
            if let Who::Label(label) = role.who {
                assert!(Drawings::get().has(label), "{label}");
            }
            for held in role.held {
                let group = Drawings::get()
                    .with_label(held)
                    .next()
                    .unwrap_or_else(|| panic!("the catalog has no drawing of {held}"))
                    .group;
                assert!(grip_of(held, group).is_some(), "{held}");
            }
        }
    }
}
