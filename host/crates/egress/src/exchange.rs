//! One request and its whole response, for callers that use a service instead of fetching a file.
use http::{Request, Response, StatusCode};
use tokio::time::Instant;

use crate::body::Body;
use crate::error::{Cause, FetchError};
use crate::fetcher::Fetcher;
use crate::target;

impl Fetcher {
    /// Checks that a URL may be requested, as far as that is known without a name look-up. The error says what to change, and
    /// continues a sentence that begins with the name of the field that held the URL.
    pub fn check_url(&self, url: &str) -> Result<(), &'static str> {
        target::parse(url, self.guard()).map(drop)
    }

    /// Sends the request and reads the response, whatever its status. Redirects are not followed, because the request
    /// is meant for this address only.
    pub async fn exchange(&self, request: Request<Vec<u8>>, limit: u64) -> Result<Response<Vec<u8>>, FetchError> {
        let deadline = Instant::now() + self.total();
        let url = target::parse(&request.uri().to_string(), self.guard()).map_err(FetchError::Url)?;
        let sent = async {
            let request = reqwest::Request::try_from(request).map_err(FetchError::transport)?;
            self.client()?.execute(request).await.map_err(FetchError::transport)
        };
        let body = Body::open(url.host_str().unwrap_or_default(), limit, deadline, sent).await?;
        body.read_to_end().await
    }

    /// Reads JSON from `url` without following redirects. `bearer` is a token to send with the request.
    pub async fn read(&self, url: &str, bearer: Option<&str>, limit: u64) -> Result<Vec<u8>, FetchError> {
        let mut request = Request::get(url).header("accept", "application/json");
        if let Some(bearer) = bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        let request = request.body(Vec::new());
        let request = request.map_err(|_| FetchError::Url("must be a whole URL such as https://example.com/"))?;
        let response = self.exchange(request, limit).await?;
        match response.status() {
            StatusCode::OK => Ok(response.into_body()),
            status => Err(FetchError::Failed(Cause::Status(status))),
        }
    }
}
