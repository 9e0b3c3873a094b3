//! The permission checks of the concepts' public functions.
use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::sources::all_sources;

/// A public function that acts for a caller or for an operator.
pub(super) struct ActingFunction {
    /// Its module's file and its name.
    pub(super) name: String,
    /// True if its body begins with a check of the caller.
    pub(super) is_checked: bool,
}

/// The public functions of the concepts with a parameter `caller: &Caller` or `actor: &Actor`. Functions that work
/// within a transaction do not count: the function that began it has checked the caller.
pub(super) fn acting_functions() -> Vec<ActingFunction> {
    let functions = public_functions().into_iter();
    let acting = functions.filter(|(_, function)| function.acts());
    acting
        .map(|(path, function)| ActingFunction {
            name: format!("{}: {}", path.display(), function.name),
            is_checked: function.is_checked(),
        })
        .collect()
}

/// The public functions of the concepts whose return type names this type, each by its module's file and its name.
pub(super) fn public_functions_that_return(name: &str) -> Vec<String> {
    let functions = public_functions().into_iter();
    let returning = functions.filter(|(_, function)| function.returns.iter().any(|word| word == name));
    returning
        .map(|(path, function)| format!("{}: {}", path.display(), function.name))
        .collect()
}

fn public_functions() -> Vec<(PathBuf, PublicFunction)> {
    let mut found = Vec::new();
    for (path, text) in all_sources("host") {
        let folders = CONCEPTS.iter().chain([&PUBLISHING, &REVIEWS]);
        let Some(path) = folders.into_iter().find_map(|folder| path.strip_prefix(folder).ok()) else {
            continue;
        };
        let mut functions = Vec::new();
        gather(text.parse().unwrap(), &mut functions);
        found.extend(functions.into_iter().map(|function| (path.to_owned(), function)));
    }
    found
}

/// The sources of the concepts.
pub(super) const CONCEPTS: [&str; 5] = [
    "host/crates/accounts/src",
    "host/crates/core/src",
    "host/crates/drawings/src",
    "host/crates/operator/src",
    "host/crates/planning/src",
];

/// The sources of publishing, which acts for callers by means of the concepts.
const PUBLISHING: &str = "host/crates/publishing/src";

/// The sources of review links, which act for callers in the same way.
const REVIEWS: &str = "host/crates/reviews/src";

/// A public function, as words.
struct PublicFunction {
    name: String,
    parameters: Vec<String>,
    returns: Vec<String>,
    /// The first three words of its body.
    beginning: Vec<String>,
}

impl PublicFunction {
    fn acts(&self) -> bool {
        let has = |word: &str| self.parameters.iter().any(|parameter| parameter == word);
        let names = |name: &str, kind: &str| self.parameters.windows(2).any(|pair| pair == [name, ":"]) && has(kind);
        (names("caller", "Caller") || names("actor", "Actor")) && !has("Tx")
    }

    fn is_checked(&self) -> bool {
        matches!(&self.beginning[..], [who, dot, check]
            if (who == "caller" && dot == "." && check.starts_with("require"))
                || (who == "actor" && dot == "." && check == "require_operator"))
    }
}

fn gather(tokens: TokenStream, found: &mut Vec<PublicFunction>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => gather(group.stream(), found),
            TokenTree::Ident(word) if word == "fn" && is_public(&tokens[..index]) => {
                found.push(read_function(&tokens[index + 1..]));
            }
            _ => {}
        }
    }
}

/// Reads a function from the tokens after `fn`.
fn read_function(tokens: &[TokenTree]) -> PublicFunction {
    let group_at = |from: usize, delimiter| {
        let groups = tokens.iter().enumerate().skip(from);
        let mut groups = groups.filter_map(|(index, token)| match token {
            TokenTree::Group(group) if group.delimiter() == delimiter => Some((index, group)),
            _ => None,
        });
        groups.next().unwrap()
    };
    let (end, parameters) = group_at(0, Delimiter::Parenthesis);
    let (body_at, body) = group_at(end, Delimiter::Brace);
    PublicFunction {
        name: tokens[0].to_string(),
        parameters: words(parameters.stream()),
        returns: all_words(tokens[end + 1..body_at].iter().cloned().collect()),
        beginning: words(body.stream()).into_iter().take(3).collect(),
    }
}

fn words(tokens: TokenStream) -> Vec<String> {
    tokens.into_iter().map(|token| token.to_string()).collect()
}

/// The words of these tokens and of the groups within them, such as the members of a tuple.
fn all_words(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => found.extend(all_words(group.stream())),
            token => found.push(token.to_string()),
        }
    }
    found
}

/// Returns true if the tokens before `fn` make the function public outside of its crate.
fn is_public(before: &[TokenTree]) -> bool {
    let mut words = before
        .iter()
        .rev()
        .skip_while(|token| matches!(token, TokenTree::Ident(word) if word == "async" || word == "const"));
    matches!(words.next(), Some(TokenTree::Ident(word)) if word == "pub")
}

#[test]
fn a_function_without_a_check_is_found() {
    let source = "pub async fn a(app: &App, caller: &Caller) { caller.require_reading()?; }
                  pub fn b(caller: &Caller) -> Option<(Caller, u8)> { work(caller) } pub(crate) fn c(caller: &Caller) {} pub fn d(tx: &mut Tx, caller: &Caller) {}
                  pub fn e(actor: &Actor) { actor.require_operator()?; } pub fn f(actor: &Actor) { actor.caller(); }";
    let mut found = Vec::new();
    gather(source.parse().unwrap(), &mut found);
    let acting = found.iter().filter(|function| function.acts());
    let acting: Vec<_> = acting
        .map(|function| (function.name.as_str(), function.is_checked()))
        .collect();
    assert_eq!(acting, [("a", true), ("b", false), ("e", true), ("f", false)]);
    assert_eq!(found[1].returns, ["-", ">", "Option", "<", "Caller", ",", "u8", ">"]);
}
