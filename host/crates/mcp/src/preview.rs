//! A small picture in addition to the link, for agents that want to see the drawing.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::reply::Preview;
use linepress_accounts::caller::Caller;
use linepress_core::downloads::{self, Target};
use linepress_platform::app::App;
use linepress_platform::error::Result;

/// The longer side of a preview, in pixels.
const MAX_PREVIEW_PIXELS: u32 = 640;

/// The size limit of a preview. An agent pays for its bytes in every following turn of the conversation.
const MAX_PREVIEW_BYTES: usize = 24_000;

/// Returns the picture, scaled down; `None` if the resource does not exist.
pub(super) async fn load(app: &App, caller: &Caller, target: &Target) -> Result<Option<Preview>> {
    let Some(picture) = downloads::picture(app, caller, target).await? else {
        return Ok(None);
    };
    let turn = app.importer.acquire_turn(caller.account_id()).await?;
    let small = app
        .importer
        .thumbnail(turn, picture, MAX_PREVIEW_PIXELS, MAX_PREVIEW_BYTES)
        .await?;
    Ok(Some(Preview {
        data: STANDARD.encode(small),
        media_type: "image/png",
    }))
}
