//! The texts of the book as a whole: title, subtitle, description, cover prompt.

use linepress_plugin_sdk::planner::{Audience, PlanRequest};

use crate::english::{list, plural, sentence, title_case};
use crate::scene::Scene;
use crate::stage::Stage;
use crate::who::Who;

/// The maximum length of a theme that serves as a title. A longer theme is a description.
const MAX_TITLE_CHARS: usize = 48;

/// Returns the customer's title, or else the theme as a title, or else one of the titles of the world.
pub(crate) fn title(request: &PlanRequest, stage: &Stage) -> String {
    let given = request.title.as_deref().map(squeeze).filter(|title| !title.is_empty());
    given.unwrap_or_else(|| theme_title(&request.theme, stage).unwrap_or_else(|| worlds_title(request, stage)))
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn theme_title(theme: &str, stage: &Stage) -> Option<String> {
    let theme = squeeze(theme);
    // Marks that end a sentence or begin a list item are removed. A closing bracket or quotation mark belongs to the
    // title.
    let theme = theme
        .trim_start_matches([' ', '-', '–', '—', '•', '*', ',', '.'])
        .trim_end_matches([' ', '-', '–', '—', ',', '.', ';', ':', '!']);
    let words = theme.split(' ').count();
    let is_instruction = ["draw", "make", "create", "i", "please", "a book", "coloring", "pages"]
        .iter()
        .any(|start| theme.to_lowercase().split(' ').next() == Some(start));
    let is_sentence = theme.contains(['.', '!', ';', ':', '\n', '{', '}']) || theme.to_lowercase().contains("without");
    let fits = (2..=8).contains(&words) && theme.chars().count() <= MAX_TITLE_CHARS && !is_instruction && !is_sentence;
    let titled = |theme: &str| match crate::words::is_foreign(theme) {
        true => sentence(theme),
        false => title_case(theme),
    };
    (fits && stage.exclusions.allow(theme)).then(|| titled(theme))
}

/// Returns a title from a template with the name of the first star, or a title of the world if there is no star.
fn worlds_title(request: &PlanRequest, stage: &Stage) -> String {
    let turn = usize::try_from(request.seed % 4).unwrap_or_default();
    let star = stage.stars.first().map(|star| &star.who);
    let titles: Vec<String> = match star {
        Some(Who::Named { name, .. }) => [
            format!("A Day with {name}"),
            format!("{name} and Friends"),
            format!("The Adventures of {name}"),
            format!("{name}'s Big Day"),
        ]
        .to_vec(),
        Some(Who::Common(noun)) => {
            let many = title_case(&plural(noun));
            [
                format!("All About {many}"),
                format!("{many} and Friends"),
                format!("The Book of {many}"),
                format!("{many} Everywhere"),
            ]
            .to_vec()
        }
        None => stage.titles.clone(),
    };
    let allowed: Vec<&String> = titles.iter().filter(|title| stage.exclusions.allow(title)).collect();
    allowed
        .get(turn % allowed.len().max(1))
        .map_or_else(|| "Pages to Color".to_owned(), |title| (*title).clone())
}

/// Returns the subtitle. It does not mention the number of pages, which the customer can change later.
pub(crate) fn subtitle(stage: &Stage) -> String {
    let subtitle = match stage.audience {
        Audience::Toddler => "Big pictures for little hands",
        Audience::Child => "Pictures to color",
        Audience::Teen => "Detailed drawings to color",
        Audience::Adult => "Intricate drawings to color slowly",
    };
    subtitle.to_owned()
}

/// Returns the `most` subjects that appear on most pages, in the order of their first appearance.
fn company(scenes: &[Scene], most: usize) -> Vec<Who> {
    let mut counted: Vec<(Who, usize)> = Vec::new();
    for scene in scenes {
        match counted.iter_mut().find(|(who, _)| *who == scene.lead) {
            Some((_, count)) => *count += 1,
            None => counted.push((scene.lead.clone(), 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().map(|(who, _)| who).take(most).collect()
}

/// Returns one or two sentences for a catalog. Like the subtitle, they do not mention the number of pages.
pub(crate) fn description(scenes: &[Scene], stage: &Stage) -> String {
    let heroes: Vec<String> = company(scenes, 3)
        .iter()
        .map(|who| match who {
            Who::Common(noun) => plural(noun),
            Who::Named { .. } => who.introduced(),
        })
        .collect();
    let places: Vec<String> = scenes
        .iter()
        .map(|scene| crate::english::definite_place(&scene.place))
        .take(2)
        .collect();
    let about = if stage.exclusions.allow(&stage.about) {
        format!("{} ", stage.about)
    } else {
        String::new()
    };
    let opening = sentence(&format!("{about}scenes with {}", list(&heroes)));
    let closing = match stage.audience {
        Audience::Toddler => "Bold outlines and one friendly face at a time.",
        Audience::Child => "Every page has a little story to finish in color.",
        Audience::Teen => "Plenty of detail, and a line to smile at under every drawing.",
        Audience::Adult => "Mandalas, wreaths and finely patterned scenes for quiet hours.",
    };
    if stage.patterns || stage.audience == Audience::Adult {
        return format!("{opening}. {closing}");
    }
    format!("{opening}, {}. {closing}", list(&places))
}

/// Returns the prompt of the cover, which shows the book's heroes together, at the event or in the scenery of the
/// theme. A later volume of a series has another backdrop and other motifs than the one before it, as far as there are
/// any: `earlier` is the number of pages before.
pub(crate) fn cover(scenes: &[Scene], stage: &Stage, earlier: usize) -> String {
    let heroes: Vec<String> = company(scenes, 3).iter().map(Who::introduced).collect();
    let volume = earlier.div_ceil(scenes.len().max(1));
    let backdrop = stage
        .backdrops
        .get(volume % stage.backdrops.len().max(1))
        .map(|backdrop| format!(" {backdrop}"))
        .unwrap_or_default();
    let event = stage.event_places.first().map(|place| format!(" {place}"));
    let event = event.unwrap_or_default();
    let motifs = stage.motifs.iter().cycle().skip(2 * volume);
    let motifs: Vec<String> = motifs.take(stage.motifs.len().min(2)).cloned().collect();
    let together = if heroes.len() > 1 { " together" } else { "" };
    let frame = match (stage.audience, motifs.is_empty()) {
        (_, true) => String::new(),
        (Audience::Toddler, _) => String::new(),
        (Audience::Adult, _) => format!(", framed by an intricate border of {}", list(&motifs)),
        _ => format!(", framed by {}", list(&motifs)),
    };
    stage.with_topics(format!(
        "{}{together}{event}{backdrop}{frame}",
        sentence(&list(&heroes))
    ))
}
