//! The open connections: how many there may be of one address and in all, and which of them gives way to a new one.
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::activity::Activity;
use super::client_address::ClientAddress;
use super::listener::ConnectionLimits;

/// The connections that a server has open.
pub(super) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
    /// Rung when a connection has ended.
    ended: Notify,
    crowded: Notice,
    refused: Notice,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Arc<Connection>>,
    next_id: u64,
}

/// One of them.
pub(super) struct Connection {
    /// The address that it counts for; none for a trusted proxy, which speaks for many.
    peer: Option<String>,
    pub(super) activity: Activity,
    /// Rung when it must give way.
    closed: Notify,
}

impl Connection {
    /// Waits until the connection must give way to another.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }
}

/// The place of one connection among all. Dropping it gives the place to another.
pub(super) struct Place {
    connections: Arc<Connections>,
    id: u64,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().connections.remove(&self.id);
        self.connections.ended.notify_one();
    }
}

enum Admission {
    Place(Place),
    /// Every connection of the address is at work.
    Refused,
    /// Every connection of the server is at work.
    Full,
}

/// What a new connection has at least to say what it wants, however many others come.
const MOMENT: Duration = Duration::from_millis(200);

/// How long the server waits before it looks for an idle connection again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

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

    /// The place of a new connection, if its address may have one more. Waits while every connection is at work.
    pub(super) async fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let is_proxy = self.limits.is_proxy(address);
        let peer = (!is_proxy).then(|| ClientAddress(address).subject());
        loop {
            match self.try_admit(peer.as_deref()) {
                Admission::Place(place) => return Some(place),
                Admission::Refused => {
                    if let Some(times) = self.refused.due() {
                        let peer = peer.as_deref();
                        tracing::warn!(
                            peer,
                            times,
                            "a connection was refused: its address has as many requests under way as it may have connections"
                        );
                    }
                    return None;
                }
                Admission::Full => {}
            }
            // A connection that becomes idle does not ring.
            let _ = tokio::time::timeout(LOOK_AGAIN, self.ended.notified()).await;
        }
    }

    fn try_admit(self: &Arc<Self>, peer: Option<&str>) -> Admission {
        let mut open = self.open();
        let of_peer = open.connections.values().filter(|one| one.peer.as_deref() == peer);
        if peer.is_some() && of_peer.count() >= self.limits.connections_per_peer {
            let Some(idle) = open.longest_idle(|one| one.peer.as_deref() == peer) else {
                return Admission::Refused;
            };
            self.close(&mut open, idle, "an address has as many connections as it may have");
        }
        if open.connections.len() >= self.limits.connections {
            let had_its_moment =
                |one: &Connection| one.activity.idle_since().is_some_and(|since| since.elapsed() >= MOMENT);
            let Some(idle) = open.longest_idle(had_its_moment) else {
                if let Some(times) = self.crowded.due() {
                    tracing::warn!(times, "a connection waits: all that the server may have are at work");
                }
                return Admission::Full;
            };
            self.close(&mut open, idle, "the server has as many connections as it may have");
        }
        let connection = Arc::new(Connection {
            peer: peer.map(str::to_owned),
            activity: Activity::begin(),
            closed: Notify::new(),
        });
        let id = open.next_id;
        open.next_id += 1;
        open.connections.insert(id, connection.clone());
        Admission::Place(Place {
            connections: self.clone(),
            id,
            connection,
        })
    }

    /// Has an idle connection give way.
    fn close(&self, open: &mut Open, id: u64, reason: &str) {
        let Some(connection) = open.connections.remove(&id) else {
            return;
        };
        connection.closed.notify_one();
        if let Some(times) = self.crowded.due() {
            let peer = connection.peer.as_deref();
            let connections = open.connections.len();
            tracing::warn!(
                peer,
                times,
                connections,
                reason,
                "the connection that was idle for the longest time was closed"
            );
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Of these connections, the one that has waited for its client for the longest time.
    fn longest_idle(&self, is_candidate: impl Fn(&Connection) -> bool) -> Option<u64> {
        let candidates = self.connections.iter().filter(|(_, one)| is_candidate(one));
        let idle = candidates.filter_map(|(id, one)| Some((one.activity.idle_since()?, *id)));
        idle.min().map(|(_, id)| id)
    }
}

/// Something that is logged at most once in an interval, with the number of times that it happened.
#[derive(Default)]
struct Notice(Mutex<NoticeState>);

#[derive(Default)]
struct NoticeState {
    last: Option<Instant>,
    times: u64,
}

impl Notice {
    const INTERVAL: Duration = Duration::from_secs(60);

    /// Counts one more; returns how many there were since the last line if it is time for another.
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
