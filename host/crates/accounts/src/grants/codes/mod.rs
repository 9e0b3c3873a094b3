//! Authorization codes, which a browser carries back to an app and which the app exchanges for its first tokens.
mod store;

use super::clients::Client;
use super::tokens::{Issued, Refusal, issue};
use super::{pkce, store as grant_store};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::GrantId;
use linepress_platform::secrets::Secret;

/// The data of a new code, in addition to its grant.
#[derive(Clone, Copy, Debug)]
pub struct NewCode<'a> {
    pub redirect_uri: &'a str,
    pub code_challenge: &'a str,
    pub expires_at: Timestamp,
}

/// Creates a code for a grant.
pub async fn create(app: &App, tx: &mut Tx, grant: &GrantId, new: &NewCode<'_>) -> Result<Secret> {
    let code = Secret::generate(&app.random);
    store::insert(tx, &code.hash(), grant, new).await?;
    Ok(code)
}

/// The parameters of a token request with a code.
#[derive(Clone, Copy, Debug)]
pub struct Redemption<'a> {
    pub code: &'a str,
    /// Must equal the redirect URI of the authorization request.
    pub redirect_uri: &'a str,
    /// The PKCE verifier, which only the app that requested the code knows.
    pub code_verifier: &'a str,
    pub resource: &'a str,
}

/// Exchanges a code for tokens.
///
/// An invalid redemption is refused first and leaves the code unchanged: a client that does not know the verifier can
/// neither use up a code nor, by sending it again, revoke the tokens issued for it. If a used code is sent again with
/// all correct parameters, it was copied together with its verifier, so the tokens issued for it are revoked.
pub async fn redeem(app: &App, client: &Client, shown: &Redemption<'_>) -> Result<Result<Issued, Refusal>> {
    const UNKNOWN: Refusal = Refusal::Grant("The code is not valid. It may have expired, or been used before.");
    let Some(hash) = Secret::from_text(shown.code).map(|code| code.hash()) else {
        return Ok(Err(UNKNOWN));
    };
    let mut tx = app.database.begin().await?;
    let Some(found) = store::find(&mut tx, &hash).await? else {
        return Ok(Err(UNKNOWN));
    };
    if found.client_id != client.id {
        return Ok(Err(UNKNOWN));
    }
    if found.redirect_uri != shown.redirect_uri || !client.allows_redirect_to(shown.redirect_uri) {
        return Ok(Err(Refusal::Grant(
            "redirect_uri differs from the one in the authorization request.",
        )));
    }
    if !pkce::is_verifier_of(shown.code_verifier, &found.code_challenge) {
        return Ok(Err(Refusal::Grant("code_verifier does not match the code_challenge.")));
    }
    if found.resource != shown.resource {
        return Ok(Err(Refusal::Target("The code was granted for another resource.")));
    }
    grant_store::lock(&app.database, &mut tx, &found.grant_id).await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    // Read again under the lock, because it may have changed since.
    let Some(found) = store::find(&mut tx, &hash).await? else {
        return Ok(Err(UNKNOWN));
    };
    if found.used_at.is_some() {
        grant_store::revoke(&mut tx, &found.grant_id, now).await?;
        tx.commit().await?;
        return Ok(Err(Refusal::Grant(
            "The code was used before. To be safe, all tokens that were issued for it were revoked.",
        )));
    }
    if found.revoked_at.is_some() || found.expires_at <= now {
        return Ok(Err(UNKNOWN));
    }
    store::note_use(&mut tx, &hash, now).await?;
    let issued = issue(app, &mut tx, (&client.id, &found.grant_id), found.scopes, now).await?;
    tx.commit().await?;
    Ok(Ok(issued))
}
