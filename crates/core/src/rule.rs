//! Rules about tool calls: `Tool`, `Tool(spec)`, and what each says about one call.
//!
//! One grammar serves permission rules, `if:` and the matchers of dialects that have patterns.
//! A rule is asked two questions that are not each other's opposite. Does it *hit* the call, through
//! every disguise? That is what refusing needs. Does it *prove* the call, so that nothing else can
//! happen? That is what allowing needs. What cannot be told is neither.

mod example;
mod path;
mod tool;
mod web;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::path::PathPattern;
use self::tool::Kind;
use self::web::HostPattern;
use crate::event::{Analysed, Event};
use crate::shell::judge::{self, Proof};
use crate::shell::pattern::CommandPattern;
use crate::shell::{Analysis, Command};
use crate::world::Terrain;

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    tool: ToolPattern,
    spec: Spec,
}

/// Which tools a rule is about.
#[derive(Clone, Debug, Eq, PartialEq)]
enum ToolPattern {
    /// Every tool.
    Any,
    /// The tool of this name, and those that do the same under another name.
    Named(String),
    /// Every tool of an MCP server: `mcp__server`.
    Server(String),
    /// Names with a star in them: `mcp__server__*`.
    Glob(String),
}

/// What a rule says about the call.
#[derive(Clone, Debug, PartialEq)]
enum Spec {
    /// Nothing: any call.
    Whole,
    Command(CommandPattern),
    Path(PathPattern),
    Host(HostPattern),
    /// The name of an agent or a skill; stars stand for anything.
    Name(String),
    /// A parameter and its value; stars stand for anything.
    Parameter {
        name: String,
        value: String,
    },
    /// The whole input as JSON; stars stand for anything.
    Input(String),
}

/// Whether a rule hits a call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Hit {
    /// It does not.
    No,
    /// It does.
    Yes,
    /// Nobody can tell, and why.
    Perhaps(String),
}

/// Why a rule cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RuleError {
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

/// What a leading slash in a path means.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Slash {
    /// The root of the file system.
    #[default]
    Absolute,
    /// The folder that the settings belong to, as in Claude Code; `//` is the file system's.
    Settings,
}

/// A call that rules are asked about.
#[derive(Clone, Copy, Debug)]
pub struct Call<'e> {
    /// The tool.
    pub tool: &'e str,
    /// What it is called with.
    pub input: &'e Value,
    /// The folder it runs in.
    pub cwd: &'e Path,
    /// The root of the project.
    pub root: &'e Path,
    /// The file system.
    pub terrain: &'e dyn Terrain,
    /// What is known about its command line.
    pub analysed: &'e Analysed,
}

impl<'e> Call<'e> {
    /// The call that an event is about, if it is about one.
    pub fn of(event: &'e Event) -> Option<Self> {
        let call = event.tool_call()?;
        let root = event.root();
        let cwd = event.text("cwd").map_or(root, Path::new);
        let (terrain, analysed) = (event.terrain(), event.analysed());
        Some(Self { tool: call.name, input: call.input, cwd, root, terrain, analysed })
    }

    /// Its command line taken apart, where it has one.
    pub fn analysis(&self) -> Option<&'e Analysis> {
        (Kind::of(self.tool) == Some(Kind::Shell))
            .then(|| self.analysed.of(&tool::command(self.input)))
    }
}

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_with(text, Slash::Absolute)
    }

    /// The rule that allows this very call and nothing else, where one can say that.
    pub fn for_exactly(call: &Call<'_>) -> Option<Self> {
        let spec = match Kind::of(call.tool) {
            Some(Kind::Shell) => tool::command(call.input).trim().to_owned(),
            Some(Kind::Read | Kind::Edit) => match tool::paths(call).as_slice() {
                [path] => {
                    format!("//{}", base(call).join(&**path).to_str()?.trim_start_matches('/'))
                }
                _ => return None,
            },
            Some(Kind::Web) => {
                let mut urls = tool::urls(call.input);
                let host = urls.next().and_then(web::host).filter(|_| urls.next().is_none());
                format!("domain:{}", host?)
            }
            Some(Kind::Agent) => {
                let mut names = tool::names(call.input);
                names.next().filter(|_| names.next().is_none())?.to_owned()
            }
            None => return None,
        };
        if spec.contains(['*', '?', '[', '\n']) {
            return None;
        }
        // It must be read back as itself and really allow the call.
        let rule = Self::parse(&format!("{}({spec})", call.tool)).ok()?;
        rule.proves(call).then_some(rule)
    }

    /// Reads a rule in which a leading slash of a path has this meaning.
    pub fn parse_with(text: &str, slash: Slash) -> Result<Self, RuleError> {
        let (tool, spec) = split(text.trim())?;
        let tool = ToolPattern::read(tool)?;
        let spec = match spec {
            None => Spec::Whole,
            Some(spec) => Spec::read(&tool, spec, slash)?,
        };
        Ok(Self { tool, spec })
    }

    /// The rule about changing a path, or anything below it.
    pub fn about_changing(path: &Path) -> Self {
        let tool = ToolPattern::Named("Edit".to_owned());
        Self { tool, spec: Spec::Path(PathPattern::within(path)) }
    }

    /// Whether it hits a call, through whatever disguise.
    pub fn hits(&self, call: &Call<'_>) -> Hit {
        if !self.tool.covers(call.tool) {
            return Hit::No;
        }
        match &self.spec {
            Spec::Whole => Hit::Yes,
            Spec::Command(_) if !tool::tells_command(call.input) => {
                Hit::Perhaps("the call does not say in words what it runs".to_owned())
            }
            Spec::Command(pattern) => {
                call.analysis().map_or(Hit::No, |analysis| match judge::hits(pattern, analysis) {
                    judge::Hit::No => Hit::No,
                    judge::Hit::Yes { .. } => Hit::Yes,
                    judge::Hit::Perhaps { why } => Hit::Perhaps(why),
                })
            }
            Spec::Path(pattern) => {
                any(tool::paths(call).iter().map(|path| pattern.hits(path, call)))
            }
            Spec::Host(pattern) => any(tool::urls(call.input).map(|url| pattern.hits(url))),
            Spec::Name(_) | Spec::Parameter { .. } | Spec::Input(_) => self.plain_hit(call),
        }
    }

    /// Whether it hits a call that it is to refuse: what may not be read may not be changed either,
    /// and what is true of a file is true of a command that names it.
    pub fn forbids(&self, call: &Call<'_>) -> Hit {
        match &self.spec {
            Spec::Path(pattern) if Kind::of(call.tool) == Some(Kind::Shell) => {
                let reading = self.tool.kind() == Some(Kind::Read);
                any(tool::operands(call, reading).map(|(path, shown)| match path {
                    Some(path) => pattern.hits(&path, call),
                    None => Hit::Perhaps(format!("`{shown}` is not known before it runs")),
                }))
            }
            Spec::Path(pattern)
                if self.tool.kind() == Some(Kind::Read)
                    && Kind::of(call.tool) == Some(Kind::Edit) =>
            {
                any(tool::paths(call).iter().map(|path| pattern.hits(path, call)))
            }
            _ => self.hits(call),
        }
    }

    /// Whether it alone proves that the call is what it allows.
    pub fn proves(&self, call: &Call<'_>) -> bool {
        if !self.tool.covers(call.tool) {
            return false;
        }
        match &self.spec {
            Spec::Whole => true,
            Spec::Command(pattern) => call.analysis().is_some_and(|analysis| {
                judge::allows(std::slice::from_ref(pattern), analysis) == Proof::Proven
            }),
            Spec::Path(pattern) => {
                let paths = tool::paths(call);
                !paths.is_empty() && paths.iter().all(|path| pattern.proves(path, call))
            }
            Spec::Host(pattern) => {
                let mut urls = tool::urls(call.input).peekable();
                urls.peek().is_some() && urls.all(|url| pattern.proves(url))
            }
            Spec::Name(_) | Spec::Parameter { .. } | Spec::Input(_) => {
                self.plain_hit(call) == Hit::Yes
            }
        }
    }

    /// What it says about command lines, where it says something about them.
    pub fn command_pattern(&self) -> Option<&CommandPattern> {
        match &self.spec {
            Spec::Command(pattern) => Some(pattern),
            _ => None,
        }
    }

    /// Whether it speaks of this part of a command line, however it is disguised.
    pub fn speaks_of(&self, command: &Command) -> bool {
        match &self.spec {
            Spec::Whole => true,
            Spec::Command(pattern) => judge::fits(pattern, command),
            _ => false,
        }
    }

    /// Whether it is about this tool.
    pub fn is_about(&self, tool: &str) -> bool {
        self.tool.covers(tool)
    }

    /// Whether it is about more than the name of the tool.
    pub fn reads_input(&self) -> bool {
        self.spec != Spec::Whole
    }

    /// The tool that stands for all that do the same, where this is about one of them only.
    pub fn wider_tool(&self) -> Option<&'static str> {
        tool::leader(self.tool.name()).filter(|it| *it != self.tool.name() && self.reads_input())
    }

    /// Whether it is clear what its tool does, so that its parentheses can only mean one thing.
    pub fn knows_its_tool(&self) -> bool {
        self.tool.kind().is_some()
    }

    /// The rules that compare texts and nothing else.
    fn plain_hit(&self, call: &Call<'_>) -> Hit {
        let fits = match &self.spec {
            Spec::Name(name) => {
                let mut names = tool::names(call.input).peekable();
                // Whose name is not told may be anybody's.
                if names.peek().is_none() {
                    return Hit::Perhaps("the call does not say which one".to_owned());
                }
                names.any(|it| star_matches(name, it))
            }
            Spec::Parameter { name, value } => match call.input.get(name) {
                Some(Value::String(text)) => star_matches(value, text),
                Some(other) => star_matches(value, &other.to_string()),
                None => false,
            },
            Spec::Input(text) => star_matches(text, &call.input.to_string()),
            Spec::Whole | Spec::Command(_) | Spec::Path(_) | Spec::Host(_) => return Hit::No,
        };
        if fits { Hit::Yes } else { Hit::No }
    }
}

/// The strongest of several answers.
fn any(hits: impl Iterator<Item = Hit>) -> Hit {
    let mut perhaps = Hit::No;
    for hit in hits {
        match hit {
            Hit::Yes => return Hit::Yes,
            Hit::Perhaps(_) if perhaps == Hit::No => perhaps = hit,
            Hit::Perhaps(_) | Hit::No => (),
        }
    }
    perhaps
}

/// What no rule about a tool lets pass: values that cannot mean what they say.
///
/// A path that no file can have, or an address inside the machine or its network that is not
/// named by a rule.
pub fn nonsense(call: &Call<'_>) -> Option<String> {
    match Kind::of(call.tool)? {
        Kind::Read | Kind::Edit => {
            tool::paths(call).iter().find_map(|path| path::impossible(path)).map(str::to_owned)
        }
        Kind::Web => tool::urls(call.input).find_map(web::forbidden),
        Kind::Shell | Kind::Agent => None,
    }
}

fn split(text: &str) -> Result<(&str, Option<&str>), RuleError> {
    let wrong = |message: String, hint: &str| RuleError { message, hint: hint.to_owned() };
    if text.is_empty() {
        return Err(wrong("a rule is empty".to_owned(), "write `Tool` or `Tool(what)`"));
    }
    let Some((tool, rest)) = text.split_once('(') else {
        return if text.contains(')') {
            let message = format!("`{text}` has a closing parenthesis without an opening one");
            Err(wrong(message, "write `Tool` or `Tool(what)`"))
        } else {
            Ok((text, None))
        };
    };
    let Some(spec) = rest.strip_suffix(')') else {
        let message = format!("`{text}` opens a parenthesis that does not close at its end");
        return Err(wrong(message, "write `Tool(what)`"));
    };
    if tool.is_empty() || spec.trim().is_empty() {
        let message = format!("`{text}` does not say which {}", blank(tool));
        return Err(wrong(message, "write `Tool`, or `Tool(what)` such as `Bash(git push *)`"));
    }
    Ok((tool.trim_end(), Some(spec)))
}

const fn blank(tool: &str) -> &'static str {
    if tool.is_empty() { "tool is meant" } else { "calls are meant" }
}

impl ToolPattern {
    fn read(text: &str) -> Result<Self, RuleError> {
        let odd = |c: char| !(c.is_alphanumeric() || "_-.:/@*".contains(c));
        if let Some(c) = text.chars().find(|c| odd(*c)) {
            let message = format!("`{text}` is not the name of a tool: it contains `{c}`");
            let hint = "a rule names one tool: `Bash`, `mcp__server__tool`, `mcp__server__*`";
            return Err(RuleError { message, hint: hint.to_owned() });
        }
        Ok(match text {
            "*" => Self::Any,
            _ if text.contains('*') => Self::Glob(text.to_owned()),
            _ => match text.strip_prefix("mcp__") {
                Some(server) if !server.is_empty() && !server.contains("__") => {
                    Self::Server(text.to_owned())
                }
                Some(_) | None => Self::Named(text.to_owned()),
            },
        })
    }

    fn covers(&self, tool: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Named(name) => name == tool || tool::covers(name, tool),
            Self::Server(server) => {
                tool == server
                    || tool.strip_prefix(server.as_str()).is_some_and(|it| it.starts_with("__"))
            }
            Self::Glob(glob) => star_matches(glob, tool),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Any => "*",
            Self::Named(text) | Self::Server(text) | Self::Glob(text) => text,
        }
    }

    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Named(name) => Kind::of(name),
            Self::Any | Self::Server(_) | Self::Glob(_) => None,
        }
    }
}

impl Spec {
    fn read(tool: &ToolPattern, text: &str, slash: Slash) -> Result<Self, RuleError> {
        Ok(match tool.kind() {
            Some(Kind::Shell) => Self::Command(CommandPattern::parse(text).map_err(|error| {
                RuleError {
                    message: format!("`{text}` cannot be read: {error}"),
                    hint: "write `Bash(git push:*)`, `Bash(npm run *)` or `Bash(npm run build)`"
                        .to_owned(),
                }
            })?),
            Some(Kind::Read | Kind::Edit) => Self::Path(PathPattern::read(text, slash)?),
            Some(Kind::Web) => Self::Host(HostPattern::read(text)?),
            Some(Kind::Agent) if !text.contains(':') => Self::Name(text.to_owned()),
            Some(Kind::Agent) | None => match text.split_once(':') {
                Some((name, value)) if is_field(name) => {
                    Self::Parameter { name: name.to_owned(), value: value.to_owned() }
                }
                Some(_) | None => Self::Input(text.to_owned()),
            },
        })
    }
}

fn is_field(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tool.name())?;
        match &self.spec {
            Spec::Whole => Ok(()),
            Spec::Command(pattern) => write!(f, "({pattern})"),
            Spec::Path(pattern) => write!(f, "({pattern})"),
            Spec::Host(pattern) => write!(f, "({pattern})"),
            Spec::Name(text) | Spec::Input(text) => write!(f, "({text})"),
            Spec::Parameter { name, value } => write!(f, "({name}:{value})"),
        }
    }
}

/// Whether a text fits a pattern in which a star stands for anything, and nothing else is special.
fn star_matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// The folder that relative paths of a call start from, as an absolute path.
fn base(call: &Call<'_>) -> PathBuf {
    call.root.join(call.cwd)
}

#[cfg(test)]
mod tests;
