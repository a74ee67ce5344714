//! The words of a command line or script that may name a file.

use std::path::PathBuf;

/// How deep a command may stand in a command.
const MAX_DEPTH: usize = 3;
/// Characters that end a word outside of quotes.
const ENDS: &str = ";&|<>()\n`";
/// Characters in a word that a shell replaces by names of files.
const PATTERNS: [char; 4] = ['*', '?', '[', '{'];

/// A word that may name a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Named {
    /// The word itself.
    pub(super) text: String,
    /// The path it may be; what stands before the last variable in it is nobody's guess.
    pub(super) path: PathBuf,
    /// Whether a shell would replace it by the files it finds.
    pub(super) pattern: bool,
}

impl Named {
    /// Whether it could hardly be anything else.
    pub(super) fn is_like_a_path(&self) -> bool {
        self.text.contains(['/', '.'])
    }
}

/// The words of a text that may name a file.
pub(super) fn named(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    collect(text, MAX_DEPTH, &mut found);
    found
}

fn collect(text: &str, depth: usize, found: &mut Vec<Named>) {
    let words = words(text);
    let mut module = false;
    for word in &words {
        if depth > 0 && word.contains(|c: char| c.is_whitespace() || ENDS.contains(c)) {
            collect(word, depth - 1, found);
        }
        // `--config=file`, `a:b` and `a,b` name files too.
        for part in std::iter::once(word.as_str()).chain(word.split(['=', ':', ','])) {
            add(part, found);
        }
        if std::mem::replace(&mut module, word == "-m") {
            let path = word.replace('.', "/");
            add(&format!("{path}.py"), found);
            add(&format!("{path}/__main__.py"), found);
        }
    }
}

fn add(word: &str, found: &mut Vec<Named>) {
    // Behind a variable, only what follows it can be known.
    let variable = word.rfind('$').map(|at| word.split_at(at).1);
    let (known, rooted) = match variable {
        Some(rest) => (rest.split_once('/').map_or("", |it| it.1), false),
        None => (word.strip_prefix("~/").unwrap_or(word), true),
    };
    let pattern = rooted && known.contains(PATTERNS) && known.contains('/');
    let named = Named { text: word.to_owned(), path: PathBuf::from(known), pattern };
    let is_empty = known.trim_matches(['/', '.']).is_empty();
    if !is_empty && known.len() < 4096 && !known.contains('\0') && !found.contains(&named) {
        found.push(named);
    }
}

/// The words of a command line, without their quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => word.extend(chars.next().filter(|it| *it != '\n')),
            (None, c) if c.is_whitespace() || ENDS.contains(c) => {
                words.push(std::mem::take(&mut word));
            }
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|it| !it.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::named;

    fn paths(text: &str) -> Vec<String> {
        named(text).iter().map(|it| it.path.display().to_string()).collect()
    }

    #[test]
    fn files_are_found_behind_quotes_variables_flags_and_redirections() {
        let found = |text: &str, path: &str| paths(text).iter().any(|it| it == path);
        for text in [
            "./a/b.sh",
            "sh a/b.sh",
            "\"$CLAUDE_PROJECT_DIR\"/a/b.sh",
            "${ROOT}/a/b.sh x",
            "sh -c 'cd x && a/b.sh'",
            "sh -c \"sh -c 'a/b.sh'\"",
            "bash <a/b.sh",
            "tool --config=a/b.sh",
            "PYTHONPATH=x:a/b.sh python",
            "a\\/b.sh",
            "'a'/b.\"sh\"",
        ] {
            assert!(found(text, "a/b.sh") || found(text, "./a/b.sh"), "{text}: {:?}", paths(text));
        }
        assert!(found("\"$(git rev-parse --show-toplevel)/a/b.sh\"", "/a/b.sh"));
        assert!(found("sh 'my hook.sh'", "my hook.sh"));
        assert!(found("python3 -m tools.guard", "tools/guard.py"));
    }

    #[test]
    fn a_pattern_is_known_as_one() {
        assert!(named("cat ./hooks/*.sh").iter().any(|it| it.pattern));
        assert!(!named("grep 'a*b' x").iter().any(|it| it.pattern));
    }
}
