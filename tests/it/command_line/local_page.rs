//! The web page that a command shows to the user of this machine.
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// A command with a page. It ends when this is dropped.
pub(super) struct LocalPage {
    child: Child,
    url: String,
}

impl LocalPage {
    /// Starts the command, and reads the address that it prints first.
    pub(super) fn open(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().expect("it prints the address").unwrap();
        // An unread pipe would fill up and block the command.
        std::thread::spawn(move || lines.for_each(drop));
        let url = first.rsplit(' ').next().unwrap().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{first}");
        Self { child, url }
    }

    pub(super) fn get(&self, path: &str) -> Vec<u8> {
        let url = format!("{}{}", self.url, path.trim_start_matches('/'));
        let mut reply = ureq::get(url).call().unwrap();
        reply.body_mut().read_to_vec().unwrap()
    }

    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8(self.get(path)).unwrap()
    }

    pub(super) fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.get(path)).unwrap()
    }

    /// Polls JSON until it satisfies the condition.
    #[track_caller]
    pub(super) fn json_when(&self, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let found = self.json(path);
            if is_so(&found) {
                return found;
            }
            assert!(began.elapsed() < Duration::from_secs(120), "{found}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Fails unless the page is hidden from names that an attacker may point at this machine, and has a policy.
    pub(super) fn expect_guarded(&self) {
        let reply = ureq::get(&self.url).header("Host", "example.com").call();
        assert!(matches!(reply, Err(ureq::Error::StatusCode(403))), "{reply:?}");
        let policy = ureq::get(&self.url).call().unwrap();
        let policy = policy.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'"), "{policy}");
    }
}

impl Drop for LocalPage {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
