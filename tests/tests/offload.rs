//! Kernels: the fixture `offload` checks them on the CPU, against plain Rust, and with a stand-in for NVIDIA's driver.

use autodiff_tests::{PROFILES, Project};

#[test]
fn kernels_on_the_cpu_do_what_plain_rust_does() {
    let project = Project::fixture("offload");
    for profile in PROFILES {
        let run = project.autodiff(["run"]).args(profile).env("AUTODIFF_DEVICE", "cpu");
        run.passes().prints(" right, 0 wrong");
    }
    // Without the tool, too; a panic of a kernel is an error, and not printed.
    let run = project.cargo(["run"]).env("AUTODIFF_DEVICE", "cpu").passes();
    run.prints(" right, 0 wrong").never_reports("panicked");
}
