//! Recordings of the requests of a plugin, which are replayed without the network.
use std::io::{BufRead as _, BufReader};

use super::Author;
use crate::command_line::Typist as _;

/// Starts a server that responds to one request after the other until it is stopped.
fn small_server() -> (std::net::SocketAddr, std::thread::JoinHandle<usize>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || {
        let mut served = 0;
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut head = String::new();
            let mut lines = BufReader::new(&mut connection);
            while lines.read_line(&mut head).unwrap() > 2 {}
            if head.starts_with("GET /end") {
                break;
            }
            served += 1;
            let reply = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\na cat";
            std::io::Write::write_all(&mut connection, reply.as_bytes()).unwrap();
        }
        served
    });
    (address, serving)
}

#[test]
fn recorded_requests_are_replayed_without_the_network() {
    let author = Author::with(&["testbed.courier"]);
    let (address, serving) = small_server();
    let settings = format!(
        "[plugins.\"testbed.courier\"]\nmirror = \"http://{address}\"\n\
         requests = [{{ scheme = \"http\", authority = \"{address}\", path = \"/cat.png?a=b\" }}]\n"
    );
    std::fs::write(author.folder.path().join("linepress.toml"), settings).unwrap();
    std::fs::write(author.folder.path().join("key"), "s3cret").unwrap();
    let once = [
        "try",
        "plugins.d/testbed.courier",
        "--prompt",
        "A cat",
        "--aspect",
        "square",
    ];
    assert!(
        author
            .is_refused(&once)
            .contains("linepress plugin allow testbed.courier")
    );
    let private = format!("http://{address}");
    author.reads(&[
        "allow",
        "testbed.courier",
        "--private",
        &private,
        "--credential",
        "api_key=file:key",
    ]);

    let told = author.is_refused(&[&once[..], &["--record", "cat.jsonl"]].concat());
    assert!(told.contains("200 5 a cat"), "{told}");
    std::io::Write::write_all(&mut std::net::TcpStream::connect(address).unwrap(), b"GET /end\r\n\r\n").unwrap();
    assert_eq!(serving.join().unwrap(), 1);
    let kept = std::fs::read_to_string(author.folder.path().join("cat.jsonl")).unwrap();
    assert!(
        kept.contains(&format!("\"url\":\"http://{address}/cat.png?a=b\"")),
        "{kept}"
    );
    assert!(author.is_refused(&once).contains("DestinationUnavailable"));

    // A replay needs neither an approval nor a key.
    author.reads(&["deny", "testbed.courier"]);
    let told = author.is_refused(&[&once[..], &["--replay", "cat.jsonl"]].concat());
    assert!(told.contains("200 5 a cat"), "{told}");
    let told = author.is_refused(&["check", "plugins.d/testbed.courier", "--replay", "cat.jsonl"]);
    assert!(
        told.contains("PROBLEM  square, child: failed: [\"200 5 a cat\"]"),
        "{told}"
    );
    let told = author.reads(&["check", "plugins.d/testbed.courier"]);
    assert!(told.contains("there is no network in this check"), "{told}");
}
