//! A small picture beside the link, for agents that want to see what was drawn.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::reply::Preview;
use crate::app::App;
use crate::caller::Caller;
use crate::downloads::{self, Target};
use crate::error::Result;

/// Of the longer side.
const PIXELS: u32 = 640;

/// What an agent pays for in every turn that follows.
const MOST_BYTES: usize = 24_000;

/// The picture made small. Nothing when there is no such resource.
pub(super) async fn of(app: &App, caller: &Caller, target: &Target) -> Result<Option<Preview>> {
    let Some(picture) = downloads::picture(app, caller, target).await? else {
        return Ok(None);
    };
    let turn = app.importer.acquire_turn(&caller.account_id).await?;
    let small = app.importer.thumbnail(turn, picture, PIXELS, MOST_BYTES).await?;
    Ok(Some(Preview {
        data: STANDARD.encode(small),
        media_type: "image/png",
    }))
}
