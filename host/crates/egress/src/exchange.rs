//! One request and its whole response, for callers that use a service instead of fetching a file.
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use http_body::Body as _;
use tokio::time::{Instant, timeout};

use crate::body::Body;
use crate::dialer::{DialError, Dialed, Dialer};
use crate::error::{Cause, FetchError};
use crate::fetcher::{Fetcher, Limits};
use crate::guard::Reach;
use crate::origin::Origin;
use crate::target;

impl Fetcher {
    /// Checks that a URL may be requested, as far as that is known without a name look-up. The error says what to
    /// change, and continues a sentence that begins with the name of the field that held the URL.
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

impl Dialer {
    /// Sends the request, whose URI must be a path and a query, and reads the whole response of at most `limit` bytes,
    /// whatever its status. Redirects are not followed.
    pub async fn exchange(
        &self,
        origin: &Origin,
        reach: Reach,
        request: Request<Vec<u8>>,
        limits: Limits,
        limit: u64,
    ) -> Result<Response<Vec<u8>>, DialError> {
        let request = request.map(reqwest::Body::from);
        let whole = async {
            let dialed = self.send(origin, reach, request, limits.connect, Arc::new(())).await?;
            read_to_end(dialed, limit).await
        };
        timeout(limits.total, whole)
            .await
            .map_err(|_| DialError::Late(limits.total))?
    }
}

async fn read_to_end(dialed: Dialed, limit: u64) -> Result<Response<Vec<u8>>, DialError> {
    let Dialed { response, mut driver } = dialed;
    let (head, mut body) = response.into_parts();
    // The announced length suffices: nothing of the body is read.
    if body.size_hint().lower() > limit {
        return Err(DialError::TooLarge(limit));
    }
    let mut bytes = Vec::new();
    let mut is_connected = true;
    loop {
        let frame = poll_fn(|context| {
            // When the connection has ended, the rest of the body has arrived, or the body reports why it has not.
            is_connected = is_connected && driver.as_mut().poll(context).is_pending();
            Pin::new(&mut body).poll_frame(context)
        });
        let Some(frame) = frame.await.transpose()? else {
            return Ok(Response::from_parts(head, bytes));
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() as u64 + data.len() as u64 > limit {
            return Err(DialError::TooLarge(limit));
        }
        bytes.extend_from_slice(&data);
    }
}
