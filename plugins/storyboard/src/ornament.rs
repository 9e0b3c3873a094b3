//! Ornaments: mandalas, wreaths and repeating patterns, for adults and for themes that request patterns.

use linepress_plugin_sdk::planner::{Aspect, Audience};

use crate::english::{plural, sentence, title_case};
use crate::scene::{Activity, Prop, Scene};
use crate::stage::Stage;
use crate::who::Who;

/// The form of an ornamental page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Mandala,
    Filled,
    Wreath,
    Repeat,
    Panel,
}

/// The ornament of a page: its form and its two motifs.
#[derive(Clone, Debug)]
pub(crate) struct Ornament {
    pub form: Form,
    pub first: String,
    pub second: String,
}

/// Returns the ornament of a page, or `None` if the page is a scene.
pub(crate) fn choose(scene: &Scene, stage: &Stage, index: usize) -> Option<Ornament> {
    let forms: &[Option<Form>] = match (stage.audience, stage.patterns) {
        (Audience::Toddler, _) => &[None],
        (Audience::Adult, false) => &[
            Some(Form::Mandala),
            None,
            Some(Form::Filled),
            Some(Form::Wreath),
            None,
            Some(Form::Repeat),
            None,
            Some(Form::Panel),
        ],
        (_, true) => &[
            Some(Form::Mandala),
            Some(Form::Wreath),
            Some(Form::Filled),
            Some(Form::Mandala),
            Some(Form::Repeat),
            Some(Form::Panel),
        ],
        _ => &[None],
    };
    let mut form = forms[index % forms.len()]?;
    if form == Form::Repeat && scene.lead.is_named() {
        form = Form::Panel;
    }
    let lead = scene.lead.words();
    let motifs: Vec<&String> = stage
        .motifs
        .iter()
        .filter(|motif| !crate::words::overlap(motif, &lead))
        .collect();
    let motifs = if motifs.len() < 2 {
        stage.motifs.iter().collect()
    } else {
        motifs
    };
    let count = motifs.len().max(1);
    // The step changes with every round, so that each pair of motifs is used in turn.
    let step = 1 + (index / count) % count.saturating_sub(1).max(1);
    let (first, second) = (motifs.get(index % count)?, motifs.get((index + step) % count)?);
    Some(Ornament {
        form,
        first: (*first).clone(),
        second: (*second).clone(),
    })
}

/// Returns the prompt of an ornament.
pub(crate) fn prompt(ornament: &Ornament, scene: &Scene, stage: &Stage, aspect: Aspect) -> String {
    let Ornament { form, first, second } = ornament;
    let lead = scene.lead.introduced();
    let fine = match stage.audience {
        Audience::Adult => "intricate",
        Audience::Teen => "detailed",
        _ => "simple",
    };
    let article = crate::english::article(fine);
    let company = scene
        .companion
        .iter()
        .filter(|companion| !scene.named.contains(companion));
    let company: String = company
        .map(|companion| format!(" with {}", companion.introduced()))
        .collect();
    let doing = stage
        .doing
        .as_ref()
        .filter(|_| matches!(scene.activity, Some(Activity::Is(_) | Activity::Wished(_))))
        .map(|doing| format!(" {doing}"))
        .unwrap_or_default();
    let named = scene
        .named
        .iter()
        .map(Who::introduced)
        .chain(scene.prop.as_ref().map(Prop::introduced));
    let extra: String = named.map(|named| format!(" and {named}")).collect();
    let text = match form {
        Form::Mandala => format!("{article} {fine} mandala of {first} and {second} around {lead}{doing}{extra}"),
        Form::Filled => format!(
            "{}{extra}, filled with {fine} patterns of {first} and {second}, {}",
            filled(&scene.lead, &doing),
            scene.place
        ),
        Form::Wreath => format!("{lead}{company}{doing}{extra} in {article} {fine} wreath of {first} and {second}"),
        Form::Repeat => {
            let named = scene.named.iter().map(|who| format!("{}, ", plural(&who.called())));
            let with: String = named.collect();
            let prop = scene
                .prop
                .as_ref()
                .map(|prop| format!(" with {}", prop.introduced()))
                .unwrap_or_default();
            let many = plural(&scene.lead.called());
            format!("{article} {fine} repeating pattern of {many}, {with}{first} and {second}{prop}")
        }
        Form::Panel => {
            let shape = match aspect {
                Aspect::Portrait => "tall stained-glass window",
                Aspect::Landscape => "wide frieze",
                Aspect::Square => "round stained-glass window",
            };
            format!("a {shape} of {lead}{company}{doing}{extra} among {first} and {second}")
        }
    };
    stage.with_topics(sentence(&text))
}

fn filled(lead: &Who, doing: &str) -> String {
    if lead.is_named() {
        format!("{}{doing}", lead.introduced())
    } else {
        lead.described("graceful") + doing
    }
}

/// Returns titles for an ornament, the best first.
pub(crate) fn titles(ornament: &Ornament, scene: &Scene) -> Vec<String> {
    let Ornament { form, first, second } = ornament;
    let lead = scene.lead.titled();
    let (first, second) = (title_case(first), title_case(second));
    let own = match form {
        Form::Mandala => vec![
            format!("{lead} Mandala"),
            format!("Mandala of {first}"),
            format!("{lead} and {first} Mandala"),
            format!("{lead} in a Ring of {first}"),
        ],
        Form::Filled => vec![
            format!("The Patterned {lead}"),
            format!("{lead} in {first}"),
            format!("{lead} of {first} and {second}"),
        ],
        Form::Wreath => vec![
            format!("{lead} in a Wreath"),
            format!("Wreath of {first}"),
            format!("{lead} Wreathed in {first}"),
        ],
        Form::Repeat => vec![
            format!("{first} and {second}"),
            format!("{} and {first}", title_case(&plural(&scene.lead.called()))),
            format!("{lead}, {first} and {second}"),
        ],
        Form::Panel => vec![
            format!("{lead} in Glass"),
            format!("{lead} Among {first}"),
            format!("{lead} Window of {first}"),
        ],
    };
    let any = [
        format!("{lead} with {first}"),
        format!("{lead}, {first} and {second} Again"),
        format!("{lead} with {second}"),
    ];
    own.into_iter().chain(any).collect()
}
