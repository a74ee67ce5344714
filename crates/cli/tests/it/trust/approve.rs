//! Who may approve, and what they are shown.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{Ground, ran, standing};

#[test]
fn without_a_terminal_nobody_can_be_asked_and_the_digest_is_needed() {
    let ground = Ground::new();
    let asked = ground.run("project", &["trust"]);
    assert_eq!(asked.code, 64, "{}", asked.stderr);
    assert!(asked.stderr.contains(&ground.digest("project")), "{}", asked.stderr);
    assert!(!ground.runs("project"));
    let wrong = ground.run("project", &["trust", "--json", "--yes", &"0".repeat(64)]);
    assert_eq!((wrong.code, wrong.error()["code"].as_str()), (78, Some("untrusted")));
    let nonsense = ground.run("project", &["trust", "--yes", "yes"]);
    assert_eq!(nonsense.code, 64);
    assert!(!ground.runs("project"));
    ground.approve("project");
    assert!(ground.runs("project"));
}

#[test]
fn looking_approves_nothing() {
    let ground = Ground::new();
    for _ in 0..2 {
        assert_eq!(standing(&ground.review("project"), "guard"), "new");
    }
    assert!(!ground.runs("project"));
    assert!(!ground.path("home/.local/state/becket/trust").exists());
}

#[test]
fn an_agent_does_not_approve_what_watches_over_it() {
    let ground = Ground::new();
    let digest = ground.digest("project");
    for mark in super::MARKS {
        let mut command = ground.command("project", &["trust", "--json", "--yes", &digest]);
        let told = ran(command.env(mark, "1"));
        assert_eq!(
            (told.code, told.error()["code"].as_str()),
            (78, Some("not_a_person")),
            "{mark}"
        );
    }
    assert!(!ground.runs("project"));
}

#[test]
fn a_hook_cannot_approve_its_neighbours() {
    let ground = Ground::new();
    let becket = env!("CARGO_BIN_EXE_becket");
    let (digest, told) = (ground.path("digest"), ground.path("told"));
    let (from, to) = (digest.display(), told.display());
    ground.hook(
        "project",
        "approver",
        &format!("{becket} trust --yes $(cat {from}) >{to} 2>&1; :"),
    );
    ground.approve("project");
    ground.write("project/hooks/guard.sh", "touch ran-guard\n");
    ground.write("digest", &ground.digest("project"));
    assert!(!ground.runs("project"));
    let told = fs::read_to_string(told).unwrap();
    assert!(told.contains("a person has to approve this"), "{told}");
    assert!(!ground.runs("project"));
}

#[test]
fn what_is_approved_can_be_forgotten() {
    let ground = Ground::new();
    ground.approve("project");
    assert!(ground.runs("project"));
    assert_eq!(ground.run("project", &["untrust"]).code, 0);
    assert!(!ground.runs("project"));
    assert_eq!(ground.run("project", &["untrust", "--json"]).json()["forgotten"], false);
}

/// Answers the question of `becket trust` at a terminal, and returns what stood there.
fn at_a_terminal(ground: &Ground, answer: &str) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let no_ctty = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
    let terminal = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(no_ctty)
        .open(name.to_str().unwrap())
        .unwrap();
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_becket"), "trust"]);
    command.current_dir(ground.path("project")).env("HOME", ground.path("home"));
    command.env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
    for mark in super::MARKS {
        command.env_remove(mark);
    }
    command.stdin(terminal.try_clone().unwrap());
    command.stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut master = fs::File::from(master);
    let mut seen = Vec::new();
    let mut answered = false;
    let mut buffer = [0; 4096];
    // When the last one who has the terminal open is gone, reading fails.
    while let Ok(count) = master.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
        if !answered && String::from_utf8_lossy(&seen).contains("[y/N]") {
            master.write_all(answer.as_bytes()).unwrap();
            answered = true;
        }
    }
    child.wait().unwrap();
    String::from_utf8(seen).unwrap()
}

#[test]
fn a_person_at_a_terminal_is_shown_everything_and_asked() {
    let ground = Ground::new();
    let seen = at_a_terminal(&ground, "n\n");
    for text in ["guard", "PreToolUse", "sh hooks/guard.sh", "hooks/guard.sh", "guard.yaml"] {
        assert!(seen.contains(text), "{text}: {seen}");
    }
    assert!(seen.contains("nothing was approved"), "{seen}");
    assert!(!ground.runs("project"));
    at_a_terminal(&ground, "\n");
    assert!(!ground.runs("project"));
    assert!(at_a_terminal(&ground, "y\n").contains("approved"));
    assert!(ground.runs("project"));
}

#[test]
fn a_change_is_shown_as_what_is_different() {
    let ground = Ground::new();
    ground.hook("project", "other", "true");
    ground.approve("project");
    ground.write("project/hooks/guard.sh", "touch ran-guard\ncurl evil.example\nexit 2\n");
    fs::remove_file(ground.path("project/.openharness/hooks/other.yaml")).unwrap();
    ground.hook("project", "third", "true");
    let review = ground.review("project");
    assert_eq!(standing(&review, "guard"), "changed");
    assert_eq!(standing(&review, "third"), "new");
    assert_eq!(review["gone"][0], "hook .openharness/hooks/other.yaml other");
    let seen = at_a_terminal(&ground, "n\n");
    assert!(seen.contains("+curl evil.example"), "{seen}");
    assert!(seen.contains("gone"), "{seen}");
}

#[test]
fn what_cannot_be_seen_is_spelled_out() {
    let ground = Ground::new();
    ground.hook("project", "sly", "echo \u{202e}hi\u{200b} # \u{1b}[8m; touch pwned");
    let seen = at_a_terminal(&ground, "n\n");
    let told = "echo \\u{202e}hi\\u{200b} # \\u{1b}[8m; touch pwned";
    assert!(seen.contains(told), "{seen}");
}

#[test]
fn a_digest_on_the_command_line_trusts_this_content_once_wherever_it_lies() {
    let ground = Ground::new();
    ground.lay_out("elsewhere");
    let digest = ground.digest("project");
    assert_eq!(digest, ground.digest("elsewhere"));
    let fired = ground.fire("elsewhere", &["--trust", &digest]);
    assert_eq!(fired.code, 2, "{}", fired.stderr);
    assert!(!ground.runs("elsewhere"), "nothing is kept");
    assert!(!ground.path("home/.local/state/becket/trust").exists());
    let listed = ground.run("project", &["list", "--json", "--trust", &digest]).json();
    assert_eq!(listed["hooks"][0]["state"], "in force");
    ground.write("elsewhere/hooks/guard.sh", "touch ran-guard\n");
    for args in [["fire", "PreToolUse"], ["explain", "PreToolUse"], ["list", "--json"]] {
        let told = ground.run("elsewhere", &[&args[..], &["--json", "--trust", &digest]].concat());
        assert_eq!(told.code, if args[0] == "list" { 64 } else { 78 }, "{args:?}: {}", told.stderr);
    }
    assert_eq!(ground.run("elsewhere", &["list", "--trust", &digest]).code, 78);
}
