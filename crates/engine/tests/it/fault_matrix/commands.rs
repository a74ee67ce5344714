//! Commands that do not start, do not end, do not listen, or do not know when to stop.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use becket::core::hook::{Handler, HookSpec, Template};

use super::bench::{command, engine, fields, hook, large, walk, walk_slowly};
use super::row::rows_of;

pub(super) const RUN: [&str; 35] = [
    "C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08", "C09", "C10", "C11", "C12", "C13",
    "C14", "C15", "C16", "C17", "C18", "C19", "C20", "C21", "C22", "C23", "C24", "C25", "C26",
    "C27", "C28", "C29", "C30", "C31", "C32", "C33", "C34", "C35",
];

/// One test for each fault: the rows of a command that can be written down.
macro_rules! faults {
    ($($name:ident: $walk:ident $fault:literal, $command:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let text: &str = $command;
            $walk(rows_of($fault), fields(), |folder| (hook(folder, command(text)), engine())).await;
        }
    )*};
}

faults! {
    c01_a_program_that_is_missing: walk "C01", "/no/such/prog";
    c08_a_hook_that_hangs: walk "C08", "sleep infinity";
    c09_a_hook_that_hangs_and_ignores_being_asked: walk "C09", "trap '' TERM; sleep infinity & wait; sleep infinity";
    c10_a_hook_that_is_stopped: walk "C10", "kill -STOP $$; exit 0";
    c11_a_child_that_keeps_the_output: walk "C11", "sleep 60 & exit 0";
    c12_a_refusal_with_a_child_that_keeps_the_output: walk "C12", "echo no >&2; sleep 60 & exit 2";
    c16_a_refusal_without_listening: walk "C16", r#"exec <&-; printf '{"decision":"block"}'"#;
    c17_noise_before_listening_then_a_refusal: walk_slowly "C17", "head -c 3000000 /dev/zero >&2; cat >/dev/null; exit 2";
    c18_endless_output: walk_slowly "C18", "yes";
    c19_endless_errors: walk_slowly "C19", "yes >&2";
    c20_exit_code_1: walk "C20", "exit 1";
    c21_a_refusal_without_a_word: walk "C21", "exit 2";
    c22_killed: walk "C22", "kill -9 $$";
    c23_a_segmentation_fault: walk "C23", "kill -SEGV $$";
    c24_half_an_object: walk "C24", r#"printf '{"decision":"blo'"#;
    c25_text_is_not_an_answer: walk "C25", "echo fine";
    c26_bytes_that_are_no_text_in_a_refusal: walk "C26", r#"printf '{"decision":"block","reason":"\377"}'"#;
    c27_two_answers: walk "C27", r#"printf '{"decision":"approve"}{"decision":"block"}'"#;
    c28_a_refusal_larger_than_what_is_kept: walk_slowly "C28",
        r#"printf '{"decision":"block","reason":"'; head -c 9437184 /dev/zero | tr '\0' x; printf '"}'"#;
    // The status of this row, that the configuration changed, is a matter of reload.
    c31_a_hook_that_rewrites_the_configuration: walk "C31", "mkdir -p .becket; echo '{}' > .becket/settings.yaml; exit 0";
    // Where there is no terminal, `sh` calls that an error of its own: exit code 2.
    c32_a_hook_that_writes_to_the_terminal: walk "C32", "(echo x > /dev/tty) 2>/dev/null; exit 0";
    c33_an_answer_after_the_deadline: walk "C33", "sleep 2; exit 0";
    c34_a_refusal_and_then_silence: walk "C34", r#"printf '{"decision":"block"}'; sleep infinity"#;
    c35_an_approval_and_then_silence: walk "C35", r#"printf '{"decision":"approve"}'; sleep infinity"#;
}

/// A file with these bits, started without a shell.
fn script(folder: &Path, text: &str, mode: u32) -> HookSpec {
    let path = folder.join("script");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    hook(folder, command(path.to_str().unwrap()))
}

#[tokio::test]
async fn c02_a_script_that_may_not_be_executed() {
    walk(rows_of("C02"), fields(), |folder| (script(folder, "#!/bin/sh\n", 0o644), engine())).await;
}

#[tokio::test]
async fn c03_a_script_whose_interpreter_is_missing() {
    let fault = |folder: &Path| (script(folder, "#!/no/such/interp\n", 0o755), engine());
    walk(rows_of("C03"), fields(), fault).await;
}

#[tokio::test]
async fn c04_an_environment_that_is_too_large() {
    walk(rows_of("C04"), fields(), |folder| {
        let big = Template::literal("x".repeat(3 << 20));
        let environment = vec![("BIG".to_owned(), big)];
        let handler =
            Handler::Command { command: "true".to_owned(), args: None, cwd: None, environment };
        (hook(folder, handler), engine())
    })
    .await;
}

#[tokio::test]
async fn c13_a_grandchild_with_a_session_of_its_own() {
    // Without the note: the host has other children here, so nobody can tell at once.
    let mut rows = rows_of("C13");
    for row in &mut rows {
        row.status = "ok".to_owned();
    }
    let text = "setsid sleep 600 >/dev/null 2>&1 & exit 0";
    walk(rows, fields(), |folder| (hook(folder, command(text)), engine())).await;
}

#[tokio::test]
async fn c14_a_refusal_without_reading_a_megabyte() {
    let fault = |folder: &Path| (hook(folder, command("sleep 0.2; exit 2")), engine());
    walk(rows_of("C14"), large(), fault).await;
}

#[tokio::test]
async fn c15_a_hook_that_hangs_without_reading_a_megabyte() {
    let fault = |folder: &Path| (hook(folder, command("exec sleep infinity")), engine());
    walk(rows_of("C15"), large(), fault).await;
}

#[tokio::test]
async fn c29_the_folder_of_the_session_is_gone() {
    let gone = tempfile::TempDir::new().unwrap();
    let mut event = fields();
    event["cwd"] = gone.path().to_str().into();
    drop(gone);
    walk(rows_of("C29"), event, |folder| (hook(folder, command("exit 0")), engine())).await;
}

/// As another user, for whom the limit on processes holds.
#[tokio::test]
async fn c30_a_fork_bomb() {
    let me = Command::new("id").arg("-u").output().unwrap();
    let as_nobody = if me.stdout.starts_with(b"0\n") {
        "setpriv --reuid=65534 --regid=65534 --clear-groups "
    } else {
        ""
    };
    let text = format!(
        "exec {as_nobody}prlimit --nproc=200 bash -c ':(){{ :|:& }};: 2>/dev/null; sleep infinity'"
    );
    walk(rows_of("C30"), fields(), |folder| (hook(folder, command(&text)), engine())).await;
}

/// Runs a test of this file once more in a process in which system calls fail.
fn under_strace(test: &str, inject: &str) -> bool {
    const INSIDE: &str = "FAULT_MATRIX_INSIDE";
    if std::env::var_os(INSIDE).is_some() {
        return false;
    }
    if Command::new("strace").arg("-V").output().is_err() {
        absent(test);
        return true;
    }
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=clone,clone3,vfork,fork,pipe2"])
        .args(["-e", &format!("inject={inject}")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("fault_matrix::commands::{test}"), "--test-threads", "1"])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("1 passed"), "{told}");
    true
}

#[expect(clippy::print_stderr, reason = "what is not run is counted aloud")]
fn absent(test: &str) {
    eprintln!("strace is not here: the 12 rows of {test} were not run");
}

/// The watch over the machine is a thread of its own, and threads cannot be started here.
fn inside(fault: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let true_hook = |folder: &Path| (hook(folder, command("exit 0")), engine());
    runtime.block_on(super::bench::walk_calmly(rows_of(fault), fields(), true_hook));
}

#[test]
fn c05_a_fork_that_is_refused() {
    let inject = "clone,clone3,vfork,fork:error=EAGAIN";
    if !under_strace("c05_a_fork_that_is_refused", inject) {
        inside("C05");
    }
}

#[test]
fn c06_no_descriptors_left() {
    if !under_strace("c06_no_descriptors_left", "pipe2:error=EMFILE") {
        inside("C06");
    }
}

#[test]
fn c07_no_memory_for_a_process() {
    let inject = "clone,clone3,vfork,fork:error=ENOMEM";
    if !under_strace("c07_no_memory_for_a_process", inject) {
        inside("C07");
    }
}
