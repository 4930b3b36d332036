//! Kernels: the fixture `offload` checks them on the CPU, against plain Rust, and with a stand-in for NVIDIA's driver.

use std::fs;
use std::path::Path;

use autodiff_tests::{Invocation, PROFILES, Project, repository, scratch, tool};

#[test]
fn kernels_on_the_cpu_do_what_plain_rust_does() {
    let project = Project::fixture("offload");
    for profile in PROFILES {
        let run = project.autodiff(["run"]).args(profile).env("AUTODIFF_DEVICE", "cpu");
        run.passes().prints(" right, 0 wrong");
    }
    project.cargo(["clippy", "--bin", "strict"]).passes();
    // Without the tool, too; a panic of a kernel is an error, and not printed.
    let run = project.cargo(["run"]).env("AUTODIFF_DEVICE", "cpu").passes();
    run.prints(" right, 0 wrong").never_reports("panicked");
}

/// What the stand-in driver is asked to do, and what must be printed then.
const FAILURES: [(&str, &[&str]); 7] = [
    ("nothing", &["error: there is no device `cuda`: cuInit: CUDA_ERROR_NO_DEVICE"]),
    ("no devices", &["error: there is no device `cuda`: NVIDIA's driver finds no device; there is `cpu`"]),
    ("little memory", &["error: `cuda:0` has not enough memory for 1600 more bytes"]),
    (
        "bad image",
        &[
            "the driver does not take the code for sm_80 on sm_86 (CUDA_ERROR_INVALID_PTX",
            "line 7: no such thing",
        ],
    ),
    (
        "no function",
        &["driver: unload 77", "error: `cuda:0` failed: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"],
    ),
    ("panic", &[" panicked in block [3, 4, 5], thread [6, 7, 8]: a reason (b.rs:2)"]),
    ("lost", &["error: `cuda:0` failed: the kernel: CUDA_ERROR_ILLEGAL_ADDRESS"]),
];

#[test]
fn nvidias_driver_is_called_as_it_must_be() {
    let project = Project::fixture("offload");
    let build = project.cargo(["build", "--workspace", "--message-format", "json"]).passes();
    let (library, program) = (build.artifact("cuda", ".so"), build.artifact("driver", "driver"));
    let folder = library.parent().expect("a folder");
    let run = |device: &str, asked: &str| {
        let run = project.command(&program).env("LD_LIBRARY_PATH", folder);
        run.env("AUTODIFF_DEVICE", device).env("STAND_IN", asked)
    };
    let all = run("cuda:0", "").passes();
    for call in [
        "driver: load \"ptx for 80\"",
        "driver: function \"scale_symbol\"",
        "driver: attribute 8 of 88: 51200",
        "driver: launch 2 1 1, 5 1 1, shared 51200, 64 bytes of arguments\ndriver: argument at 0: 51200\n",
        "driver: launch 200 1 1, 1 1 1, shared 0, 64 bytes of arguments\ndriver: argument at 0: 0\n",
        // 2.5, and a slice of 200 that the driver has.
        ": 0x4004000000000000\n",
        ": memory of 1600\n",
        // What the kernel reads is not copied back, what it writes is.
        "slices: [1.0, 1.0, 1.0, 1.0] [11.0, 11.0, 11.0, 11.0] 101\n",
        "buffer: [1.5, 1.5]\n",
        "it is launched on `cpu`, but a buffer is on `cuda:0`",
    ] {
        all.prints(call);
    }
    let count = |what: &str| all.stdout.matches(what).count();
    all.check(count("driver: allocate") == count("driver: free"), "all memory is given back");
    for (asked, texts) in FAILURES {
        let failed = run("cuda", asked).passes();
        for text in texts {
            failed.prints(text);
        }
    }
    // Without code for the device: an error if it was asked for, the CPU if not.
    let plain = |device| {
        project.command(&program).arg("plain").env("LD_LIBRARY_PATH", folder).env("AUTODIFF_DEVICE", device)
    };
    plain("").passes().prints("ran [2.0]");
    plain("cuda:1").passes().prints("the program has code for the CPU only: build it by `cargo autodiff`");
    let absent = project.command(&program).arg("plain").env("AUTODIFF_DEVICE", "cuda").passes();
    absent.prints(
        "there is no device `cuda`: NVIDIA's driver library `libcuda` is not installed; there is `cpu`",
    );
}

/// LLVM's offload library is looked for, and refused where it has no device.
#[test]
fn llvms_offload_library_is_asked_for_devices() {
    let project = Project::fixture("offload");
    let build = project.cargo(["build", "--workspace", "--message-format", "json"]).passes();
    let devices = project.command(build.artifact("driver", "driver")).arg("devices").passes();
    let is_there = ["/usr/lib/llvm-22/lib", "/usr/lib/x86_64-linux-gnu", "/usr/local/lib"]
        .iter()
        .any(|folder| Path::new(folder).join("libLLVMOffload.so.22.1").exists());
    devices.prints("`cpu`: ").prints(if is_there {
        "LLVM's offload library is there, but finds no GPU"
    } else {
        "no liboffload: LLVM's `libLLVMOffload.so.22.1` is not installed: Debian has it in the package"
    });
}

/// The code in `docs/offload.md` does what it says.
#[test]
fn page_is_right() {
    let page = fs::read_to_string(repository().join("docs/offload.md")).expect("the page");
    let blocks = page.split("```rust\n").skip(1).map(|rest| rest.split_once("```").expect("an end").0);
    let files: Vec<_> =
        blocks.enumerate().map(|(number, block)| (format!("src/bin/block_{number}.rs"), block)).collect();
    assert_eq!(files.len(), 3, "blocks of code");
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let project = Project::package("offload_page", &files);
    project.edit("Cargo.toml", "autodiff-runtime\" }", "autodiff-runtime\", features = [\"offload\"] }");
    for number in 0..files.len() {
        project.autodiff(["run", "--bin", &format!("block_{number}")]).passes();
    }
}

/// Examples compare their results with plain Rust, and end with an error if they differ.
#[test]
fn examples_agree_with_plain_rust() {
    let picture = scratch().join("heat.png");
    for (name, printed) in [
        ("saxpy", "largest relative difference from plain Rust: 0"),
        ("nbody", "plain Rust with rayon: "),
        ("heat", "picture: "),
    ] {
        let run = Invocation::new(tool(), repository())
            .args(["autodiff", "run", "--release", "-p", name, "--"])
            .arg(&picture)
            .env("AUTODIFF_DEVICE", "cpu")
            .env("CARGO_TARGET_DIR", scratch().join("target"));
        run.passes().prints("device: `cpu`").prints(printed);
    }
    let png = fs::read(&picture).expect("the picture");
    assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 10_000, "{} bytes", png.len());
}
