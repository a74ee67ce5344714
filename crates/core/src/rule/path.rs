//! What rules say about paths.
//!
//! A path has several readings: as written, with its links followed, with a home or a variable
//! filled in by somebody else. Refusing looks at all of them; allowing needs the one that is real.

use std::fmt;
use std::path::{Path, PathBuf};

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{Call, Hit, RuleError, Slash, base};
use crate::glob;
use crate::world::plain;

/// A pattern as `.gitignore` writes them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct PathPattern {
    text: String,
    start: Start,
    /// The pattern below its start, one list of segments for each choice in braces.
    choices: Vec<Vec<String>>,
}

/// Where a pattern begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Start {
    /// At the root of the file system.
    Root,
    /// In the home of the person.
    Home,
    /// In the project.
    Project,
    /// Anywhere: a bare name.
    Anywhere,
}

/// The longest path a file can have.
const MAX_PATH: usize = 4096;
/// The longest name a file can have.
const MAX_NAME: usize = 255;
/// How many choices in braces one pattern may stand for.
const MAX_CHOICES: usize = 64;

/// Why no file can have this path.
pub(super) fn impossible(path: &str) -> Option<&'static str> {
    if path.len() >= MAX_PATH || path.split('/').any(|name| name.len() > MAX_NAME) {
        return Some("the path is longer than any file's");
    }
    path.contains('\0').then_some("the path has a character in it that no file's has")
}

impl PathPattern {
    pub(super) fn read(text: &str, slash: Slash) -> Result<Self, RuleError> {
        let text = text.trim();
        let (start, rest) = match text {
            _ if text.starts_with("//") => (Start::Root, text.trim_start_matches('/')),
            _ if text.starts_with('/') && slash == Slash::Absolute => (Start::Root, text),
            _ if text.starts_with('/') => (Start::Project, text),
            "~" => (Start::Home, ""),
            _ => match (text.strip_prefix("~/"), text.strip_prefix("./")) {
                (Some(rest), _) => (Start::Home, rest),
                (None, Some(rest)) => (Start::Project, rest),
                (None, None) if text.trim_end_matches('/').contains('/') => (Start::Project, text),
                (None, None) => (Start::Anywhere, text),
            },
        };
        if rest.split('/').any(|part| part == "..") {
            let message = format!("`{text}` climbs with `..`, which no real path does");
            let hint = "write where it leads to".to_owned();
            return Err(RuleError { message, hint });
        }
        let whole = |it: &str| if it.ends_with('/') { format!("{it}**") } else { it.to_owned() };
        let segments = |it: &String| {
            let parts = it.split('/').filter(|part| !part.is_empty() && *part != ".");
            parts.map(str::to_owned).collect()
        };
        let choices = expand(&whole(rest)).iter().map(segments).collect();
        Ok(Self { text: text.to_owned(), start, choices })
    }

    /// An absolute path and everything below it, with no character in it special.
    pub(super) fn within(path: &Path) -> Self {
        let mut choice = Vec::new();
        for name in path.to_string_lossy().split('/').filter(|it| !it.is_empty()) {
            let mut escaped = String::new();
            for c in name.chars() {
                match c {
                    '*' | '?' | '[' => escaped.extend(['[', c, ']']),
                    _ => escaped.push(c),
                }
            }
            choice.push(escaped);
        }
        choice.push("**".to_owned());
        let text = format!("/{}", choice.join("/"));
        Self { text: format!("/{text}"), start: Start::Root, choices: vec![choice] }
    }

    /// Whether any reading of the path is meant.
    pub(super) fn hits(&self, path: &str, call: &Call<'_>) -> Hit {
        let readings = Readings::of(path, call);
        if readings.all.iter().any(|it| self.covers(it, call, Care::Loose)) {
            return Hit::Yes;
        }
        if self.names_same_file(&readings, call) {
            return Hit::Yes;
        }
        readings.odd.map_or(Hit::No, Hit::Perhaps)
    }

    /// Whether the path is really one of those that are meant, and cannot be read otherwise.
    pub(super) fn proves(&self, path: &str, call: &Call<'_>) -> bool {
        let readings = Readings::of(path, call);
        readings.odd.is_none()
            && readings.real.is_some_and(|it| self.covers(&it, call, Care::Strict))
    }

    fn covers(&self, path: &Path, call: &Call<'_>, care: Care) -> bool {
        let Some(text) = path.to_str() else { return care == Care::Loose };
        let starts = self.starts(call, care);
        starts.iter().any(|start| {
            let start = start.to_string_lossy();
            let start = start.trim_end_matches('/');
            let Some(rest) = below(text, start, care) else { return false };
            let names: Vec<&str> = rest.split('/').filter(|it| !it.is_empty()).collect();
            self.choices.iter().any(|choice| self.fits(choice, &names, care))
        })
    }

    fn fits(&self, choice: &[String], names: &[&str], care: Care) -> bool {
        if self.start == Start::Anywhere {
            let Some(pattern) = choice.last() else { return true };
            return match care {
                Care::Loose => names.iter().any(|name| name_fits(pattern, name, care)),
                Care::Strict => names.last().is_some_and(|name| name_fits(pattern, name, care)),
            };
        }
        // A folder that is meant is meant with all that is in it.
        let within = || {
            (1..names.len())
                .any(|end| names.get(..end).is_some_and(|names| segments_fit(choice, names, care)))
        };
        segments_fit(choice, names, care) || (care == Care::Loose && within())
    }

    /// The folders a pattern may begin in, each also as it really is.
    fn starts(&self, call: &Call<'_>, care: Care) -> Vec<PathBuf> {
        let mut starts = match self.start {
            Start::Root => vec![PathBuf::from("/")],
            Start::Home => call.terrain.home().map(Path::to_path_buf).into_iter().collect(),
            Start::Anywhere if care == Care::Loose => vec![PathBuf::from("/")],
            Start::Project | Start::Anywhere => match care {
                Care::Loose => vec![call.root.to_path_buf(), base(call)],
                Care::Strict => vec![call.root.to_path_buf()],
            },
        };
        let real: Vec<PathBuf> =
            starts.iter().filter_map(|it| call.terrain.real(it).ok()).collect();
        starts.extend(real);
        starts.dedup();
        starts
    }

    /// Whether the file is, by another name, one that a pattern without stars names.
    fn names_same_file(&self, readings: &Readings, call: &Call<'_>) -> bool {
        let exact = |choice: &&Vec<String>| !choice.iter().any(|it| it.contains(['*', '?', '[']));
        let starts = match self.start {
            Start::Anywhere => vec![call.root.to_path_buf(), base(call)],
            Start::Root | Start::Home | Start::Project => self.starts(call, Care::Loose),
        };
        let Some(real) = &readings.real else { return false };
        self.choices.iter().filter(exact).any(|choice| {
            let named = |start: &PathBuf| choice.iter().fold(start.clone(), |at, it| at.join(it));
            starts.iter().any(|start| call.terrain.is_same_file(&named(start), real))
        })
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How a pattern is compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Care {
    /// For refusing: capitals do not matter, and what is in a folder is meant with it.
    Loose,
    /// For allowing.
    Strict,
}

/// What a path may mean.
#[derive(Debug)]
struct Readings {
    /// Every absolute path it may stand for.
    all: Vec<PathBuf>,
    /// Where it leads when every link is followed.
    real: Option<PathBuf>,
    /// Why somebody may read it otherwise.
    odd: Option<String>,
}

impl Readings {
    fn of(path: &str, call: &Call<'_>) -> Self {
        let (spellings, mut odd) = spellings(path, call);
        let mut readings = Self { all: Vec::new(), real: None, odd: None };
        for spelling in spellings {
            let absolute = base(call).join(&spelling);
            let absolute = without_procfs(&absolute, call);
            readings.all.push(plain(&absolute));
            match call.terrain.real(&absolute) {
                Ok(real) => {
                    readings.real.get_or_insert_with(|| real.clone());
                    readings.all.push(real);
                }
                Err(lost) => {
                    odd.get_or_insert_with(|| format!("nobody can say where it leads: {lost}"));
                }
            }
            if is_magic(&absolute) {
                odd.get_or_insert_with(|| "the path goes through another process".to_owned());
            }
        }
        Self { odd, ..readings }
    }
}

/// The ways to spell out a path, the plainest first, and what is odd about it.
fn spellings(path: &str, call: &Call<'_>) -> (Vec<PathBuf>, Option<String>) {
    let mut all = vec![PathBuf::from(path)];
    let mut odd = None;
    let mut doubt = |why: &str| {
        odd.get_or_insert_with(|| why.to_owned());
    };
    let home = call.terrain.home();
    let tilde = path.strip_prefix('~').filter(|it| it.is_empty() || it.starts_with('/'));
    let variable = ["$HOME", "${HOME}"].iter().find_map(|name| path.strip_prefix(name));
    for rest in tilde.into_iter().chain(variable) {
        all.extend(home.map(|home| home.join(rest.trim_start_matches('/'))));
    }
    if let Some(address) = path.strip_prefix("file://") {
        all.push(PathBuf::from(address));
        doubt("it is an address, and not a path");
    }
    if tilde.is_none() && path.starts_with('~') {
        doubt("it names the home of somebody else");
    }
    if path.contains('$') || path.contains('`') {
        doubt("it contains a variable, which somebody may fill in");
    }
    if path.contains('\\') {
        all.push(PathBuf::from(path.replace('\\', "/")));
        doubt("it contains a backslash, which some systems read as a slash");
    }
    let trimmed = path.trim_end_matches(['.', ' ']);
    if trimmed.len() < path.len() && !matches!(path.rsplit('/').next(), Some("." | "..")) {
        all.push(PathBuf::from(trimmed));
        doubt("it ends with a dot or a space, which some systems leave out");
    }
    if path.split('/').any(|name| name.contains(':')) {
        all.push(PathBuf::from(path.split(':').next().unwrap_or_default()));
    }
    if path.is_empty() {
        doubt("it is empty");
    }
    if let Some(decoded) = percent_decoded(path) {
        all.push(PathBuf::from(decoded));
        doubt("it contains characters as addresses write them, which somebody may decode");
    }
    if !path.is_ascii() {
        let folded = ComposingNormalizerBorrowed::new_nfkc().normalize(path).into_owned();
        if ComposingNormalizerBorrowed::new_nfc().normalize(path) != folded {
            doubt("it contains letters that some systems take for others");
        }
        all.push(PathBuf::from(folded));
    }
    if path.chars().any(is_invisible) {
        all.push(PathBuf::from(path.chars().filter(|c| !is_invisible(*c)).collect::<String>()));
        doubt("it contains characters that nobody sees");
    }
    (all, odd)
}

/// A path in which `%2e` and the like are decoded, where there are such.
fn percent_decoded(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    let mut found = false;
    for part in parts {
        let code = part.get(..2).and_then(|it| u8::from_str_radix(it, 16).ok());
        if let (Some(byte), Some(rest)) = (code, part.get(2..)) {
            found = true;
            bytes.push(byte);
            bytes.extend(rest.as_bytes());
        } else {
            bytes.push(b'%');
            bytes.extend(part.as_bytes());
        }
    }
    found.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Characters that change how a text looks, or do not show at all.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// The path with `/proc/PID/root` and `/proc/PID/cwd` taken for what they are.
fn without_procfs(path: &Path, call: &Call<'_>) -> PathBuf {
    let mut path = plain_text(path);
    for _ in 0..8 {
        let Some(rest) = path.strip_prefix("/proc/") else { break };
        let mut parts = rest.splitn(3, '/');
        let process = parts.next().unwrap_or_default();
        let is_process = matches!(process, "self" | "thread-self")
            || (!process.is_empty() && process.chars().all(|c| c.is_ascii_digit()));
        let (door, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        path = match door {
            "root" if is_process => format!("/{rest}"),
            "cwd" if is_process => base(call).join(rest).to_string_lossy().into_owned(),
            _ => break,
        };
    }
    PathBuf::from(path)
}

fn plain_text(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut squeezed = String::with_capacity(text.len());
    for part in text.split('/').filter(|it| !it.is_empty() && *it != ".") {
        squeezed.push('/');
        squeezed.push_str(part);
    }
    if squeezed.is_empty() { "/".to_owned() } else { squeezed }
}

/// Whether a path goes through what another process holds open.
fn is_magic(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let holds = |part: &str| matches!(part, "fd" | "root" | "cwd" | "map_files" | "task" | "exe");
    text.starts_with("/dev/fd/")
        || (text.starts_with("/proc/") && text.split('/').skip(3).any(holds))
}

/// The rest of a path below a folder.
fn below<'p>(path: &'p str, folder: &str, care: Care) -> Option<&'p str> {
    let (head, rest) = path.split_at_checked(folder.len())?;
    let same = match care {
        Care::Strict => head == folder,
        Care::Loose => head.eq_ignore_ascii_case(folder),
    };
    (same && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

/// Whether segments fit, where `**` stands for any number of them.
fn segments_fit(pattern: &[String], names: &[&str], care: Care) -> bool {
    // The place of the last `**` and the names it has taken, to come back to.
    let (mut at, mut pos, mut retry) = (0, 0, None);
    while pos < names.len() {
        match (pattern.get(at), names.get(pos)) {
            (Some(it), _) if it == "**" => {
                retry = Some((at, pos));
                at += 1;
                continue;
            }
            (Some(it), Some(name)) if name_fits(it, name, care) => {
                at += 1;
                pos += 1;
                continue;
            }
            _ => (),
        }
        let Some((star, from)) = retry else { return false };
        retry = Some((star, from + 1));
        at = star + 1;
        pos = from + 1;
    }
    pattern.iter().skip(at).all(|it| it == "**")
}

fn name_fits(pattern: &str, name: &str, care: Care) -> bool {
    match care {
        Care::Strict => glob::matches(pattern, name),
        Care::Loose => glob::matches(&pattern.to_lowercase(), &name.to_lowercase()),
    }
}

/// Every choice that `{a,b}` stands for; too many are left as written.
fn expand(pattern: &str) -> Vec<String> {
    let mut all = vec![pattern.to_owned()];
    for _ in 0..MAX_CHOICES {
        let Some((place, (head, inside, tail))) =
            all.iter().enumerate().find_map(|(place, it)| Some((place, braces(it)?)))
        else {
            return all;
        };
        let more: Vec<String> =
            inside.split(',').map(|choice| format!("{head}{choice}{tail}")).collect();
        if all.len() + more.len() > MAX_CHOICES {
            return all;
        }
        all.splice(place..=place, more);
    }
    all
}

/// A pattern around its first choice in braces.
fn braces(pattern: &str) -> Option<(String, String, String)> {
    let (head, rest) = pattern.split_once('{')?;
    let (inside, tail) = rest.split_once('}')?;
    (inside.contains(',') && !inside.contains('{'))
        .then(|| (head.to_owned(), inside.to_owned(), tail.to_owned()))
}
