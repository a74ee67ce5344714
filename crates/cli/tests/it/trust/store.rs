//! Where approvals are kept, and when they are believed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

use super::{Ground, ran};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn approvals_are_their_owners_alone() {
    let ground = Ground::new();
    ground.approve("project");
    let record = ground.record();
    assert_eq!((mode(&record), mode(record.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn approvals_that_somebody_else_could_have_written_are_not_believed() {
    let ground = Ground::new();
    ground.approve("project");
    let record = ground.record();
    let folder = record.parent().unwrap().to_path_buf();
    let state = folder.parent().unwrap().to_path_buf();
    for (path, open, closed) in [
        (&record, 0o644, 0o600),
        (&record, 0o660, 0o600),
        (&folder, 0o755, 0o700),
        (&state, 0o777, 0o700),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(open)).unwrap();
        assert!(!ground.runs("project"), "{}", path.display());
        let review = ground.review("project");
        assert!(
            review["problem"]["message"].as_str().unwrap().contains("open to others"),
            "{review}"
        );
        let doctor = ground.run("project", &["doctor"]);
        assert_eq!(doctor.code, 1);
        assert!(doctor.stdout.contains("is open to others"), "{}", doctor.stdout);
        fs::set_permissions(path, fs::Permissions::from_mode(closed)).unwrap();
        assert!(ground.runs("project"));
    }
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        chown(&record, Some(4242), None).unwrap();
        assert!(!ground.runs("project"));
        chown(&record, Some(0), None).unwrap();
    }
    // A link could lead anywhere.
    let moved = folder.join("moved");
    fs::rename(&record, &moved).unwrap();
    symlink(&moved, &record).unwrap();
    assert!(!ground.runs("project"));
}

#[test]
fn broken_approvals_approve_nothing_and_say_so() {
    let ground = Ground::new();
    ground.approve("project");
    let record = ground.record();
    let whole = fs::read(&record).unwrap();
    for broken in [b"".as_slice(), b"{}", b"null", &whole[..whole.len() / 2]] {
        fs::write(&record, broken).unwrap();
        assert!(!ground.runs("project"));
        let checked = ground.run("project", &["check"]);
        assert_eq!(checked.code, 1, "{}", checked.stdout);
        assert!(ground.review("project")["problem"].is_object());
    }
    fs::write(&record, whole).unwrap();
    assert!(ground.runs("project"));
}

#[test]
fn approvals_of_one_project_say_nothing_about_another() {
    let ground = Ground::new();
    ground.lay_out("other");
    ground.approve("project");
    let first = ground.record();
    ground.approve("other");
    assert!(ground.runs("other"));
    let folder = first.parent().unwrap();
    let mut both = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let second = both.find(|it| *it != first).unwrap();
    // Neither in its place, nor with its name written in.
    fs::copy(&first, &second).unwrap();
    assert!(!ground.runs("other"));
    let text = fs::read_to_string(&first).unwrap();
    let (one, two) = (ground.path("project"), ground.path("other"));
    let (one, two) = (one.canonicalize().unwrap(), two.canonicalize().unwrap());
    fs::write(&second, text.replace(one.to_str().unwrap(), two.to_str().unwrap())).unwrap();
    assert!(!ground.runs("other"));
}

#[test]
fn nothing_of_the_project_says_where_approvals_are() {
    let ground = Ground::new();
    ground.approve("project");
    let state = ground.path("home/.local/state");
    let inside = ground.path("project/.x");
    crate::becket::copy(&state, &inside);
    ground.run("project", &["untrust"]);
    ground.write("project/.env", "XDG_STATE_HOME=./.x\nHOME=./.x\n");
    ground.write("project/.envrc", "export XDG_STATE_HOME=./.x\n");
    assert!(!ground.runs("project"));
    // Not even an environment that points there helps: a relative path says nothing, and what lies in
    // the project is not believed.
    for value in ["./.x", ".x", inside.to_str().unwrap()] {
        for name in ["XDG_STATE_HOME", "HOME"] {
            let call = ground.path("call.json");
            let args = ["fire", "PreToolUse", "--input", call.to_str().unwrap()];
            ran(ground.command("project", &args).env(name, value));
            assert!(!ground.path("project/ran-guard").exists(), "{name}={value}");
        }
    }
    let digest = ground.digest("project");
    let args = ["trust", "--json", "--yes", &digest];
    let told = ran(ground.command("project", &args).env("XDG_STATE_HOME", &inside));
    assert_eq!((told.code, told.error()["code"].as_str()), (78, Some("trust_store")));
}
