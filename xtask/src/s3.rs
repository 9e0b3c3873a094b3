//! An S3 server for the tests: Moto, which answers like Amazon S3 and stores nothing. The list of its packages is in
//! tests/s3.

use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tempfile::TempDir;

use crate::project::Project;
use crate::{interrupt, python, server};

/// The time until a started server must accept connections.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The credentials that the tests use, as environment variables. Moto accepts any.
pub(crate) const CREDENTIALS: [(&str, &str); 2] = [
    ("AWS_ACCESS_KEY_ID", "linepress"),
    ("AWS_SECRET_ACCESS_KEY", "linepress"),
];

/// A running server. Dropping it stops the server, and its objects are gone.
pub(crate) struct S3 {
    child: Child,
    _folder: TempDir,
    pub url: String,
}

impl S3 {
    /// Installs the server if it is missing, and starts it on a free port of the loopback interface.
    pub(crate) fn start(project: &Project) -> anyhow::Result<Self> {
        let requirements = project.root.join("tests").join("s3").join("requirements.txt");
        let programs = python::environment("s3", &requirements)?;
        let folder = tempfile::Builder::new().prefix("linepress-s3-").tempdir()?;
        let port = server::free_port()?;
        let child = python::command(&programs, "moto_server", folder.path())?
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .stdin(Stdio::null())
            // It writes a line for each request.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("the S3 server cannot be started")?;
        let mut server = Self {
            child,
            _folder: folder,
            url: format!("http://127.0.0.1:{port}"),
        };
        server.wait(port)?;
        Ok(server)
    }

    fn wait(&mut self, port: u16) -> anyhow::Result<()> {
        let end = Instant::now() + START_TIMEOUT;
        while Instant::now() < end {
            interrupt::check()?;
            if let Some(status) = self.child.try_wait()? {
                bail!("the S3 server ended before it was ready ({status})");
            }
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("the S3 server was not ready within {} seconds", START_TIMEOUT.as_secs())
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        // These calls fail only if the server has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
