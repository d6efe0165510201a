//! Records where the Z3 library lies, so that binaries and tests run without environment variables.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lib = root.join("third-party/z3/lib");
    println!("cargo:rerun-if-changed={}", lib.display());
    if !lib.join("libz3.so").exists() {
        println!("cargo:warning=Z3 is missing: run `make z3` in the root of the checkout first");
    }
    let lib = lib.canonicalize().unwrap_or(lib);
    // An installed binary finds the installed library first, wherever the installation was moved.
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib/residue");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
}
