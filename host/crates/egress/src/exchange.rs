//! One request and its whole response, for those that speak with a service and do not fetch a file.
use http::{Request, Response};
use reqwest::StatusCode;
use tokio::time::Instant;

use crate::error::{Cause, FetchError};
use crate::fetcher::{Fetcher, logged, within};
use crate::target;

impl Fetcher {
    /// Sends the request and reads the response, whatever its status. Redirects are not followed: what is sent is meant for
    /// one address alone.
    pub async fn exchange(&self, request: Request<Vec<u8>>, limit: u64) -> Result<Response<Vec<u8>>, FetchError> {
        let url = target::parse(&request.uri().to_string(), self.guard()).map_err(FetchError::Url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let deadline = Instant::now() + self.total();
        let exchanged = within(deadline, self.exchange_within(request, limit)).await;
        exchanged.map_err(|error| logged(&host, error))
    }

    /// What the address responds with, when it is a success; `bearer` lets the request in.
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

    async fn exchange_within(&self, request: Request<Vec<u8>>, limit: u64) -> Result<Response<Vec<u8>>, FetchError> {
        let request = reqwest::Request::try_from(request).map_err(FetchError::transport)?;
        let mut response = self.client()?.execute(request).await.map_err(FetchError::transport)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(FetchError::transport)? {
            if (body.len() + chunk.len()) as u64 > limit {
                return Err(FetchError::TooLarge { limit });
            }
            body.extend_from_slice(&chunk);
        }
        let mut whole = Response::new(body);
        *whole.status_mut() = response.status();
        *whole.headers_mut() = std::mem::take(response.headers_mut());
        Ok(whole)
    }
}
