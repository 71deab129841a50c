// Finds libtappet through its pkg-config file.
use std::process::Command;

fn main() {
    let output = Command::new("pkg-config").args(["--libs", "tappet"]).output().expect("pkg-config cannot be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for word in String::from_utf8_lossy(&output.stdout).split_whitespace() {
        match word.split_at(2) {
            ("-L", folder) => println!("cargo:rustc-link-search=native={folder}"),
            ("-l", name) => println!("cargo:rustc-link-lib=dylib={name}"),
            _ => {}
        }
    }
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
}
