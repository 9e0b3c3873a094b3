//! Detection of nouns in a prompt that a reader would expect to see, but that have no drawing.

use super::roles::Role;
use super::{is_one_of, links};
use crate::inflection::singulars;
use crate::token::{End, Token};

/// The reader's classification of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Unknown,
    /// A thing, a place, a name, or an item to wear.
    Known,
    /// A quantity.
    Number,
}

const DETERMINERS: &[&str] = &[
    "a", "an", "the", "his", "her", "its", "their", "my", "our", "your", "some", "another", "this", "that", "these",
    "those", "each", "every",
];

/// Words between two nouns: prepositions, conjunctions, pronouns, and verbs that are common in prompts.
const BETWEEN: &str = "\
    aboard about above across after again against ahead all almost alone along also always amid among amongst are around as at \
    atop away back bake bakes balances be because been before behind being below beneath beside besides between beyond blooms \
    both bounces build builds but by called can carries carry catch catches celebrates chase chases climb climbs collects come \
    comes cooks could covered crosses cuddles dance dances did dig digs do does down draw draws dreams drinks drive drives \
    during each eat eats enjoys ever everywhere explore explores falls feed feeds filled find finds flew flies float floats \
    follows for from front gathers gazes get gets give gives glides go goes grow grows guards had hang hangs has have he help \
    helps here herself hide hides him himself hold holds hop hops hovers how hugs if in inside into is it itself juggles jump \
    jumps just kicks land lands lays leads leaps lie lies like likes live lives look looks love loves made make makes many \
    marches may meet meets might more most much must named naps near never next no nor not of off on once only onto opens or \
    other others out outside over own paint paints past peeks peers performs picks plants play plays please pulls pushes quite \
    races ran read reads really rest rests ride rides rolls round run runs sails same sat says see sees share shares she shines \
    should show shows sing sings sit sits sleep sleeps slides smiles snores so soars somewhere splashes stand stands stares \
    steers stood such surrounded swim swims swings take takes tells than them themselves then there they through throws to \
    together too took toward towards travel travels turns under underneath until up upon us very visit visits wait waits wakes \
    walk walks want wants was watch watches waters waves we wear wears went were what when where which while who whose will with \
    within without work works would you";

/// Nouns for which a reader expects no separate drawing: times, feelings, parts of a body, picture or landscape.
const UNSEEN: &str = "\
    adult adventure afternoon age air animal anniversary antler area arm art artwork baby back background bank bark bath beak \
    beam beat belly birthday bit black blade blue book border bottom boulder branch breakfast breeze bridge brook brother brown \
    bubbles buddy bunch bunting bush camera care ceiling celebration center centre character cheek chin circle city class claw \
    clearing cliff cloth cloud coat collection color coloring colour colouring companion company confetti corner countryside \
    couple courage cover crater creature creek critter crop crowd crumb cub current curtain dad dance darkness daughter dawn day \
    daylight daytime decoration design dessert detail dinner dirt distance drawing dream drop dune dusk dust ear earth edge end \
    energy entrance event everybody everyone expression eye face family farm father feast fence festival figure fin finger flag \
    flags flake flight floor flourish foliage food foot foreground forest form frame friend friends friendship front fun fur \
    future game garden garland glass glow gold grass gray green grey grin ground group guest hair half hand happiness harvest \
    hay haystack head heap heart heat hedge help hero hideout hike hill hillside hilltop holiday home hoof hope horizon horn \
    hour idea illustration image inside item ivy job journey joy jungle kid kids kind kingdom landscape lane lap laugh laughter \
    lawn leafage leg lesson letter life light lights line lip little look lot lots love luck lunch magic mandala mane meadow \
    meal memory metal middle mind minute mist mom moment month mood moonbeam morning moss mother motif mouth move movement mud \
    mum music mystery name nap nature neck neighbor neighbour night nighttime noise noon nose number object ocean one ornament \
    outdoors outline outside spool stack rug page pair pal paper parade parent part party pasture patch path pattern paw peace pebble pet petal \
    photo picnic picture piece pile pink place play pole porch pose position power print puddle pump purple quest race ray red \
    reed reef rest rhythm ride ring ripple riverbank road rock roof rooftop root rope row sand scale scene scenery sea season \
    seaweed secret set shade shadow shape shell shore shoulder show shrub sibling side silver sister size sketch skin sky sleep \
    sleepover slope smile smoke snack soil somebody someone something son song sort sound sparkle speed splash spot stair stairs \
    steam stem step stone story stream streamer street string stripe stroll stuff style sunbeam sunlight sunrise sunset sunshine \
    surface surprise swim swirl tail tale team teen text theme thing thought tide time title today toddler toe tongue tooth top \
    touch town trail treat tree treetop trip trough trunk tummy tune turn twig twilight type universe vacation version vibe view \
    viewer village vine visit walk wall water way weather weed week weekend whisker white wilderness wind window wing wish \
    wonder wood word world yard year yellow zentangle";

/// Adjectives that may occur without a noun before an "and" or a comma.
const ADJECTIVES: &str = "\
    adorable ancient angry bad beautiful best big bold brave breezy bright broken bumpy busy calm cartoon cheerful chibi chilly \
    classic clever closed cloudy cold colorful cool cosy cozy crisp curly cute dark deep different double dry dusty early \
    eastern easy elegant empty entire fallen fancy fast fat favorite favourite fine first flat fluffy foggy fresh friendly \
    frosty frozen full funny furry fuzzy gentle giant golden good graceful grand grassy great grown happy hard hidden high hot \
    huge humble hungry indoor intricate jolly joyful kawaii kind large last late leafy light little lively lonely long loud \
    lovely low lucky magical medieval merry misty modern mossy muddy mythical narrow new nice noble northern old open ornate \
    outdoor pale peaceful plain playful pretty proud quick quiet rainy real ripe rocky rough round royal sad sandy second secret \
    several sharp shiny short shy silky silly similar simple single sleepy slow small smart smoky smooth snowy snug soft \
    southern special steady steep stormy straight strong sunken sunny sweet tall tangled tasty thick thin third tidy tiny \
    tropical underwater vintage warm weak western wet whimsical whole wide wild windy wise wonderful wooden woolen young";

/// Words after which nouns name the motifs of an ornament.
const ORNAMENTS: &[&str] = &[
    "pattern",
    "patterns",
    "mandala",
    "mandalas",
    "wreath",
    "framed",
    "filled",
    "tessellation",
    "kaleidoscope",
    "zentangle",
    "stained",
    "drawn",
];

/// Returns the expected but unknown nouns of a prompt, as they are written there, without duplicates.
pub(super) fn unseen(tokens: &[Token], seen: &[Seen]) -> Vec<String> {
    let capitals = tokens.iter().filter(|token| token.capital).count();
    // "A Fox On A Zeppelin" is in title case. In other texts, a capital within a sentence marks a name.
    let headline = capitals * 2 > tokens.len();
    let mut found: Vec<String> = Vec::new();
    let mut phrase = Phrase::first(seen);
    let mut begins = true;
    let mut ornament = false;
    for (index, (token, made)) in tokens.iter().zip(seen).enumerate() {
        let word = token.word.as_str();
        let next = tokens.get(index + 1);
        let name = token.capital && !begins && !headline;
        // A reader does not expect separate drawings of the motifs of a pattern.
        if !ornament && ORNAMENTS.contains(&word) {
            phrase.end(&mut found);
            ornament = true;
        }
        // The subject in the middle of a pattern, after "around", is expected.
        if word == "around" {
            ornament = false;
        }
        if ornament {
            phrase = Phrase::bare(false);
            ornament = token.end != End::Sentence;
        } else if *made == Seen::Known || name {
            phrase.known = true;
        } else if *made == Seen::Number || DETERMINERS.contains(&word) {
            phrase.end(&mut found);
            phrase = Phrase::after(word);
        } else if word == "and" {
            // "And" between adjectives does not end the phrase: "a big and happy fox".
            let goes_on = next.is_some_and(|next| is_one_of(ADJECTIVES, next.word.as_str()));
            if phrase.known || !goes_on {
                phrase.end(&mut found);
                phrase = Phrase::bare(false);
            }
        } else if is_one_of(BETWEEN, word) || is_adverb(word) || (is_participle(word) && phrase.has_noun()) {
            phrase.end(&mut found);
            phrase = Phrase::bare(false);
        } else if word.chars().count() > 2 && word.chars().all(char::is_alphabetic) {
            phrase.words.push(word.to_string());
        }
        let list = token.end == End::Comma
            && !phrase.known
            && next.is_some_and(|next| !DETERMINERS.contains(&next.word.as_str()));
        if token.end == End::Sentence || token.end == End::Comma && !list {
            phrase.end(&mut found);
            phrase = if token.end == End::Sentence {
                Phrase::first(seen)
            } else {
                Phrase::bare(false)
            };
        }
        begins = token.end == End::Sentence;
    }
    phrase.end(&mut found);
    found
}

/// Words of themes that describe the book, a mood or an occasion, and that no page could show.
const SAID_OF_BOOKS: &str = "\
    abc activities activity adventures album alphabet amazing around awesome basic beginner bedtime biggest brave calm calming cartoon \
    celebrate chapter christmas classic easter club collection coloring colouring cute daily days discover edition every everyday everyday \
    exploring facts favorite favourite feelings first friendly friendship fun funny goes happy hello hidden history hour hunt \
    imagination kindness learn learning let letters little magic magical meditation meet mindful mindfulness mini mix morning \
    numbers old peace plan play positive puzzle quiet real relax relaxing rescue rules school secret seek series simple spring \
    stories story stress summer super surprise tales teen things time today tour travel trip true types very visit volume \
    welcome who winter wonder wonders words world worlds years";

/// Returns the words of a theme that a reader would expect to see in the book, but that have no drawing.
pub(super) fn unseen_in_theme(tokens: &[Token], seen: &[Seen]) -> Vec<String> {
    let capitals = tokens.iter().filter(|token| token.capital).count();
    let headline = capitals * 2 > tokens.len();
    let mut found: Vec<String> = Vec::new();
    for (index, (token, made)) in tokens.iter().zip(seen).enumerate() {
        let word = token.word.as_str();
        let begins = index == 0 || tokens[index - 1].end == End::Sentence;
        let name = token.capital && !begins && !headline;
        let letters = word.chars().count();
        let long_enough = letters > 2 || !word.is_ascii();
        let says_nothing = word == "and"
            || DETERMINERS.contains(&word)
            || is_listed(BETWEEN, word)
            || is_listed(UNSEEN, word)
            || is_listed(SAID_OF_BOOKS, word)
            || ORNAMENTS.contains(&word)
            || is_one_of(ADJECTIVES, word)
            || is_adverb(word)
            || is_shown_by_its_object(word, index.checked_sub(1).map(|before| tokens[before].word.as_str()));
        let counts = *made == Seen::Unknown && long_enough && word.chars().all(char::is_alphabetic);
        if counts && !name && !says_nothing && !is_shown_by_its_agent(word) && !found.iter().any(|known| known == word)
        {
            found.push(word.to_string());
        }
    }
    found
}

/// Returns true for a participle such as "playing", whose object is drawn in its place. The prompts of pages are read in
/// the same way.
fn is_shown_by_its_object(word: &str, before: Option<&str>) -> bool {
    is_participle(word) && links::link(word, before).is_some()
}

/// Returns the unknown words that are neither grammatical words nor adjectives or adverbs.
pub(super) fn undrawn(tokens: &[Token], seen: &[Seen]) -> Vec<String> {
    let words = tokens.iter().zip(seen).filter(|(_, made)| **made == Seen::Unknown);
    let words = words.map(|(token, _)| token.word.as_str()).filter(|word| {
        let grammar =
            *word == "and" || DETERMINERS.contains(word) || is_one_of(BETWEEN, word) || is_one_of(ADJECTIVES, word);
        word.len() > 2 && !grammar && !is_adverb(word)
    });
    words.map(str::to_string).collect()
}

/// Activities that are shown by typical objects: yarn and scissors, a tent, a cake.
const SHOWN_BY_THINGS: &[&str] = &[
    "baking",
    "camping",
    "cooking",
    "fishing",
    "gardening",
    "knitting",
    "reading",
    "sewing",
    "shopping",
    "sleeping",
    "eating",
];

/// Returns true if an -ing form is shown by typical objects or by an agent: "swimming" by a swimmer.
fn is_shown_by_its_agent(word: &str) -> bool {
    if SHOWN_BY_THINGS.contains(&word) {
        return true;
    }
    let Some(stem) = word.strip_suffix("ing").filter(|stem| stem.len() > 2) else {
        return false;
    };
    let known = |agent: String| {
        let agent = [agent];
        super::label(&agent).is_some() || Role::named(&agent).is_some()
    };
    ["er", "or", "ist"]
        .iter()
        .any(|ending| known(format!("{stem}{ending}")))
}

/// A noun phrase: "a very old zeppelin".
struct Phrase {
    words: Vec<String>,
    known: bool,
    /// True after "a" or "an": the noun is singular.
    single: bool,
    /// True if a single singular noun is enough to form the phrase.
    alone: bool,
}

impl Phrase {
    fn after(determiner: &str) -> Self {
        Self {
            single: matches!(determiner, "a" | "an"),
            ..Self::bare(true)
        }
    }

    /// Starts the phrase at the beginning of a sentence. If no word is known, a single word may be the whole wish.
    fn first(seen: &[Seen]) -> Self {
        Self::bare(!seen.contains(&Seen::Known))
    }

    fn bare(alone: bool) -> Self {
        Self {
            words: Vec::new(),
            known: false,
            single: false,
            alone,
        }
    }

    /// Returns true if the phrase has a noun, so that a following -ing form is a verb.
    fn has_noun(&self) -> bool {
        let noun = self.words.iter().any(|word| !is_adjective(word));
        noun || self.known || self.words.is_empty() && !self.alone
    }

    fn end(&mut self, found: &mut Vec<String>) {
        if self.known {
            return;
        }
        let nouns: Vec<&String> = self.words.iter().filter(|word| !is_adjective(word)).collect();
        let plural = |word: &str| word.ends_with('s') && !word.ends_with("ss");
        let noun = match nouns.as_slice() {
            // In "a zeppelin hums", the last word is a verb.
            [.., noun, last] if self.single && plural(last) => noun,
            [.., last] => last,
            [] => return,
        };
        if (self.alone || plural(noun)) && !is_listed(UNSEEN, noun) && !found.contains(*noun) {
            found.push((*noun).clone());
        }
    }
}

/// Returns true if the list contains the word or its singular.
fn is_listed(list: &str, word: &str) -> bool {
    is_one_of(list, word) || singulars(word).iter().any(|form| is_one_of(list, form))
}

/// Returns the number of words before the first verb or preposition: "a cook and an axolotl | on a chair".
pub(super) fn opening(words: &[String]) -> usize {
    let describes = |word: &String| is_determiner(word) || is_one_of(ADJECTIVES, word);
    let ends = |at: &usize| {
        let word = &words[*at];
        let acts = is_participle(word) && at.checked_sub(1).is_some_and(|before| !describes(&words[before]));
        is_one_of(BETWEEN, word) && word != "together" || acts
    };
    (0..words.len()).find(ends).unwrap_or(words.len())
}

pub(super) fn is_quality(word: &str) -> bool {
    is_one_of(ADJECTIVES, word)
}

pub(super) fn is_determiner(word: &str) -> bool {
    DETERMINERS.contains(&word)
}

fn is_adjective(word: &str) -> bool {
    const ENDINGS: &[&str] = &["ed", "ful", "ous", "ish", "less", "est", "ible", "like"];
    let ending = word.len() > 4 && ENDINGS.iter().any(|ending| word.ends_with(ending));
    (ending && !word.ends_with("eed") && !word.ends_with("fish")) || is_participle(word) || is_one_of(ADJECTIVES, word)
}

fn is_participle(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ing")
        && !matches!(word, "building" | "painting" | "pudding" | "ceiling" | "wedding")
}

fn is_adverb(word: &str) -> bool {
    word.len() > 5
        && !is_one_of(ADJECTIVES, word)
        && word.ends_with("ly")
        && !word.ends_with("fly")
        && !matches!(word, "family" | "assembly" | "trolly" | "anomaly")
}
