//! The schedule of a run: which fault begins when, and how long it lasts. It depends on the seed, the length and the
//! number of nodes alone, so that a run can be repeated.
use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use fastrand::Rng;

use crate::settings::LEASE_SECONDS;

/// The time before the first fault, in which clients order something that the fault can hit.
const FIRST_FAULT: Duration = Duration::from_secs(3);

/// The time from the beginning of a fault to that of the next one, in milliseconds. It is shorter than most faults
/// last, so that they overlap.
const GAP_MILLISECONDS: RangeInclusive<u64> = 1_500..=5_000;

/// The time between two faults of the same part.
const REST: Duration = Duration::from_secs(2);

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    KillNode,
    StopNode,
    FreezeNode,
    FillDisk,
    AdvanceClock,
    SetBackClock,
    CrashDatabase,
    RestartDatabase,
    FreezeDatabase,
    AdvanceDatabaseClock,
    SetBackDatabaseClock,
    CutDatabase,
    StallDatabase,
    DelayDatabase,
    LoseDatabaseReplies,
    CutStorage,
    StallStorage,
    DelayStorage,
    LoseStorageReplies,
    FailStorage,
    FillStorage,
    FailProvider,
    HangProvider,
    ExchangePlugin,
    RemovePlugin,
}

/// A part of the installation. It has one fault at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Node(usize),
    /// The disk with the incoming files of a node.
    Disk(usize),
    /// The clock of the machine of a node.
    Clock(usize),
    Database,
    DatabaseLink(usize),
    StorageLink(usize),
    Providers,
    Plugins(usize),
}

/// A fault of the schedule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The time from the beginning of the run.
    pub at: Duration,
    /// The time until the fault is undone.
    pub lasts: Duration,
    pub kind: Kind,
    /// The number of the node, from 0, for a fault of one node.
    pub node: usize,
}

impl Kind {
    pub(crate) const ALL: [Self; 25] = [
        Self::KillNode,
        Self::StopNode,
        Self::FreezeNode,
        Self::FillDisk,
        Self::AdvanceClock,
        Self::SetBackClock,
        Self::CrashDatabase,
        Self::RestartDatabase,
        Self::FreezeDatabase,
        Self::AdvanceDatabaseClock,
        Self::SetBackDatabaseClock,
        Self::CutDatabase,
        Self::StallDatabase,
        Self::DelayDatabase,
        Self::LoseDatabaseReplies,
        Self::CutStorage,
        Self::StallStorage,
        Self::DelayStorage,
        Self::LoseStorageReplies,
        Self::FailStorage,
        Self::FillStorage,
        Self::FailProvider,
        Self::HangProvider,
        Self::ExchangePlugin,
        Self::RemovePlugin,
    ];

    /// The name of the fault, for the schedule and the figures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KillNode => "node killed",
            Self::StopNode => "node stopped and started",
            Self::FreezeNode => "node frozen",
            Self::FillDisk => "disk full",
            Self::AdvanceClock => "clock put forward",
            Self::SetBackClock => "clock put back",
            Self::CrashDatabase => "database crashed",
            Self::RestartDatabase => "database restarted",
            Self::FreezeDatabase => "database frozen",
            Self::AdvanceDatabaseClock => "database clock put forward",
            Self::SetBackDatabaseClock => "database clock put back",
            Self::CutDatabase => "database connections cut",
            Self::StallDatabase => "database connections stalled",
            Self::DelayDatabase => "database connections delayed",
            Self::LoseDatabaseReplies => "database replies lost",
            Self::CutStorage => "storage connections cut",
            Self::StallStorage => "storage connections stalled",
            Self::DelayStorage => "storage connections delayed",
            Self::LoseStorageReplies => "storage replies lost",
            Self::FailStorage => "storage answers 503",
            Self::FillStorage => "storage full",
            Self::FailProvider => "provider fails",
            Self::HangProvider => "provider hangs",
            Self::ExchangePlugin => "plugin exchanged",
            Self::RemovePlugin => "plugin removed",
        }
    }

    fn part(self, node: usize) -> Part {
        match self {
            Self::KillNode | Self::StopNode | Self::FreezeNode => Part::Node(node),
            Self::FillDisk => Part::Disk(node),
            Self::AdvanceClock | Self::SetBackClock => Part::Clock(node),
            // The clock must not jump during a restart: `pg_ctl` recognizes the new process by its time.
            Self::CrashDatabase
            | Self::RestartDatabase
            | Self::FreezeDatabase
            | Self::AdvanceDatabaseClock
            | Self::SetBackDatabaseClock => Part::Database,
            Self::CutDatabase | Self::StallDatabase | Self::DelayDatabase | Self::LoseDatabaseReplies => {
                Part::DatabaseLink(node)
            }
            Self::CutStorage
            | Self::StallStorage
            | Self::DelayStorage
            | Self::LoseStorageReplies
            | Self::FailStorage
            | Self::FillStorage => Part::StorageLink(node),
            Self::FailProvider | Self::HangProvider => Part::Providers,
            Self::ExchangePlugin | Self::RemovePlugin => Part::Plugins(node),
        }
    }

    /// The time that the fault lasts, in milliseconds.
    fn milliseconds(self) -> RangeInclusive<u64> {
        match self {
            // Nothing to undo: the part works again, or differs, when the fault has been injected.
            Self::CrashDatabase | Self::RestartDatabase | Self::ExchangePlugin => 0..=0,
            Self::KillNode | Self::StopNode => 200..=4_000,
            Self::FreezeNode => LEASE_SECONDS * 1_000 + 2_000..=LEASE_SECONDS * 1_000 + 6_000,
            Self::CutDatabase | Self::CutStorage | Self::LoseDatabaseReplies | Self::LoseStorageReplies => {
                1_000..=5_000
            }
            Self::FreezeDatabase
            | Self::StallDatabase
            | Self::DelayDatabase
            | Self::StallStorage
            | Self::DelayStorage
            | Self::FailStorage
            | Self::FillStorage => 2_000..=8_000,
            Self::FillDisk
            | Self::AdvanceClock
            | Self::SetBackClock
            | Self::AdvanceDatabaseClock
            | Self::SetBackDatabaseClock
            | Self::FailProvider
            | Self::HangProvider
            | Self::RemovePlugin => 3_000..=8_000,
        }
    }
}

impl Fault {
    pub(crate) fn part(&self) -> Part {
        self.kind.part(self.node)
    }

    fn end(&self) -> Duration {
        self.at + self.lasts
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:7.1} s  {}", self.at.as_secs_f64(), self.kind.name())?;
        match self.part() {
            Part::Database | Part::Providers => {}
            Part::Node(node)
            | Part::Disk(node)
            | Part::Clock(node)
            | Part::DatabaseLink(node)
            | Part::StorageLink(node)
            | Part::Plugins(node) => write!(formatter, ", node {node}")?,
        }
        if !self.lasts.is_zero() {
            write!(formatter, ", {:.1} s", self.lasts.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Returns the faults of a run in the order of their beginning. All are over when the run ends.
pub(crate) fn draw_up(seed: u64, length: Duration, nodes: usize) -> Vec<Fault> {
    let mut random = Rng::with_seed(seed);
    let mut faults = Vec::new();
    let mut free_at = HashMap::new();
    let mut deck = Vec::new();
    let mut now = FIRST_FAULT;
    while now < length {
        // Every kind is drawn once before one is drawn again, so that a short run has nearly all of them: a fault that
        // would end after the run is left out.
        if deck.is_empty() {
            deck.extend(Kind::ALL);
            random.shuffle(&mut deck);
        }
        let Some(kind) = deck.pop() else { break };
        let node = random.usize(..nodes);
        let lasts = Duration::from_millis(random.u64(kind.milliseconds()));
        let part = kind.part(node);
        let at = free_at.get(&part).copied().unwrap_or(now).max(now);
        let fault = Fault { at, lasts, kind, node };
        now += Duration::from_millis(random.u64(GAP_MILLISECONDS));
        if fault.end() <= length {
            free_at.insert(part, fault.end() + REST);
            faults.push(fault);
        }
    }
    faults.sort_by_key(|fault| fault.at);
    faults
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LENGTH: Duration = Duration::from_secs(75);

    #[test]
    fn a_seed_repeats_its_schedule() {
        assert_eq!(draw_up(7, LENGTH, 2), draw_up(7, LENGTH, 2));
        assert_ne!(draw_up(7, LENGTH, 2), draw_up(8, LENGTH, 2));
    }

    #[test]
    fn every_kind_of_fault_occurs_in_the_run_of_all_tests() {
        // `Faults::SHORT` in xtask.
        let faults = draw_up(1, Duration::from_secs(90), 2);
        let kinds: BTreeSet<Kind> = faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, BTreeSet::from(Kind::ALL));
    }

    #[test]
    fn every_node_has_faults() {
        let faults = draw_up(1, Duration::from_secs(180), 3);
        let nodes: BTreeSet<usize> = faults.iter().map(|fault| fault.node).collect();
        assert_eq!(nodes, BTreeSet::from([0, 1, 2]));
    }

    #[test]
    fn faults_end_with_the_run_and_a_part_has_one_at_a_time() {
        for seed in 0..50 {
            let faults = draw_up(seed, LENGTH, 2);
            assert!(faults.len() > 8, "{faults:?}");
            for (number, fault) in faults.iter().enumerate() {
                assert!(fault.end() <= LENGTH, "{fault}");
                let mut earlier = faults[..number].iter().filter(|other| other.part() == fault.part());
                assert!(
                    earlier.all(|other| other.end() + REST <= fault.at),
                    "{fault} in {faults:?}"
                );
            }
        }
    }
}
