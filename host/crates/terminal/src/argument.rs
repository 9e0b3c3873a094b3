//! Values of arguments.

/// Parses an argument that must be one of `all`.
pub fn one_of<T: Copy + ToString>(all: &[T], text: &str) -> Result<T, String> {
    let known = || all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|one| one.to_string() == text).copied();
    found.ok_or_else(|| format!("it must be one of {}", known()))
}
