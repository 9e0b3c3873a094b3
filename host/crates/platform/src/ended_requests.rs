//! The requests of accounts that have ended on this node and wait to be written to the request log. A request never
//! waits for the log: when too many of them wait, the others are left out and counted.
use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use linepress_model::text_enum;

use crate::clock::Timestamp;
use crate::ids::{AccountId, GrantId, KeyId};

/// The number of requests that may wait on a node.
pub const MAX_WAITING: usize = 2_000;

/// The number of requests of one account that may wait on a node, so that one account does not displace the others.
pub const MAX_WAITING_PER_ACCOUNT: usize = 500;

text_enum! {
    /// An interface whose requests are logged.
    pub enum RequestInterface {
        /// A request to the REST interface.
        Rest = "rest",
        /// A message of an agent.
        Mcp = "mcp",
    }
}

/// A request of an account that has ended.
#[derive(Clone, Debug)]
pub struct EndedRequest {
    pub account_id: AccountId,
    pub key_id: Option<KeyId>,
    pub grant_id: Option<GrantId>,
    pub interface: RequestInterface,
    pub method: &'static str,
    /// The pattern of the address, without ids; `None` if there is no such address.
    pub route: Option<String>,
    /// The tool that was called.
    pub tool: Option<&'static str>,
    pub status: u16,
    /// The error code.
    pub code: Option<&'static str>,
    pub duration: Duration,
    pub request_id: String,
    pub ended_at: Timestamp,
}

/// The requests that wait. One task takes them all at intervals.
#[derive(Debug, Default)]
pub struct EndedRequests(Mutex<Waiting>);

/// The requests that have ended since they were taken last.
#[derive(Debug, Default)]
pub struct Waiting {
    pub requests: Vec<EndedRequest>,
    /// The number of further requests, which were left out.
    pub left_out: u64,
    by_account: HashMap<AccountId, usize>,
}

impl EndedRequests {
    /// Adds a request of this account, unless too many wait. While an account floods the server, most requests are left
    /// out, so `request` is called only for the others.
    pub fn add(&self, account: &AccountId, request: impl FnOnce() -> EndedRequest) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_account = waiting.by_account.get(account).copied().unwrap_or(0);
        if waiting.requests.len() >= MAX_WAITING || of_account >= MAX_WAITING_PER_ACCOUNT {
            waiting.left_out += 1;
            return;
        }
        match waiting.by_account.get_mut(account) {
            Some(count) => *count += 1,
            None => drop(waiting.by_account.insert(account.clone(), 1)),
        }
        waiting.requests.push(request());
    }

    /// Takes all requests that wait.
    pub fn take(&self) -> Waiting {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has a request of this account end.
    fn end(ended: &EndedRequests, account: &str) {
        let account = AccountId::from_text(account);
        ended.add(&account, || request(&account));
    }

    fn request(account: &AccountId) -> EndedRequest {
        EndedRequest {
            account_id: account.clone(),
            key_id: None,
            grant_id: None,
            interface: RequestInterface::Rest,
            method: "GET",
            route: None,
            tool: None,
            status: 200,
            code: None,
            duration: Duration::ZERO,
            request_id: "req_1".into(),
            ended_at: Timestamp::from_microseconds(0),
        }
    }

    #[test]
    fn an_account_that_sends_much_does_not_displace_the_others() {
        let ended = EndedRequests::default();
        for _ in 0..MAX_WAITING_PER_ACCOUNT + 3 {
            end(&ended, "acct_1");
        }
        end(&ended, "acct_2");
        let waiting = ended.take();
        assert_eq!(waiting.requests.len(), MAX_WAITING_PER_ACCOUNT + 1);
        assert_eq!(waiting.left_out, 3);
        assert!(ended.take().requests.is_empty());
    }

    #[test]
    fn the_requests_of_a_node_are_limited() {
        let ended = EndedRequests::default();
        for number in 0..=MAX_WAITING {
            end(&ended, &format!("acct_{number}"));
        }
        let waiting = ended.take();
        assert_eq!((waiting.requests.len(), waiting.left_out), (MAX_WAITING, 1));
    }
}
