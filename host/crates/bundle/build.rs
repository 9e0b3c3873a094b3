//! Takes the archive that the environment variable LINEPRESS_BUNDLE names into the program.

use std::path::PathBuf;
use std::{env, fs};

const VARIABLE: &str = "LINEPRESS_BUNDLE";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("plugins.tar.br");
    let archive = match env::var_os(VARIABLE) {
        Some(path) => {
            let path = PathBuf::from(path);
            println!("cargo::rerun-if-changed={}", path.display());
            fs::read(&path).unwrap_or_else(|error| panic!("{VARIABLE}: {} cannot be read: {error}", path.display()))
        }
        // A build for development: its plugins are in a folder.
        None => Vec::new(),
    };
    fs::write(out, archive).expect("OUT_DIR is writable");
}
