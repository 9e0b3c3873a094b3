//! Prints a plan: `cargo run -p storyboard --example plan -- "a picnic for hedgehogs" child 8 1 "no spiders" "Pip=a
//! hedgehog"`.

use std::error::Error;

use linepress_plugin_sdk::planner::{Aspect, Audience, Character, PlanRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let audience = match argument(1, "child").as_str() {
        "toddler" => Audience::Toddler,
        "child" => Audience::Child,
        "teen" => Audience::Teen,
        "adult" => Audience::Adult,
        other => return Err(format!("unknown audience {other}: use toddler, child, teen or adult").into()),
    };
    let characters = arguments.iter().skip(5).map(|character| {
        let (name, description) = character.split_once('=').unwrap_or((character, ""));
        Character {
            name: name.to_owned(),
            description: description.to_owned(),
            style: String::new(),
            seed: 0,
            reference: None,
        }
    });
    let request = PlanRequest {
        theme: argument(0, "woodland animals"),
        page_count: argument(2, "8").parse()?,
        aspect: Aspect::Portrait,
        audience,
        title: None,
        characters: characters.collect(),
        language: "en".to_owned(),
        notes: Some(argument(4, "")),
        seed: argument(3, "1").parse()?,
        extra: Vec::new(),
    };
    let plan = storyboard::plan(&request)?;
    for (name, value) in &plan.extra {
        println!("{name}: {value}");
    }
    println!(
        "{}\n{}\n{}\nCover: {}\n",
        plan.title, plan.subtitle, plan.description, plan.cover_prompt
    );
    for (number, page) in (1..).zip(&plan.pages) {
        println!(
            "{number:3}. {}\n     {}\n     {}",
            page.title, page.prompt, page.caption
        );
    }
    Ok(())
}
