fn main() {
    // A new migration must be embedded even if no source file has changed.
    println!("cargo::rerun-if-changed=../../../migrations");
}
