//! What the kernel tells about processes.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use rustix::process::Pid;

/// The variable that names the call of a hook to which a process belongs.
pub(crate) const RUN: &str = "BECKET_RUN";

/// What the names of all calls begin with that one process makes.
pub(crate) fn mark(owner: Pid) -> String {
    format!("{}.", owner.as_raw_nonzero())
}

/// Every process there is, with its parent.
pub(crate) fn all() -> impl Iterator<Item = (Pid, i32)> {
    fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Some((Pid::from_raw(pid)?, parent(&stat)?))
    })
}

/// The children of a process, those included that ended and were not waited for.
pub(crate) fn children_of(parent: Pid) -> impl Iterator<Item = Pid> {
    all().filter(move |it| it.1 == parent.as_raw_nonzero().get()).map(|it| it.0)
}

/// A variable in the environment that a process was started with.
pub(crate) fn variable(pid: Pid, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok()?;
    let value = environment.split(|byte| *byte == 0).find_map(|entry| {
        entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
    });
    value.map(|value| std::ffi::OsStr::from_bytes(value).to_string_lossy().into_owned())
}

/// The parent in a line of `stat`; the name before it may hold anything.
fn parent(stat: &[u8]) -> Option<i32> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(end + 1..)?).into_owned();
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::parent;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_confuse() {
        assert_eq!(parent(b"7 (a) S 9 (b) S 42 1 1"), Some(42));
        assert_eq!(parent(b"7 (sh) Z 1 7 7"), Some(1));
        assert_eq!(parent(b""), None);
    }
}
