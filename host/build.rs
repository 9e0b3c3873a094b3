fn main() {
    // A new migration must be embedded even when no source file changed.
    println!("cargo::rerun-if-changed=../migrations");
}
