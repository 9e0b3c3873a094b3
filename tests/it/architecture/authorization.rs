//! The permission checks of the concepts' public functions.
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::sources::all_sources;

/// A public function that acts for a caller.
pub(super) struct ActingFunction {
    /// Its module's file and its name.
    pub(super) name: String,
    /// True if its body begins with a check of the caller.
    pub(super) is_checked: bool,
}

/// The public functions of the concepts with a parameter `caller: &Caller`. Functions that work within a transaction do
/// not count: the function that began it has checked the caller.
pub(super) fn acting_functions() -> Vec<ActingFunction> {
    let mut found = Vec::new();
    for (path, text) in all_sources("host/crates/core/src") {
        let mut functions = Vec::new();
        gather(text.parse().unwrap(), &mut functions);
        found.extend(functions.into_iter().map(|(name, is_checked)| ActingFunction {
            name: format!("{}: {name}", path.display()),
            is_checked,
        }));
    }
    found
}

fn gather(tokens: TokenStream, found: &mut Vec<(String, bool)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => gather(group.stream(), found),
            TokenTree::Ident(word) if word == "fn" && is_public(&tokens[..index]) => {
                let name = tokens[index + 1].to_string();
                let mut groups = tokens[index..].iter().filter_map(|token| match token {
                    TokenTree::Group(group) => Some(group),
                    _ => None,
                });
                let parameters = groups
                    .find(|group| group.delimiter() == Delimiter::Parenthesis)
                    .unwrap();
                let body = groups.find(|group| group.delimiter() == Delimiter::Brace).unwrap();
                let words: Vec<String> = parameters.stream().into_iter().map(|token| token.to_string()).collect();
                let acts =
                    words.windows(2).any(|pair| pair == ["caller", ":"]) && words.iter().any(|word| word == "Caller");
                if acts && !words.iter().any(|word| word == "Tx") {
                    let beginning: Vec<String> = body
                        .stream()
                        .into_iter()
                        .take(3)
                        .map(|token| token.to_string())
                        .collect();
                    let is_checked = beginning[..2] == ["caller", "."] && beginning[2].starts_with("require");
                    found.push((name, is_checked));
                }
            }
            _ => {}
        }
    }
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
                  pub fn b(caller: &Caller) { work(caller) } pub(crate) fn c(caller: &Caller) {} pub fn d(tx: &mut Tx, caller: &Caller) {}";
    let mut found = Vec::new();
    gather(source.parse().unwrap(), &mut found);
    assert_eq!(found, [("a".to_owned(), true), ("b".to_owned(), false)]);
}
