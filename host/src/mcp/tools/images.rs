//! Pictures: a link to each, and a small one for agents that want to see.
use futures::FutureExt as _;
use serde_json::json;

use crate::artwork::ImageSize;
use crate::downloads::{self, Target};
use crate::error::Error;
use crate::ids::{BookId, CharacterId, PageId};
use crate::mcp::reply::{Outcome, Reply};
use crate::mcp::tool::{Call, Effect, Input, Shape, ToolSpec};
use crate::mcp::words;

pub(super) const LINK: &[(&str, Shape)] = &[
    ("url", Shape::Raw("string")),
    ("media_type", Shape::Raw("string")),
    ("byte_size", Shape::Raw("integer")),
    ("expires_at", Shape::Raw("string")),
];

const PREVIEW: Input = Input::Flag("include_preview", "Also a small picture, so that you see it.");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_page_image",
        title: "Picture of a page",
        description: "A link to a page's picture, for 15 minutes: as it is shown, or with size print as it is printed, in black and white at 600 DPI.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("page_id"), Input::OneOf("size", "ImageSize"), PREVIEW],
        output: LINK,
        call: |call| page(call).boxed(),
    },
    ToolSpec {
        name: "get_character_image",
        title: "Picture of a character",
        description: "A link to a character's picture, for 15 minutes.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("character_id"), PREVIEW],
        output: LINK,
        call: |call| character(call).boxed(),
    },
    ToolSpec {
        name: "get_book_cover_image",
        title: "Picture of a cover",
        description: "A link to a book's cover, for 15 minutes.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("book_id"), PREVIEW],
        output: LINK,
        call: |call| cover(call).boxed(),
    },
];

async fn page(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let size: Option<ImageSize> = call.arguments.take_optional("size")?;
    let preview = call.arguments.take_optional("include_preview")?;
    let target = match size.unwrap_or_default() {
        ImageSize::Screen => Target::PageImage(id),
        ImageSize::Print => Target::PagePrint(id),
    };
    link(call, target, preview, super::pages::missing).await
}

async fn character(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(call, Target::CharacterImage(id), preview, super::characters::missing).await
}

async fn cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(call, Target::CoverImage(id), preview, super::books::missing).await
}

/// A link, once all other arguments are taken, and the small picture if it is wanted.
pub(super) async fn link(call: Call, target: Target, preview: Option<bool>, missing: fn() -> Error) -> Outcome<Reply> {
    call.arguments.end()?;
    let picture = match preview {
        Some(true) => super::super::preview::of(&call.app, &call.caller, &target).await?,
        _ => None,
    };
    let link = downloads::link(&call.app, &call.caller, target).await?;
    let body = json!(link.ok_or_else(missing)?);
    let text = words::download(&body);
    Ok(Reply::new(body, text).with_preview(picture))
}
