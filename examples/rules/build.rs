//! Compiles the C code of the example `foreign`.

fn main() {
    println!("cargo::rerun-if-changed=c/tridiagonal.c");
    cc::Build::new().file("c/tridiagonal.c").compile("tridiagonal");
}
