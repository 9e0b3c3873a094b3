//! A server for a test whose thread is blocked by what it tests.
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::{Handle, Runtime};

/// A server on loopback, on a runtime of its own.
pub(crate) struct Loopback {
    runtime: Option<Runtime>,
    pub(crate) address: SocketAddr,
}

impl Loopback {
    pub(crate) fn serve(router: Router) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await
        });
        Self {
            runtime: Some(runtime),
            address,
        }
    }

    pub(crate) fn runtime(&self) -> Handle {
        self.runtime.as_ref().unwrap().handle().clone()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        // A runtime cannot be dropped where another one runs.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
