//! A relay between a node and the database or the object store. Its connections can be cut, stalled and delayed, lose
//! replies, and be refused as an overloaded or a full S3 server refuses requests.
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use fastrand::Rng;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time;

/// The share of replies that are lost. A transaction has about ten.
const LOST_SHARE: f64 = 0.1;

/// The share of requests that are refused.
const REFUSED_SHARE: f64 = 0.5;

/// The time for which the rest of a refused request is read.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

const CHUNK_BYTES: usize = 16 * 1024;

/// The beginnings of HTTP requests.
const METHODS: [&[u8]; 5] = [b"DELETE ", b"GET ", b"HEAD ", b"POST ", b"PUT "];

/// The beginnings of HTTP requests that need space on the server. S3 deletes several objects with a POST as well, which
/// a full server may also refuse.
const WRITING_METHODS: [&[u8]; 2] = [b"POST ", b"PUT "];

/// The reply of an S3 server that is overloaded.
const SLOW_DOWN: &[u8] = b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The reply of an S3 server whose disks are full. MinIO uses this status.
const STORAGE_FULL: &[u8] = b"HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The condition of all connections of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    Working,
    /// Connections are closed, new ones at once.
    Cut,
    /// Bytes wait until the link is in another condition, like those of a network that repeats lost packets. So a
    /// request may reach its server long after the node gave up.
    Stalled,
    /// Every chunk of bytes waits for this time.
    Delayed(Duration),
    /// Some replies are dropped with their connection, after the server did what it was asked to do.
    LosingReplies,
    /// Some HTTP requests get a reply with status 503, and never reach the server.
    Refusing,
    /// HTTP requests that write get a reply with status 507, and never reach the server.
    Full,
}

/// A relay to one server.
pub(crate) struct Link {
    pub address: SocketAddr,
    condition: watch::Sender<Condition>,
}

impl Link {
    /// Starts a relay on a free port of the loopback interface. It ends with the runtime.
    pub(crate) async fn to(server: SocketAddr, random: Rng) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (condition, observed) = watch::channel(Condition::Working);
        tokio::spawn(accept(listener, server, observed, random));
        Ok(Self { address, condition })
    }

    /// Changes the condition of all connections, the current ones included.
    pub(crate) fn set(&self, condition: Condition) {
        self.condition.send_replace(condition);
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, condition: watch::Receiver<Condition>, mut random: Rng) {
    while let Ok((client, _)) = listener.accept().await {
        if *condition.borrow() != Condition::Cut {
            tokio::spawn(relay(client, server, condition.clone(), random.fork()));
        }
    }
}

/// The way in which a connection ends.
enum End {
    Closed,
    /// The request gets this reply in place of the server's.
    Refused(&'static [u8]),
}

#[derive(Clone, Copy)]
enum Direction {
    Requests,
    Replies,
}

async fn relay(mut client: TcpStream, server: SocketAddr, condition: watch::Receiver<Condition>, mut random: Rng) {
    let Ok(mut server) = TcpStream::connect(server).await else {
        return;
    };
    let end = {
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        let mut cut = condition.clone();
        let (requests, replies) = (random.fork(), random);
        tokio::select! {
            end = pass_on(from_client, to_server, Direction::Requests, condition.clone(), requests) => end,
            end = pass_on(from_server, to_client, Direction::Replies, condition, replies) => end,
            _ = cut.wait_for(|condition| *condition == Condition::Cut) => End::Closed,
        }
    };
    if let End::Refused(reply) = end {
        refuse(&mut client, reply).await;
    }
}

async fn pass_on(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    direction: Direction,
    mut condition: watch::Receiver<Condition>,
    mut random: Rng,
) -> End {
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            return End::Closed;
        }
        let chunk = &buffer[..read];
        // This fails only if the link no longer exists.
        let passable = condition.wait_for(|condition| *condition != Condition::Stalled).await;
        let Ok(now) = passable.map(|condition| *condition) else {
            return End::Closed;
        };
        match (now, direction) {
            (Condition::Delayed(delay), _) => time::sleep(delay).await,
            (Condition::LosingReplies, Direction::Replies) if random.f64() < LOST_SHARE => return End::Closed,
            (Condition::Refusing, Direction::Requests)
                if begins_with(chunk, &METHODS) && random.f64() < REFUSED_SHARE =>
            {
                return End::Refused(SLOW_DOWN);
            }
            (Condition::Full, Direction::Requests) if begins_with(chunk, &WRITING_METHODS) => {
                return End::Refused(STORAGE_FULL);
            }
            _ => {}
        }
        if to.write_all(chunk).await.is_err() {
            return End::Closed;
        }
    }
}

/// Returns true if the bytes begin an HTTP request with one of these methods, and are not the rest of a request that
/// the server has begun to read.
fn begins_with(chunk: &[u8], methods: &[&[u8]]) -> bool {
    methods.iter().any(|method| chunk.starts_with(method))
}

/// Sends a reply in place of the server's. Errors are those of a node that has closed the connection.
async fn refuse(client: &mut TcpStream, reply: &[u8]) {
    let replied = async {
        client.write_all(reply).await?;
        client.shutdown().await?;
        // To close a connection with unread bytes resets it, and the node would not receive the reply.
        tokio::io::copy(client, &mut tokio::io::sink()).await
    };
    let _ = time::timeout(DRAIN_TIMEOUT, replied).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends back what it receives, and a link to it.
    async fn echo() -> Link {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let (mut from, mut to) = connection.split();
                    tokio::io::copy(&mut from, &mut to).await
                });
            }
        });
        Link::to(address, Rng::with_seed(1)).await.unwrap()
    }

    async fn exchange(connection: &mut TcpStream, sent: &[u8]) -> Vec<u8> {
        connection.write_all(sent).await.unwrap();
        let mut received = vec![0; 200];
        let read = connection.read(&mut received).await.unwrap_or(0);
        received.truncate(read);
        received
    }

    #[tokio::test]
    async fn a_working_link_passes_on_both_directions() {
        let link = echo().await;
        let mut connection = TcpStream::connect(link.address).await.unwrap();
        assert_eq!(exchange(&mut connection, b"a fox").await, b"a fox");
        link.set(Condition::Delayed(Duration::from_millis(1)));
        assert_eq!(exchange(&mut connection, b"a hen").await, b"a hen");
    }

    #[tokio::test]
    async fn a_cut_link_closes_present_and_new_connections() {
        let link = echo().await;
        let mut present = TcpStream::connect(link.address).await.unwrap();
        assert_eq!(exchange(&mut present, b"a fox").await, b"a fox");
        link.set(Condition::Cut);
        assert_eq!(present.read(&mut [0]).await.unwrap_or(0), 0);
        let mut new = TcpStream::connect(link.address).await.unwrap();
        assert_eq!(new.read(&mut [0]).await.unwrap_or(0), 0);
        link.set(Condition::Working);
        let mut later = TcpStream::connect(link.address).await.unwrap();
        assert_eq!(exchange(&mut later, b"a hen").await, b"a hen");
    }

    #[tokio::test]
    async fn a_stalled_link_passes_on_later() {
        let link = echo().await;
        let mut connection = TcpStream::connect(link.address).await.unwrap();
        link.set(Condition::Stalled);
        let reply = tokio::spawn(async move { exchange(&mut connection, b"a fox").await });
        time::sleep(Duration::from_millis(50)).await;
        assert!(!reply.is_finished());
        link.set(Condition::Working);
        assert_eq!(reply.await.unwrap(), b"a fox");
    }

    #[tokio::test]
    async fn a_refusing_link_replies_in_place_of_the_server() {
        let link = echo().await;
        link.set(Condition::Refusing);
        let mut replies = Vec::new();
        for _ in 0..40 {
            let mut connection = TcpStream::connect(link.address).await.unwrap();
            replies.push(exchange(&mut connection, b"PUT /fox HTTP/1.1\r\n\r\n").await);
        }
        let refused = replies
            .iter()
            .filter(|reply| reply.starts_with(b"HTTP/1.1 503 "))
            .count();
        assert!((1..40).contains(&refused), "{refused} of 40");
    }

    #[tokio::test]
    async fn a_full_link_refuses_what_writes_and_passes_on_what_reads() {
        let link = echo().await;
        link.set(Condition::Full);
        for (request, is_refused) in [
            (&b"PUT /fox HTTP/1.1\r\n\r\n"[..], true),
            (b"POST /fox?uploads HTTP/1.1\r\n\r\n", true),
            (b"GET /fox HTTP/1.1\r\n\r\n", false),
            (b"DELETE /fox HTTP/1.1\r\n\r\n", false),
        ] {
            let mut connection = TcpStream::connect(link.address).await.unwrap();
            let reply = exchange(&mut connection, request).await;
            assert_eq!(reply.starts_with(b"HTTP/1.1 507 "), is_refused, "{reply:?}");
        }
    }

    #[tokio::test]
    async fn a_link_that_loses_replies_closes_their_connections() {
        let link = echo().await;
        link.set(Condition::LosingReplies);
        let mut lost = 0;
        for _ in 0..100 {
            let mut connection = TcpStream::connect(link.address).await.unwrap();
            lost += usize::from(exchange(&mut connection, b"a fox").await.is_empty());
        }
        assert!((1..50).contains(&lost), "{lost} of 100");
    }
}
