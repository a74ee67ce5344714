//! What an approval is about: the entry, and every file it names.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{Ground, notes, standing};

#[test]
fn a_changed_script_takes_back_exactly_its_hook_and_a_person_is_asked_instead() {
    let ground = Ground::new();
    ground.hook("project", "other", "sh hooks/other.sh");
    ground.write("project/hooks/other.sh", "touch ran-other\n");
    ground.approve("project");
    ground.write("project/hooks/guard.sh", "touch ran-guard\nexit 0\n");
    let fired = ground.fire("project", &[]);
    let outcome = fired.json();
    assert!(!ground.path("project/ran-guard").exists());
    assert!(ground.path("project/ran-other").exists());
    assert_eq!((fired.code, &outcome["decision"]), (3, &json!("ask")));
    let reason = outcome["reasons"][0]["text"].as_str().unwrap();
    assert!(reason.contains("`guard` is not what was approved"), "{reason}");
    assert_eq!(ground.fire("project", &["--headless"]).code, 2);
    let exact = ground.fire("project", &["--compat", "exact"]);
    assert_eq!(exact.code, 3, "{}", exact.stdout);
    let review = ground.review("project");
    assert_eq!((standing(&review, "guard"), standing(&review, "other")), ("changed", "approved"));
    // What was approved once is approved when it is there again.
    ground.write("project/hooks/guard.sh", "touch ran-guard\nexit 2\n");
    assert!(ground.runs("project"));
}

#[test]
fn every_field_of_an_entry_counts() {
    let ground = Ground::new();
    let base = "name: guard\nevents: [before_tool_dispatch]\n";
    let handler = "{ type: command, command: sh hooks/guard.sh }";
    let original = format!("{base}handler: {handler}\n");
    let file = "project/.openharness/hooks/guard.yaml";
    ground.write(file, &original);
    ground.approve("project");
    assert!(ground.runs("project"));
    for changed in [
        format!("{base}matcher: Bash\nhandler: {handler}\n"),
        format!("name: guard\nevents: [before_tool_dispatch, run_completed]\nhandler: {handler}\n"),
        format!("{base}capabilities: [rewrite_tool_request]\nhandler: {handler}\n"),
        format!("{base}handler: {{ type: command, command: sh hooks/guard.sh x }}\n"),
        format!(
            "{base}handler: {{ type: command, command: sh hooks/guard.sh, timeout_seconds: 9 }}\n"
        ),
        format!("{base}handler: {{ type: command, command: sh hooks/guard.sh, cwd: . }}\n"),
        format!(
            "{base}handler: {{ type: command, command: sh hooks/guard.sh, environment: {{ A: b }} }}\n"
        ),
    ] {
        ground.write(file, &changed);
        let review = ground.review("project");
        // A file that is not valid would say nothing here.
        assert_eq!(review["items"].as_array().unwrap().len(), 1, "{changed}");
        assert_eq!(standing(&review, "guard"), "changed", "{changed}");
        assert!(!ground.runs("project"), "{changed}");
    }
    ground.write(file, &format!("# a comment changes nothing\n{original}"));
    assert!(ground.runs("project"));
}

#[test]
fn files_are_found_however_a_command_names_them() {
    for command in [
        "./hooks/guard.sh",
        "sh < hooks/guard.sh",
        "cd hooks && sh guard.sh",
        "sh -c 'exec sh hooks/guard.sh'",
        "X=hooks/guard.sh; sh $X",
        "sh \"$OPENHARNESS_WORKSPACE_ROOT\"/hooks/guard.sh; sh hooks/guard.sh",
        "cat hooks/guard.sh | sh",
        "env A=1 sh ./hooks/../hooks/guard.sh",
    ] {
        let ground = Ground::new();
        ground.hook("project", "guard", command);
        ground.approve("project");
        ground.write("project/hooks/guard.sh", "touch ran-guard\n: changed\n");
        assert!(!ground.runs("project"), "{command}");
    }
}

#[test]
fn an_absolute_path_into_the_project_is_one_of_its_files() {
    let ground = Ground::new();
    let script = ground.path("project/hooks/guard.sh");
    ground.hook("project", "guard", script.to_str().unwrap());
    ground.approve("project");
    assert!(ground.runs("project"));
    ground.write("project/hooks/guard.sh", "touch ran-guard\n: changed\n");
    assert!(!ground.runs("project"));
}

#[test]
fn a_file_that_appears_later_takes_the_approval_back() {
    let ground = Ground::new();
    ground.hook("project", "guard", "sh hooks/extra.sh 2>/dev/null; touch ran-guard");
    ground.approve("project");
    assert!(ground.runs("project"));
    ground.write("project/hooks/extra.sh", "touch pwned\n");
    assert!(!ground.runs("project"));
    assert!(!ground.path("project/pwned").exists());
}

#[test]
fn where_a_link_leads_counts_as_content() {
    let ground = Ground::new();
    ground.write("project/hooks/one.sh", "touch ran-guard\n");
    ground.write("project/hooks/two.sh", "touch ran-guard\n");
    let link = ground.path("project/hooks/guard.sh");
    fs::remove_file(&link).unwrap();
    symlink("one.sh", &link).unwrap();
    ground.approve("project");
    assert!(ground.runs("project"));
    fs::remove_file(&link).unwrap();
    symlink("two.sh", &link).unwrap();
    assert!(!ground.runs("project"));
}

#[test]
fn an_interpreter_of_the_project_is_part_of_the_script() {
    let ground = Ground::new();
    ground.hook("project", "guard", "./hooks/guard");
    let reader = ground.path("project/tools/reader");
    ground.write("project/tools/reader", "#!/bin/sh\ntouch ran-guard\n");
    ground.write("project/hooks/guard", &format!("#!{}\n", reader.display()));
    ground.approve("project");
    assert!(ground.runs("project"));
    ground.write("project/tools/reader", "#!/bin/sh\ntouch ran-guard pwned\n");
    assert!(!ground.runs("project"));
}

#[test]
fn a_prompt_file_is_part_of_its_hook() {
    let ground = Ground::new();
    ground.write(
        "project/.openharness/hooks/guard.yaml",
        "name: guard\nevents: [before_tool_dispatch]\nhandler: { type: prompt, prompt: { file: judge.md } }\n",
    );
    ground.write("project/judge.md", "Is it fine?\n");
    ground.approve("project");
    assert_eq!(standing(&ground.review("project"), "guard"), "approved");
    ground.write("project/judge.md", "Say that it is fine.\n");
    assert_eq!(standing(&ground.review("project"), "guard"), "changed");
}

#[test]
fn what_an_approval_does_not_cover_is_told() {
    let ground = Ground::new();
    ground.write("project/hooks/guard.sh", ". hooks/lib.sh\n");
    ground.write("project/hooks/lib.sh", "touch ran-guard\n");
    ground.hook("project", "many", "cat ./hooks/*.conf");
    let review = ground.review("project");
    let beyond: Vec<_> =
        review["items"].as_array().unwrap().iter().map(|it| it["beyond"][0].clone()).collect();
    assert_eq!(
        beyond,
        [
            json!("`hooks/lib.sh`, which `hooks/guard.sh` names"),
            json!("the files that `./hooks/*.conf` finds"),
        ]
    );
}

#[test]
fn a_file_that_nobody_can_read_to_its_end_cannot_be_approved() {
    let ground = Ground::new();
    let script = ground.path("project/hooks/guard.sh");
    fs::remove_file(&script).unwrap();
    symlink("/dev/zero", &script).unwrap();
    let review = ground.review("project");
    assert_eq!(standing(&review, "guard"), "unfit", "{review}");
    ground.approve("project");
    assert_eq!(standing(&ground.review("project"), "guard"), "unfit");
}

#[test]
fn an_approved_hook_that_is_gone_is_told_until_somebody_has_looked() {
    let ground = Ground::new();
    ground.approve("project");
    fs::remove_file(ground.path("project/.openharness/hooks/guard.yaml")).unwrap();
    let outcome = ground.fire("project", &["--no-journal"]).json();
    assert!(notes(&outcome).contains(&"approved_gone"), "{outcome}");
    ground.approve("project");
    assert!(!notes(&ground.fire("project", &[]).json()).contains(&"approved_gone"));
}

#[test]
fn an_approved_hook_that_cannot_be_read_any_more_is_asked_about() {
    let ground = Ground::new();
    ground.approve("project");
    ground.write("project/.openharness/hooks/guard.yaml", "name: guard\nevents: [nonsense]\n");
    let _ = fs::remove_dir_all(ground.path("home/.local/state/becket/cache"));
    assert_eq!(ground.fire("project", &[]).code, 3);
    // One that nobody ever approved was nobody's guard.
    ground.write("other/.openharness/hooks/guard.yaml", "name: guard\nevents: [nonsense]\n");
    assert_eq!(ground.fire("other", &[]).code, 0);
}

#[test]
fn values_that_may_be_secret_are_not_kept() {
    let ground = Ground::new();
    ground.write(
        "project/.openharness/hooks/guard.yaml",
        "name: guard\nevents: [before_tool_dispatch]\nhandler: { type: command, command: 'true', \
         environment: { API_TOKEN: 'hunter2-hunter2' } }\n",
    );
    ground.approve("project");
    let kept = fs::read_to_string(ground.record()).unwrap();
    assert!(kept.contains("API_TOKEN") && !kept.contains("hunter2"), "{kept}");
    assert!(!ground.review("project").to_string().contains("hunter2"));
}
