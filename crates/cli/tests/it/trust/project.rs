//! Which project an approval is about.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::Ground;
use crate::becket::has;

impl Ground {
    fn git(&self, project: &str, args: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path(project)).args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ]);
        let output = command.args(args).env("HOME", self.path("home")).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Makes the project a repository with one commit.
    fn commit(&self) {
        self.git("project", &["init", "-q"]);
        self.git("project", &["add", "-A"]);
        self.git("project", &["commit", "-qm", "first"]);
    }
}

#[test]
fn a_way_over_a_link_leads_to_the_same_project() {
    let ground = Ground::new();
    symlink(ground.path("project"), ground.path("link")).unwrap();
    ground.approve("link");
    assert!(ground.runs("project"));
    assert!(ground.runs("link"));
}

#[test]
fn worktrees_of_one_repository_share_what_is_approved() {
    if !has("git", "worktrees") {
        return;
    }
    let ground = Ground::new();
    ground.commit();
    ground.git("project", &["worktree", "add", "-q", "../tree"]);
    assert!(!ground.runs("tree"));
    ground.approve("project");
    assert!(ground.runs("tree"));
    ground.write("tree/hooks/guard.sh", "touch ran-guard\n: another branch\n");
    assert!(!ground.runs("tree"));
    assert!(ground.runs("project"));
}

#[test]
fn a_folder_cannot_make_itself_a_worktree_of_a_trusted_repository() {
    if !has("git", "worktrees") {
        return;
    }
    let ground = Ground::new();
    ground.commit();
    ground.git("project", &["worktree", "add", "-q", "../tree"]);
    ground.approve("project");
    let git = ground.path("project/.git");
    // It points at the place of another worktree, which does not point back.
    ground.lay_out("one");
    ground.write("one/.git", &format!("gitdir: {}/worktrees/tree\n", git.display()));
    // It brings a place of its own that claims to belong to the repository.
    ground.lay_out("two");
    let own = ground.path("two/own/worktrees/x");
    ground.write("two/.git", &format!("gitdir: {}\n", own.display()));
    ground.write("two/own/worktrees/x/commondir", &format!("{}\n", git.display()));
    let back = ground.path("two/.git");
    ground.write("two/own/worktrees/x/gitdir", &format!("{}\n", back.display()));
    // Its own repository says that its common folder is elsewhere.
    ground.lay_out("three");
    ground.git("three", &["init", "-q"]);
    ground.write("three/.git/commondir", &format!("{}\n", git.display()));
    // It is the repository's own folder by a link.
    ground.lay_out("four");
    symlink(&git, ground.path("four/.git")).unwrap();
    // A file that points at the folder itself, as a submodule's does.
    ground.lay_out("five");
    ground.write("five/.git", &format!("gitdir: {}\n", git.display()));
    for claim in ["one", "two", "three", "four", "five"] {
        assert!(!ground.runs(claim), "{claim}");
    }
    assert!(ground.runs("tree"));
}

#[test]
fn a_repository_in_a_repository_inherits_nothing() {
    let ground = Ground::new();
    fs::create_dir(ground.path("project/.git")).unwrap();
    ground.lay_out("project/vendor/evil");
    fs::create_dir(ground.path("project/vendor/evil/.git")).unwrap();
    ground.approve("project");
    assert!(ground.runs("project"));
    assert!(!ground.runs("project/vendor/evil"));
    ground.approve("project/vendor/evil");
    ground.run("project", &["untrust"]);
    assert!(!ground.runs("project"), "nor does it hand anything up");
}

#[test]
fn what_is_above_a_project_is_not_asked() {
    let ground = Ground::new();
    ground.approve("project");
    let inside = ground.path("project/sub");
    fs::create_dir(&inside).unwrap();
    let mark = ground.path("project/ran-guard");
    ground.fire("project/sub", &[]);
    assert!(mark.exists(), "a folder of the same project belongs to it");
}
