//! The open connections: their limits per address and in total, and the choice of the one that is closed for a new one.
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ipnet::IpNet;
use tokio::sync::Notify;

use super::activity::Activity;
use super::client_address::ClientAddress;

/// The limits on connections, against clients that send nothing or read nothing.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// The most open connections. Above this, the connection that has been idle for longest is closed; while none is
    /// idle, new connections wait.
    pub max_connections: usize,
    /// The most open connections per address. Above this, the one that has been idle for longest is closed for a new
    /// one, which is refused if all are busy or too many were replaced. All addresses of an IPv6 /64 network count as
    /// one.
    pub max_connections_per_peer: usize,
    /// Reverse proxies, whose connections do not count against the limit per address.
    pub trusted_proxies: Vec<IpNet>,
    /// The longest time for the headers of a request, measured from when the connection was opened or its last response
    /// was sent.
    pub headers_timeout: Duration,
    /// The longest time that a client may read nothing of a pending response. A client that reads slowly is never cut
    /// off: each byte that it reads restarts the time.
    pub unread_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            max_connections: 1_000,
            max_connections_per_peer: 250,
            trusted_proxies: Vec::new(),
            headers_timeout: Duration::from_secs(30),
            unread_timeout: Duration::from_secs(30),
        }
    }
}

impl ConnectionLimits {
    fn is_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxies.iter().any(|network| network.contains(&address))
    }
}

/// All open connections of a server.
pub(super) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
    /// Notified when a connection has ended.
    ended: Notify,
    crowded: Notice,
    refused: Notice,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Arc<Connection>>,
    /// The addresses that have open connections.
    peers: HashMap<String, Peer>,
    next_id: u64,
}

/// An address with open connections.
struct Peer {
    connections: usize,
    replacements: Replacements,
}

/// One open connection.
pub(super) struct Connection {
    /// The address that the connection counts for; `None` for a trusted proxy, which forwards many clients.
    peer: Option<String>,
    pub(super) activity: Arc<Activity>,
    /// Notified when this connection must be closed to make room.
    closed: Notify,
}

impl Connection {
    /// Waits until the connection must be closed to make room for another.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }
}

/// The place of one connection within the limits. Dropping it frees the place.
pub(super) struct Place {
    connections: Arc<Connections>,
    id: u64,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().remove(self.id);
        self.connections.ended.notify_one();
    }
}

enum Admission {
    Place(Place),
    /// The address has reached its limit, and none of its connections can be closed for another.
    PeerFull,
    /// All connections of the server have requests in progress, or are too new to be closed.
    ServerFull,
}

/// The time that a new connection has to send its request before it may be closed for another, however many others
/// arrive.
const MIN_TIME_TO_SEND: Duration = Duration::from_millis(200);

/// The replacements that an address with its full number of connections has at once, and how many it regains per
/// second. Each costs the server a request that was begun and is given up, and the search for the longest idle
/// connection: an address that renews its connections thousands of times per second must not occupy the server with
/// them.
const MAX_REPLACEMENTS: f64 = 50.0;
const REPLACEMENTS_PER_SECOND: f64 = 10.0;

/// How often a waiting connection checks again for an idle one to replace.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_millis(100);

impl Connections {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            open: Mutex::default(),
            ended: Notify::new(),
            crowded: Notice::default(),
            refused: Notice::default(),
        })
    }

    /// Finds a place for a new connection; returns `None` if its address has reached its limit, and either all its
    /// connections are busy or it has used up its replacements. Waits while all connections of the server are busy.
    pub(super) async fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let is_proxy = self.limits.is_proxy(address);
        let peer = (!is_proxy).then(|| ClientAddress(address).subject());
        loop {
            match self.try_admit(peer.as_deref()) {
                Admission::Place(place) => return Some(place),
                Admission::PeerFull => {
                    if let Some(times) = self.refused.due() {
                        let peer = peer.as_deref();
                        tracing::warn!(
                            peer,
                            times,
                            "connection refused: its address has reached its limit, and its connections are busy or are replaced too often"
                        );
                    }
                    return None;
                }
                Admission::ServerFull => {}
            }
            // A connection that becomes idle does not notify, so check again after a while.
            let _ = tokio::time::timeout(IDLE_CHECK_INTERVAL, self.ended.notified()).await;
        }
    }

    fn try_admit(self: &Arc<Self>, peer: Option<&str>) -> Admission {
        let mut open = self.open();
        if let Some(peer) = peer
            && open.connections_of(peer) >= self.limits.max_connections_per_peer
        {
            let idle = open
                .may_replace(peer)
                .then(|| open.longest_idle(|connection| connection.peer.as_deref() == Some(peer)));
            let Some(idle) = idle.flatten() else {
                return Admission::PeerFull;
            };
            self.close(&mut open, idle, "the address has reached its connection limit");
        }
        if open.connections.len() >= self.limits.max_connections {
            let had_time_to_send = |connection: &Connection| {
                connection
                    .activity
                    .idle_since()
                    .is_some_and(|since| since.elapsed() >= MIN_TIME_TO_SEND)
            };
            let Some(idle) = open.longest_idle(had_time_to_send) else {
                if let Some(times) = self.crowded.due() {
                    tracing::warn!(
                        times,
                        "connection is waiting: the server has reached its limit, and all connections have requests in progress"
                    );
                }
                return Admission::ServerFull;
            };
            self.close(&mut open, idle, "the server has reached its connection limit");
        }
        let connection = Arc::new(Connection {
            peer: peer.map(str::to_owned),
            activity: Arc::new(Activity::begin()),
            closed: Notify::new(),
        });
        let id = open.insert(connection.clone());
        Admission::Place(Place {
            connections: self.clone(),
            id,
            connection,
        })
    }

    /// Closes an idle connection to make room.
    fn close(&self, open: &mut Open, id: u64, reason: &str) {
        let Some(connection) = open.remove(id) else { return };
        connection.closed.notify_one();
        if let Some(times) = self.crowded.due() {
            let peer = connection.peer.as_deref();
            let connections = open.connections.len();
            tracing::warn!(
                peer,
                times,
                connections,
                reason,
                "closed the connection that was idle for longest"
            );
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn insert(&mut self, connection: Arc<Connection>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(peer) = &connection.peer {
            self.peers.entry(peer.clone()).or_default().connections += 1;
        }
        self.connections.insert(id, connection);
        id
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Connection>> {
        let connection = self.connections.remove(&id)?;
        if let Some(name) = &connection.peer
            && let Some(peer) = self.peers.get_mut(name)
        {
            peer.connections -= 1;
            if peer.connections == 0 {
                self.peers.remove(name);
            }
        }
        Some(connection)
    }

    fn connections_of(&self, peer: &str) -> usize {
        self.peers.get(peer).map_or(0, |peer| peer.connections)
    }

    /// Uses up one of the replacements of an address; returns false if it has none left.
    fn may_replace(&mut self, peer: &str) -> bool {
        self.peers
            .get_mut(peer)
            .is_some_and(|peer| peer.replacements.take(Instant::now()))
    }

    /// Returns the candidate that has waited for its client for the longest time; `None` if no candidate is idle.
    fn longest_idle(&self, is_candidate: impl Fn(&Connection) -> bool) -> Option<u64> {
        let candidates = self
            .connections
            .iter()
            .filter(|(_, connection)| is_candidate(connection));
        let idle = candidates.filter_map(|(id, connection)| Some((connection.activity.idle_since()?, *id)));
        idle.min().map(|(_, id)| id)
    }
}

impl Default for Peer {
    fn default() -> Self {
        Self {
            connections: 0,
            replacements: Replacements {
                left: MAX_REPLACEMENTS,
                since: Instant::now(),
            },
        }
    }
}

/// The replacements that an address has left, as a token bucket.
struct Replacements {
    left: f64,
    since: Instant,
}

impl Replacements {
    fn take(&mut self, now: Instant) -> bool {
        let regained = now.duration_since(self.since).as_secs_f64() * REPLACEMENTS_PER_SECOND;
        self.left = (self.left + regained).min(MAX_REPLACEMENTS);
        self.since = now;
        if self.left < 1.0 {
            return false;
        }
        self.left -= 1.0;
        true
    }
}

/// A log message that is written at most once per interval, with the number of events since the last one.
#[derive(Default)]
struct Notice(Mutex<NoticeState>);

#[derive(Default)]
struct NoticeState {
    last: Option<Instant>,
    times: u64,
}

impl Notice {
    const INTERVAL: Duration = Duration::from_secs(60);

    /// Counts an event. Returns the number of events since the last message if the next message is due.
    fn due(&self) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.last.is_some_and(|last| last.elapsed() < Self::INTERVAL) {
            return None;
        }
        state.last = Some(Instant::now());
        Some(std::mem::take(&mut state.times))
    }
}
