//! The tests that see only the public face, in one binary.
mod plugins;
