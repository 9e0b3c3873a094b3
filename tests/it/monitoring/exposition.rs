//! A strict reader of the text format of OpenMetrics.
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Labels = BTreeMap<String, String>;

/// Metrics as Prometheus reads them.
#[derive(Debug, Default)]
pub(crate) struct Exposition {
    pub(crate) families: BTreeMap<String, Family>,
}

#[derive(Debug)]
pub(crate) struct Family {
    kind: String,
    pub(crate) samples: Vec<Sample>,
}

#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: Labels,
    value: f64,
}

impl Exposition {
    /// Reads a text; panics if it violates the format.
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.strip_suffix("# EOF\n").expect("the text ends with # EOF");
        let mut all = Self::default();
        let mut current = String::new();
        let mut help = BTreeSet::new();
        for line in lines.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, words) = rest.split_once(' ').unwrap();
                assert!(words.len() > 10 && help.insert(name.to_owned()), "{line}");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(help.contains(name), "{line}");
                current = name.to_owned();
                let family = Family {
                    kind: kind.to_owned(),
                    samples: Vec::new(),
                };
                assert!(all.families.insert(current.clone(), family).is_none(), "twice: {line}");
            } else if let Some(rest) = line.strip_prefix("# UNIT ") {
                let (name, unit) = rest.split_once(' ').unwrap();
                assert!(name == current && name.ends_with(&format!("_{unit}")), "{line}");
            } else {
                let sample = Sample::parse(line);
                let family = all.families.get_mut(&current).expect("a sample follows its TYPE");
                assert!(
                    family.suffixes().contains(&sample.name.strip_prefix(&current).unwrap()),
                    "{line}"
                );
                family.samples.push(sample);
            }
        }
        for (name, family) in &all.families {
            family.check(name);
        }
        all
    }

    /// The sum of the samples of this name that have these labels.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |sample: &&Sample| {
            let mut wanted = labels.iter();
            sample.name == name
                && wanted.all(|(label, value)| sample.labels.get(*label).is_some_and(|own| own == value))
        };
        self.samples().filter(has).map(|sample| sample.value).sum()
    }

    pub(crate) fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.families.values().flat_map(|family| &family.samples)
    }
}

impl Family {
    /// The endings of the names of its samples.
    fn suffixes(&self) -> &'static [&'static str] {
        match self.kind.as_str() {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_sum", "_count", "_bucket"],
            "info" => &["_info"],
            other => panic!("unexpected type {other}"),
        }
    }

    fn check(&self, name: &str) {
        let mut seen = BTreeSet::new();
        for sample in &self.samples {
            assert!(
                seen.insert((&sample.name, &sample.labels)),
                "{name} repeats a sample: {sample:?}"
            );
            assert!(sample.value >= 0.0, "{sample:?}");
        }
        if self.kind == "histogram" {
            self.check_buckets(name);
        }
    }

    /// Buckets are cumulative, and the last contains everything.
    fn check_buckets(&self, name: &str) {
        let mut series: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.name.ends_with("_bucket")) {
            let mut labels = sample.labels.clone();
            let bound = labels.remove("le").unwrap().replace("+Inf", "inf").parse().unwrap();
            series.entry(labels).or_default().push((bound, sample.value));
        }
        assert!(!series.is_empty(), "{name}");
        for (labels, buckets) in series {
            let is_sorted = buckets
                .windows(2)
                .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
            assert!(is_sorted, "{name} {labels:?} {buckets:?}");
            let is_count = |sample: &&Sample| sample.name.ends_with("_count") && sample.labels == labels;
            let count = self.samples.iter().find(is_count).unwrap().value;
            assert_eq!(buckets.last(), Some(&(f64::INFINITY, count)), "{name} {labels:?}");
        }
    }
}

impl Sample {
    fn parse(line: &str) -> Self {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = match series.split_once('{') {
            None => (series, Labels::new()),
            Some((name, labels)) => (name, parse_labels(labels.strip_suffix('}').unwrap())),
        };
        assert!(
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{line}"
        );
        Self {
            name: name.to_owned(),
            labels,
            value: value.parse().unwrap_or_else(|_| panic!("{line}")),
        }
    }
}

/// Reads `a="1",b="2"`. No label of the server contains a quotation mark or a comma.
fn parse_labels(text: &str) -> Labels {
    let read = |label: &str| {
        let (name, value) = label.split_once('=').unwrap_or_else(|| panic!("{text}"));
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        (name.to_owned(), value.unwrap_or_else(|| panic!("{text}")).to_owned())
    };
    let labels: Labels = text.split(',').map(read).collect();
    assert_eq!(labels.len(), text.split(',').count(), "a label is repeated: {text}");
    labels
}
