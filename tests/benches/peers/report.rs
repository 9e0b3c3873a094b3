//! Rounds in which two sides take turns, the ratio of each round, and the table of all comparisons.

/// One comparison, round by round.
pub(crate) struct Comparison {
    pub name: String,
    pub unit: Unit,
    /// The target in words.
    pub target: &'static str,
    rounds: Vec<Round>,
}

struct Round {
    ours: f64,
    peer: f64,
}

/// The number of rounds to measure: one in a brief run, which shows that a benchmark works, and no figures.
pub(crate) fn rounds(usual: usize) -> usize {
    if std::env::var_os("LINEPRESS_TEST_BENCH_BRIEF").is_some() {
        1
    } else {
        usual
    }
}

/// The unit of both sides of a comparison.
pub(crate) enum Unit {
    PerSecond,
    Microseconds,
    Milliseconds,
    Mebibytes,
}

impl Comparison {
    pub(crate) fn new(name: impl Into<String>, unit: Unit, target: &'static str) -> Self {
        Self {
            name: name.into(),
            unit,
            target,
            rounds: Vec::new(),
        }
    }

    /// Measures both sides in turn. The side that begins alternates, so that neither always runs second, when the
    /// machine is warm or throttled.
    pub(crate) async fn run<Ours, Peer>(mut self, rounds: usize, mut ours: Ours, mut peer: Peer) -> anyhow::Result<Self>
    where
        Ours: AsyncFnMut() -> anyhow::Result<f64>,
        Peer: AsyncFnMut() -> anyhow::Result<f64>,
    {
        // The first round fills caches and is not counted.
        for number in 0..=rounds {
            let round = if number % 2 == 0 {
                let ours = ours().await?;
                Round {
                    ours,
                    peer: peer().await?,
                }
            } else {
                let peer = peer().await?;
                Round {
                    ours: ours().await?,
                    peer,
                }
            };
            if number > 0 {
                self.push(round.ours, round.peer);
            }
        }
        eprintln!("measured {}", self.name);
        Ok(self)
    }

    pub(crate) fn push(&mut self, ours: f64, peer: f64) {
        self.rounds.push(Round { ours, peer });
    }

    fn sorted(&self, of: impl Fn(&Round) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = self.rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn row(&self) -> [String; 6] {
        let ratios = self.sorted(|round| round.ours / round.peer);
        let (least, most) = (
            ratios.first().copied().unwrap_or(f64::NAN),
            ratios.last().copied().unwrap_or(f64::NAN),
        );
        [
            self.name.clone(),
            self.unit.show(median(&self.sorted(|round| round.ours))),
            self.unit.show(median(&self.sorted(|round| round.peer))),
            ratio(median(&ratios)),
            format!("{} to {}", ratio(least), ratio(most)),
            self.target.into(),
        ]
    }
}

impl Unit {
    fn show(&self, value: f64) -> String {
        match self {
            Self::PerSecond => format!("{value:.0} /s"),
            Self::Microseconds => format!("{value:.2} µs"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Mebibytes => format!("{value:.1} MiB"),
        }
    }
}

/// Prints a Markdown table for a terminal or a document.
pub(crate) fn print(comparisons: &[Comparison]) {
    let head = ["", "ours", "peer", "ours / peer", "spread", "target"].map(String::from);
    let rows: Vec<[String; 6]> = std::iter::once(head)
        .chain(comparisons.iter().map(Comparison::row))
        .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        println!("| {} |", cells.join(" | "));
        if number == 0 {
            println!("|{}|", widths.map(|width| "-".repeat(width + 2)).join("|"));
        }
    }
}

/// Returns the median of sorted values.
fn median(sorted: &[f64]) -> f64 {
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (length, middle) if length % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        (_, middle) => sorted[middle],
    }
}

/// Formats a ratio, with two decimals if it is below 10.
fn ratio(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.0}")
    }
}
