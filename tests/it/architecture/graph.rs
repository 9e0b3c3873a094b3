//! The imports between the modules at the top of a crate.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::str::FromStr as _;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::sources::gather;

/// The modules that each module imports.
pub(super) type Edges = BTreeMap<String, BTreeSet<String>>;

/// Reads the paths that begin with `crate`, and those that reach the top of the crate by `super`, in the sources below
/// a folder. Unit tests do not count.
pub(super) fn module_edges(source: &Path) -> Edges {
    let mut files = Vec::new();
    gather(source, "rs", &mut files);
    let mut edges = Edges::new();
    for file in &files {
        let path = file.strip_prefix(source).unwrap().with_extension("");
        let mut parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        let tokens = TokenStream::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let imports = edges.entry(parts[0].clone()).or_default();
        walk(tokens, parts.len(), imports);
    }
    let modules: BTreeSet<String> = edges.keys().cloned().collect();
    for (module, imports) in &mut edges {
        imports.retain(|import| modules.contains(import) && import != module);
    }
    edges.retain(|module, _| !["lib", "main"].contains(&module.as_str()));
    edges
}

/// Adds the first names of paths from the crate's top. `depth` is the number of `super` that leads there.
fn walk(tokens: TokenStream, depth: usize, imports: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut index = 0;
    while index < tokens.len() {
        if is_test_module(&tokens[index..]) {
            index += 5;
            continue;
        }
        match &tokens[index] {
            TokenTree::Group(group) => walk(group.stream(), depth, imports),
            TokenTree::Ident(ident) if ident == "crate" => first_names(&tokens[index + 1..], imports),
            TokenTree::Ident(ident) if ident == "super" => {
                let mut rest = index + 1;
                let mut ups = 1;
                while matches!(&tokens.get(rest + 2), Some(TokenTree::Ident(next)) if next == "super") {
                    ups += 1;
                    rest += 3;
                }
                if ups == depth {
                    first_names(&tokens[rest..], imports);
                }
                index = rest - 1;
            }
            _ => {}
        }
        index += 1;
    }
}

/// Returns true at `#[cfg(test)] mod name { ... }`.
fn is_test_module(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(hash), TokenTree::Group(attribute), TokenTree::Ident(word), TokenTree::Ident(_), TokenTree::Group(_), ..]
        if hash.as_char() == '#' && word == "mod" && attribute.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// Adds the name after `::`, or all names of a group after it.
fn first_names(tokens: &[TokenTree], imports: &mut BTreeSet<String>) {
    let [TokenTree::Punct(one), TokenTree::Punct(other), next, ..] = tokens else {
        return;
    };
    if one.as_char() != ':' || other.as_char() != ':' {
        return;
    }
    match next {
        TokenTree::Ident(name) => {
            imports.insert(name.to_string());
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let mut is_first = true;
            for token in group.stream() {
                match token {
                    TokenTree::Ident(name) if is_first => {
                        imports.insert(name.to_string());
                        is_first = false;
                    }
                    TokenTree::Punct(comma) if comma.as_char() == ',' => is_first = true,
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The sets of modules that reach each other.
pub(super) fn cycles(edges: &Edges) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|module| (module, reach(edges, module))).collect();
    let mut cycles: BTreeSet<Vec<String>> = BTreeSet::new();
    for module in edges.keys() {
        if reached[module].contains(module) {
            let members = reached[module].iter().filter(|other| reached[**other].contains(module));
            cycles.insert(members.map(|member| (*member).clone()).collect());
        }
    }
    cycles.into_iter().collect()
}

fn reach<'a>(edges: &'a Edges, from: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = edges[from].iter().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(edges.get(module).into_iter().flatten());
        }
    }
    reached
}

#[test]
fn paths_are_found_however_they_are_written() {
    let source = "use crate::{a, b::{c, d}}; use super::e; fn f() { crate::g::h(); super::super::i(); }
                  #[cfg(test)] mod tests { use crate::j; }";
    let mut imports = BTreeSet::new();
    walk(source.parse().unwrap(), 1, &mut imports);
    assert_eq!(Vec::from_iter(imports), ["a", "b", "e", "g"]);
}

#[test]
fn a_cycle_is_found_and_a_line_is_not() {
    let edges = |pairs: &[(&str, &[&str])]| {
        let imports = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        pairs
            .iter()
            .map(|(module, names)| ((*module).to_owned(), imports(names)))
            .collect()
    };
    assert_eq!(
        cycles(&edges(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])),
        Vec::<Vec<String>>::new()
    );
    let cycle = cycles(&edges(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]));
    assert_eq!(cycle, [["b", "c"]]);
}
