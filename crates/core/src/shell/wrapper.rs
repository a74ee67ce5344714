//! Programs whose arguments are another command: `sudo`, `env`, `timeout`, `xargs`, `docker run`.

use super::Place;
use super::option::Options;
use super::word::Word;

/// How a wrapper's own arguments end and the command begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    name: &'static str,
    /// Words that must follow the name: `exec` in `bundle exec`.
    sub: &'static [&'static str],
    options: Options,
    /// Operands in front of the command.
    skip: usize,
    /// `NAME=value` words may stand in front of the command.
    assigns: bool,
    /// Where the command runs.
    pub(super) place: Place,
}

const fn row(name: &'static str, letters: &'static str, skip: usize) -> Wrapper {
    let options = Options { letters, names: &[] };
    Wrapper { name, sub: &[], options, skip, assigns: false, place: Place::Wrapped }
}

const fn long(
    name: &'static str,
    letters: &'static str,
    names: &'static [&'static str],
    skip: usize,
) -> Wrapper {
    let options = Options { letters, names };
    Wrapper { name, sub: &[], options, skip, assigns: false, place: Place::Wrapped }
}

const fn assigns(
    name: &'static str,
    letters: &'static str,
    names: &'static [&'static str],
) -> Wrapper {
    let options = Options { letters, names };
    Wrapper { name, sub: &[], options, skip: 0, assigns: true, place: Place::Wrapped }
}

const fn sub(
    name: &'static str,
    sub: &'static [&'static str],
    letters: &'static str,
    skip: usize,
) -> Wrapper {
    let options = Options { letters, names: &[] };
    Wrapper { name, sub, options, skip, assigns: false, place: Place::Wrapped }
}

const fn remote(
    name: &'static str,
    sub: &'static [&'static str],
    options: Options,
    skip: usize,
) -> Wrapper {
    Wrapper { name, sub, options, skip, assigns: false, place: Place::Remote }
}

const CONTAINER: Options = Options {
    letters: "euvwpmhalc",
    names: &[
        "env",
        "env-file",
        "user",
        "volume",
        "workdir",
        "publish",
        "memory",
        "hostname",
        "attach",
        "label",
        "name",
        "network",
        "net",
        "entrypoint",
        "mount",
        "platform",
        "cpus",
        "pid",
        "ipc",
        "device",
        "cap-add",
        "cap-drop",
        "security-opt",
        "tmpfs",
        "restart",
        "shm-size",
        "ulimit",
        "dns",
        "add-host",
        "expose",
        "gpus",
        "runtime",
        "pull",
        "link",
        "log-driver",
        "log-opt",
        "stop-signal",
        "userns",
        "uts",
        "cgroupns",
        "cidfile",
        "ip",
        "file",
        "project-name",
        "profile",
        "index",
        "detach-keys",
    ],
};
const POD: Options = Options {
    letters: "ncfs",
    names: &[
        "namespace",
        "container",
        "filename",
        "context",
        "kubeconfig",
        "cluster",
        "user",
        "server",
    ],
};

/// The wrappers we know.
const TABLE: &[Wrapper] = &[
    assigns("env", "uCa", &["unset", "chdir", "argv0"]),
    assigns(
        "sudo",
        "ugpCcDhRTtUr",
        &[
            "user",
            "group",
            "prompt",
            "close-from",
            "chdir",
            "host",
            "role",
            "type",
            "other-user",
            "command-timeout",
            "chroot",
        ],
    ),
    assigns("doas", "uC", &[]),
    assigns("pkexec", "u", &["user"]),
    assigns(
        "run0",
        "u",
        &["user", "unit", "property", "chdir", "setenv", "slice", "nice", "machine"],
    ),
    assigns("runuser", "ugGs", &["user", "group", "supp-group", "shell"]),
    row("ssh-agent", "aEtP", 0),
    row("screen", "cehpsSTt", 0),
    row("command", "", 0),
    row("builtin", "", 0),
    row("exec", "a", 0),
    row("nohup", "", 0),
    row("setsid", "", 0),
    row("nice", "n", 0),
    long("nice", "n", &["adjustment"], 0),
    long("ionice", "cnpPu", &["class", "classdata", "pid"], 0),
    long("chrt", "TPDp", &["sched-runtime", "sched-period", "sched-deadline"], 1),
    row("taskset", "", 1),
    long("timeout", "ks", &["kill-after", "signal"], 1),
    long("gtimeout", "ks", &["kill-after", "signal"], 1),
    long("stdbuf", "ioe", &["input", "output", "error"], 0),
    long("time", "fo", &["format", "output"], 0),
    long("gtime", "fo", &["format", "output"], 0),
    long(
        "numactl",
        "CNmMpiw",
        &["interleave", "cpunodebind", "physcpubind", "membind", "preferred"],
        0,
    ),
    long("prlimit", "op", &["output", "pid"], 0),
    long("chroot", "", &["userspec", "groups"], 1),
    long(
        "unshare",
        "SGRwl",
        &["setuid", "setgid", "root", "wd", "map-user", "map-group", "propagation"],
        0,
    ),
    long("nsenter", "tSGW", &["target", "setuid", "setgid"], 0),
    long(
        "setpriv",
        "",
        &["reuid", "regid", "groups", "securebits", "inh-caps", "bounding-set", "ambient-caps"],
        0,
    ),
    long(
        "bwrap",
        "",
        &["chdir", "setenv", "unsetenv", "hostname", "uid", "gid", "proc", "dev", "tmpfs", "dir"],
        0,
    ),
    row("firejail", "", 0),
    row("strace", "aeoOpPsSuEIXbU", 0),
    row("ltrace", "aAeEFlnopsuwx", 0),
    row("catchsegv", "", 0),
    row("valgrind", "", 0),
    row("flock", "wE", 1),
    row("busybox", "", 0),
    row("toybox", "", 0),
    row("fakeroot", "lsbi", 0),
    row("eatmydata", "", 0),
    row("unbuffer", "", 0),
    row("rlwrap", "abcCDfgHlmMoOpPqsS", 0),
    row("setarch", "", 1),
    row("linux32", "", 0),
    row("linux64", "", 0),
    row("arch", "", 0),
    row("caffeinate", "tw", 0),
    row("chpst", "uUbnemdopfct/", 0),
    row("softlimit", "acdflmoprst", 0),
    row("cpulimit", "lpe", 0),
    row("cgexec", "g", 0),
    row("trickle", "duwltLn", 0),
    row("torsocks", "", 0),
    row("torify", "", 0),
    row("proxychains", "f", 0),
    row("proxychains4", "f", 0),
    row("sshpass", "pfPde", 0),
    row("faketime", "f", 1),
    row("gosu", "", 1),
    row("su-exec", "", 1),
    row("setuidgid", "", 1),
    row("s6-setuidgid", "", 1),
    row("envdir", "", 1),
    row("dumb-init", "r", 0),
    row("tini", "pe", 0),
    row("xvfb-run", "enpsfw", 0),
    row("dbus-run-session", "", 0),
    row("choom", "np", 0),
    row("logsave", "", 1),
    row("entr", "", 0),
    row("dotenv", "fe", 0),
    row("uvx", "", 0),
    row("bunx", "", 0),
    row("npx", "p", 0),
    row("start-stop-daemon", "nupacdgrNPIk", 0),
    long(
        "systemd-run",
        "puEMHdtI",
        &[
            "property",
            "unit",
            "setenv",
            "machine",
            "host",
            "slice",
            "uid",
            "gid",
            "nice",
            "working-directory",
            "description",
        ],
        0,
    ),
    row("ld-linux-x86-64.so.2", "", 0),
    row("ld-linux-aarch64.so.1", "", 0),
    row("ld-linux.so.2", "", 0),
    sub("bundle", &["exec"], "", 0),
    sub("poetry", &["run"], "", 0),
    sub("pipenv", &["run"], "", 0),
    sub("pdm", &["run"], "", 0),
    sub("hatch", &["run"], "", 0),
    sub("uv", &["run"], "p", 0),
    sub("pipx", &["run"], "", 0),
    sub("conda", &["run"], "np", 0),
    sub("npm", &["exec"], "", 0),
    sub("npm", &["x"], "", 0),
    sub("pnpm", &["exec"], "", 0),
    sub("pnpm", &["dlx"], "", 0),
    sub("yarn", &["exec"], "", 0),
    sub("yarn", &["dlx"], "", 0),
    sub("rbenv", &["exec"], "", 0),
    sub("pyenv", &["exec"], "", 0),
    sub("asdf", &["exec"], "", 0),
    sub("mise", &["exec"], "", 0),
    sub("mise", &["x"], "", 0),
    sub("direnv", &["exec"], "", 1),
    sub("op", &["run"], "", 0),
    sub("doppler", &["run"], "", 0),
    sub("chamber", &["exec"], "", 1),
    sub("aws-vault", &["exec"], "d", 1),
    sub("rustup", &["run"], "", 1),
    sub("ip", &["netns", "exec"], "", 1),
    sub("ip", &["vrf", "exec"], "", 1),
    sub("perf", &["stat"], "eopCrI", 0),
    sub("perf", &["record"], "eopCFg", 0),
    remote("docker", &["run"], CONTAINER, 1),
    remote("docker", &["exec"], CONTAINER, 1),
    remote("docker", &["container", "run"], CONTAINER, 1),
    remote("docker", &["container", "exec"], CONTAINER, 1),
    remote("docker", &["compose", "run"], CONTAINER, 1),
    remote("docker", &["compose", "exec"], CONTAINER, 1),
    remote("docker-compose", &["run"], CONTAINER, 1),
    remote("docker-compose", &["exec"], CONTAINER, 1),
    remote("podman", &["run"], CONTAINER, 1),
    remote("podman", &["exec"], CONTAINER, 1),
    remote("nerdctl", &["run"], CONTAINER, 1),
    remote("nerdctl", &["exec"], CONTAINER, 1),
    remote("lxc", &["exec"], CONTAINER, 1),
    remote("kubectl", &["exec"], POD, 1),
    remote("oc", &["exec"], POD, 1),
];

/// The command inside, and the assignments in front of it.
#[derive(Debug)]
pub(super) struct Inside<'w> {
    pub(super) assignments: Vec<&'w Word>,
    pub(super) words: &'w [Word],
    pub(super) place: Place,
}

/// What a wrapper wraps; empty words when it wraps nothing.
pub(super) fn inside<'w>(name: &str, arguments: &'w [Word]) -> Option<Inside<'w>> {
    let rows = TABLE.iter().filter(|row| row.name == name);
    let (wrapper, mut words) =
        rows.rev().find_map(|row| Some((row, behind(arguments, row.sub)?)))?;
    words = words.get(wrapper.options.end(words)..).unwrap_or_default();
    // `env - ls`
    if wrapper.name == "env" && words.first().and_then(Word::known) == Some("-") {
        words = words.get(1..).unwrap_or_default();
        words = words.get(wrapper.options.end(words)..).unwrap_or_default();
    }
    for _ in 0..wrapper.skip {
        words = words.get(1..).unwrap_or_default();
        // `kubectl exec pod -- ls`, `flock file -n ls`
        words = words.get(wrapper.options.end(words)..).unwrap_or_default();
    }
    let mut assignments = Vec::new();
    while wrapper.assigns && words.first().is_some_and(|word| word.split_assignment().is_some()) {
        assignments.extend(words.first());
        words = words.get(1..).unwrap_or_default();
    }
    Some(Inside { assignments, words, place: wrapper.place })
}

/// What stands behind the words of a subcommand; options of the program itself may stand between.
fn behind<'w>(mut words: &'w [Word], subs: &[&str]) -> Option<&'w [Word]> {
    for sub in subs {
        while words.first().is_some_and(|word| word.lead().starts_with('-')) {
            words = words.get(1..)?;
        }
        if words.first().and_then(Word::known) != Some(sub) {
            return None;
        }
        words = words.get(1..)?;
    }
    Some(words)
}
