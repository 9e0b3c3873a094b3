//! The server as it describes itself to clients and directories: its name and icons, its instructions, and the lists of
//! tools and prompts.
use std::sync::LazyLock;

use rmcp::model::{Icon, Implementation, Prompt, Tool};
use serde_json::{Value, json};

use super::prompt::PromptSpec;
use super::refusal::Wording;
use super::tool::ToolSpec;
use super::{apps, prompts, tools};
use linepress_core::generation;
use linepress_http::{appearance, assets};
use linepress_platform::app::App;
use linepress_platform::scopes::Scopes;

/// The instructions that an agent reads first.
pub(super) const INSTRUCTIONS: &str = "Linepress makes printable coloring books. To make one: plan_book (free), show the plan to the user \
and let them change it, create_book with confirm_credits set to the exact price, wait_for_operation until it has ended, \
get_book_pdf and hand its link on. Every drawing costs credits; ask the user before you spend any. get_account shows what you \
may spend. Look at all pages with look_at_page before you hand a book on, and improve bad ones with regenerate_page or with the \
user's own artwork. Titles and captions are printed under the pictures: keep them fitting. Choose the aspect by the size in which \
the book is to be printed (list_print_formats). For Amazon KDP or Lulu print with their edition, short books in a format whose id \
begins with pod_ where there is one. The field next of each result is the next step.";

/// The limit of the list of tools, in bytes of JSON. An agent pays for the list in every conversation.
pub const MAX_TOOLS_BYTES: usize = 48_000;

/// A tool with what follows from its definition.
pub(super) struct OfferedTool {
    pub spec: &'static ToolSpec,
    pub wording: Wording,
    pub described: Tool,
    /// The same tool for a server without a provider that draws from pictures.
    described_without_source: Tool,
}

/// All tools, in the order in which they are listed.
static TOOLS: LazyLock<Vec<OfferedTool>> = LazyLock::new(|| {
    let offered = tools::all().map(|spec| OfferedTool {
        spec,
        wording: spec.wording(),
        described: spec.describe(true),
        described_without_source: spec.describe(false),
    });
    offered.collect()
});

/// Derives all schemas. One that cannot be derived stops the server when it starts.
pub(super) fn check() {
    LazyLock::force(&TOOLS);
}

pub(super) fn find(name: &str) -> Option<&'static OfferedTool> {
    TOOLS.iter().find(|tool| tool.spec.name == name)
}

/// The tools for a caller with these scopes, linked to apps if the client shows them.
pub(super) fn tools_for(app: &App, granted: Scopes, shows_apps: bool) -> Vec<Tool> {
    let tools = tools(app, granted).into_iter();
    let tools = tools.map(|tool| match apps::link(&tool.name) {
        Some(link) if shows_apps => tool.with_meta(link),
        _ => tool,
    });
    tools.collect()
}

/// The tools for a caller with these scopes.
fn tools(app: &App, granted: Scopes) -> Vec<Tool> {
    let draws_from_pictures = generation::check_source(app, true).is_ok();
    let tools = TOOLS.iter();
    let tools = tools.filter(|tool| granted.includes(tool.spec.effect.scopes()));
    let tools = tools.map(|tool| match draws_from_pictures {
        true => tool.described.clone(),
        false => tool.described_without_source.clone(),
    });
    tools.collect()
}

/// The prompts for a caller with these scopes.
pub(super) fn prompts(granted: Scopes) -> Vec<Prompt> {
    prompts::for_scopes(granted).map(PromptSpec::describe).collect()
}

/// The name, the version and the icons of the server, under the name and with the logo that the operator chose.
pub(super) fn implementation(app: &App) -> Implementation {
    Implementation::new("linepress", env!("CARGO_PKG_VERSION"))
        .with_title(app.config.appearance.name.as_str())
        .with_description("Plans, draws and prints coloring books.")
        .with_website_url(app.config.public_url.as_str())
        .with_icons(icons(app))
}

fn icons(app: &App) -> Vec<Icon> {
    let icon = |path: String, media_type: &str| {
        let address = format!("{}{path}", app.config.public_url);
        Icon::new(address).with_mime_type(media_type)
    };
    if let Some(logo) = appearance::logo_of(app) {
        return vec![icon(logo.url, logo.media_type)];
    }
    // Clients must show PNG, but need not show SVG.
    vec![
        icon(assets::url("icon.svg"), "image/svg+xml").with_sizes(vec!["any".into()]),
        icon(assets::url("icon.png"), "image/png").with_sizes(vec!["256x256".into()]),
    ]
}

/// The description of a server as a directory shows it, with everything that a user can grant.
#[derive(Debug)]
pub struct Listing {
    /// The name, the version and the icons.
    pub server: Value,
    pub tools: Vec<Value>,
    pub prompts: Vec<Value>,
}

/// Describes the server as clients with all scopes see it.
pub fn listing(app: &App) -> Listing {
    let tools = tools(app, Scopes::ALL).into_iter();
    let prompts = prompts(Scopes::ALL).into_iter();
    Listing {
        server: json!(implementation(app)),
        tools: tools.map(|tool| json!(tool)).collect(),
        prompts: prompts.map(|prompt| json!(prompt)).collect(),
    }
}
