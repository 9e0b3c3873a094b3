//! A client with a persistent connection over real TCP.
use std::net::SocketAddr;

use anyhow::{Context as _, ensure};
use axum::http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::load::Worker;

/// One connection that sends the same request again and again.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
}

impl Client {
    /// Connects to a server and prepares a `GET` of this path.
    pub(crate) async fn connect(address: SocketAddr, path: &str, key: &str) -> anyhow::Result<Self> {
        let request = Request::get(path)
            .header(header::HOST, "127.0.0.1")
            .header(header::AUTHORIZATION, format!("Bearer {key}"))
            .body(Full::default())?;
        Self::connect_for(address, request).await
    }

    pub(crate) async fn connect_for(address: SocketAddr, request: Request<Full<Bytes>>) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The task ends when the sender is dropped; the sender reports earlier errors.
        tokio::spawn(connection);
        Ok(Self { sender, request })
    }

    /// Sends the request; returns the body of the response, which must have status 200.
    pub(crate) async fn ask(&mut self) -> anyhow::Result<Bytes> {
        self.sender.ready().await?;
        let response = self
            .sender
            .send_request(self.request.clone())
            .await
            .context("no response")?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        ensure!(
            status == StatusCode::OK,
            "{} returns {status}: {}",
            self.request.uri(),
            String::from_utf8_lossy(&body)
        );
        Ok(body)
    }
}

impl Worker for Client {
    async fn once(&mut self) -> anyhow::Result<()> {
        self.ask().await.map(drop)
    }
}
