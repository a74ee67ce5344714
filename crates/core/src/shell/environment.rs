//! Variables that make programs start others.

use super::program::{Start, Starts};
use super::{Assignment, DoubtKind, Place};

/// Variables whose value is a command line.
const COMMANDS: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_PAGER",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "RSYNC_RSH",
    "CVS_RSH",
    "SVN_SSH",
    "SVN_EDITOR",
    "HGEDITOR",
    "FCEDIT",
    "SYSTEMD_PAGER",
    "AWS_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "GH_PAGER",
    "GH_EDITOR",
    "KUBE_EDITOR",
    "CC",
    "CXX",
    "RUSTC_WRAPPER",
    "RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "MAKESHELL",
    "FZF_DEFAULT_COMMAND",
    "LESS",
    "TAR_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "GIT_PROXY_COMMAND",
    "PROMPT_COMMAND",
];

/// Variables that make a shell or the loader run a file first, or that rewrite a program's configuration.
const LOADERS: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "PHP_INI_SCAN_DIR",
    "GCONV_PATH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "BASH_LOADABLES_PATH",
    "VIMINIT",
    "EXINIT",
    "AWKPATH",
    "AWKLIBPATH",
    "ZDOTDIR",
    "MAKEFLAGS",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "BASHOPTS",
    "SHELLOPTS",
    "IFS",
    "EXECIGNORE",
    "MALLOC_CONF",
    "PYTHONPATH",
    "PERL5LIB",
    "RUBYLIB",
];

/// What an assignment makes start.
pub(super) fn assigned(assignment: &Assignment, starts: &mut Starts) {
    let (name, value) = (assignment.name.as_str(), &assignment.value);
    let shown = || format!("{name}={}", value.shown());
    if COMMANDS.contains(&name) {
        starts.text(value.clone(), Place::Nested);
    } else if name == "IFS" {
        starts.doubt(DoubtKind::Expansion, &shown());
    } else if LOADERS.contains(&name)
        || name.starts_with("GIT_CONFIG_")
        || name.starts_with("BASH_FUNC_")
    {
        let path = matches!(
            name,
            "PYTHONPATH"
                | "PERL5LIB"
                | "RUBYLIB"
                | "LD_LIBRARY_PATH"
                | "MAKEFLAGS"
                | "NODE_OPTIONS"
                | "ZDOTDIR"
        );
        let kind = if path { DoubtKind::Renaming } else { DoubtKind::Environment };
        starts.doubt(kind, &shown());
        if let Some(command) = value.known() {
            starts.text(super::Word::text(command), Place::Alias);
        }
    } else if matches!(name, "PS0" | "PS1" | "PS2" | "PS4") {
        starts.0.push(Start::Evaluated(value.shown()));
        starts.doubt(DoubtKind::Evaluation, &shown());
    } else if matches!(name, "PATH" | "BASH_ALIASES" | "BASH_CMDS") {
        starts.doubt(DoubtKind::Renaming, &shown());
        if name != "PATH" {
            starts.text(value.clone(), Place::Alias);
        }
    }
}
