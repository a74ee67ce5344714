//! What the text of a command or of a script gives away. Nothing is run, and nothing is certain.

use std::collections::BTreeSet;

/// A command or a script without its comments.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Text {
    code: String,
    /// The same without blanks and quotes, so that `"a": 1`, `{a:1}` and `\"a\":1` look alike.
    squeezed: String,
}

/// Answers by which one system or another is told no.
const REFUSALS: [&str; 6] = [
    "decision:block",
    "decision:deny",
    "permissionDecision:deny",
    "permissionDecision:ask",
    "continue:false",
    "continue:False",
];
/// How programs read an event that comes on standard input.
const READS: [&str; 8] = [
    "$(cat)",
    "$(cat-)",
    "`cat`",
    "/dev/stdin",
    "sys.stdin",
    "readFileSync(0",
    "process.stdin",
    "STDIN.read",
];
/// Words with which scripts say no.
const WORDS: [&str; 9] = [
    "block",
    "denied",
    "deny",
    "forbid",
    "refus",
    "not allowed",
    "dangerous",
    "prohibited",
    "not permitted",
];

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let code: String = text.lines().map(|line| without_comment(line) + "\n").collect();
        let squeezed = squeeze(&code);
        Self { code, squeezed }
    }

    /// Whether it holds this, however it is quoted and spaced.
    pub(in super::super) fn has(&self, squeezed: &str) -> bool {
        self.squeezed.contains(squeezed)
    }

    /// The codes that it says it ends with.
    pub(super) fn exits(&self) -> BTreeSet<u8> {
        self.code.lines().flat_map(exits).collect()
    }

    /// Whether it prints an answer that would be a refusal somewhere.
    pub(super) fn refuses(&self) -> bool {
        REFUSALS.iter().any(|it| self.has(it))
    }

    /// Whether it says no to whoever reads it.
    pub(super) fn says_no(&self) -> bool {
        let low = self.code.to_lowercase();
        WORDS.iter().any(|it| low.contains(it))
    }

    /// How it reads standard input.
    pub(super) fn reads_input(&self) -> bool {
        READS.iter().any(|it| self.has(it))
    }

    /// The code it ends with right after it has printed an answer.
    pub(super) fn exit_after_answer(&self) -> Option<u8> {
        let lines: Vec<&str> = self.code.lines().filter(|it| !it.trim().is_empty()).collect();
        let answers = |line: &&str| REFUSALS.iter().any(|it| squeeze(line).contains(it));
        let at = lines.iter().position(answers)?;
        let same = lines.get(at).map(|line| exits(line)).unwrap_or_default();
        let next = lines.get(at + 1).map(|line| exits(line)).unwrap_or_default();
        same.into_iter().chain(next).next()
    }

    /// Whether it uses a variable that it does not set itself.
    pub(in super::super) fn uses(&self, name: &str) -> bool {
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let in_shell = self.code.split('$').skip(1).any(|rest| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            rest.strip_prefix(name)
                .is_some_and(|it| !it.starts_with(in_name) && !it.starts_with([':', '-', '+']))
        });
        let reads = ["environ[", "environ.get(", "getenv(", "process.env.", "$ENV."];
        let elsewhere = reads.iter().any(|read| {
            let read = format!("{read}{name}");
            self.squeezed.split(&read).skip(1).any(|it| !it.starts_with(in_name))
        });
        let sets = |line: &str| {
            let line = line.trim_start();
            let words = ["export ", "local ", "for ", "read -r ", "read ", "IFS= read -r "];
            let line = words.iter().find_map(|it| line.strip_prefix(it)).unwrap_or(line);
            line.strip_prefix(name).is_some_and(|it| !it.starts_with(in_name))
        };
        (in_shell || elsewhere) && !self.code.split(['\n', ';', '&', '|']).any(sets)
    }

    /// Whether it prints plain text as well as an answer with one of these fields.
    pub(super) fn talks_beside(&self, fields: &[&str]) -> bool {
        let answers = fields.iter().any(|it| self.has(&format!("{it}:")));
        let lines: Vec<&str> = self.code.lines().map(str::trim).collect();
        let ends = |at: usize| lines.get(at).is_some_and(|line| !exits(line).is_empty());
        let talks = |(at, line): (usize, &&str)| {
            let says = ["echo ", "printf ", "print(", "console.log("];
            let prints = says.iter().any(|it| line.starts_with(it));
            let plain = !line.contains(['{', '>', '|', '`']) && !line.contains("$(");
            // What ends in a code of its own is another way out.
            prints && plain && line.contains(['"', '\'']) && !ends(at) && !ends(at + 1)
        };
        answers && lines.iter().enumerate().any(talks)
    }
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !"\"'\\".contains(*c)).collect()
}

fn without_comment(line: &str) -> String {
    if line.trim_start().starts_with(['#']) || line.trim_start().starts_with("//") {
        return String::new();
    }
    let end = [" # ", " // "].iter().filter_map(|mark| line.find(mark)).min();
    line.get(..end.unwrap_or(line.len())).unwrap_or(line).to_owned()
}

/// `exit 2`, `sys.exit(2)`, `process.exit(2)` and their like.
fn exits(line: &str) -> Vec<u8> {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || ";&|(){}'\"`".contains(c))
        .filter(|it| !it.is_empty())
        .collect();
    let ends = |word: &str| {
        let last = word.rsplit('.').next().unwrap_or_default();
        ["exit", "_exit", "SystemExit"].contains(&last)
    };
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs.filter(|pair| ends(pair.0)).filter_map(|pair| pair.1.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::Text;

    fn exits(text: &str) -> Vec<u8> {
        Text::new(text).exits().into_iter().collect()
    }

    #[test]
    fn an_exit_code_is_found_as_a_word() {
        for (text, expected) in [
            ("grep x && exit 2", &[2][..]),
            ("(exit 2)", &[2]),
            ("sh -c 'exit 2'", &[2]),
            ("if a; then exit 2; fi; exit 1", &[1, 2]),
            ("sys.exit(2)", &[2]),
            ("  process.exit(1);", &[1]),
            ("raise SystemExit(3)", &[3]),
            ("exits 2", &[]),
            ("exit", &[]),
            ("# exit 2", &[]),
            ("x # never exit 2", &[]),
            ("exit $?", &[]),
        ] {
            assert_eq!(exits(text), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_is_found_in_any_language() {
        for text in [
            r#"echo '{"decision": "block"}'"#,
            "console.log(JSON.stringify({ decision: 'block' }))",
            r#"jq -n '{decision:"block"}'"#,
            "print(json.dumps({\"continue\": False}))",
            r#"echo "{\"permissionDecision\":\"deny\"}""#,
        ] {
            assert!(Text::new(text).refuses(), "{text}");
        }
        assert!(!Text::new(r#"{"decision":"approve","continue":true}"#).refuses());
    }

    #[test]
    fn the_end_right_after_an_answer_is_its_end() {
        let answer = "echo '{\"decision\":\"block\"}'";
        for (text, end) in [
            (format!("{answer}; exit 1"), Some(1)),
            (format!("{answer}\n  exit 2\n"), Some(2)),
            (format!("{answer}\nfi\nexit 1\n"), None),
            ("exit 1".to_owned(), None),
        ] {
            assert_eq!(Text::new(&text).exit_after_answer(), end, "{text}");
        }
    }

    #[test]
    fn a_variable_that_is_set_or_has_a_default_is_nobodys() {
        for (text, uses) in [
            ("echo \"$INPUT\"", true),
            ("echo ${INPUT}", true),
            ("os.environ['INPUT']", true),
            ("os.environ.get(\"INPUT\", \"\")", true),
            ("process.env.INPUT", true),
            ("jq -n '$ENV.INPUT'", true),
            ("INPUT=$1; echo $INPUT", false),
            ("export INPUT=x\necho $INPUT", false),
            ("read -r INPUT\necho $INPUT", false),
            ("echo ${INPUT:-none}", false),
            ("echo $INPUTS", false),
            ("echo INPUT", false),
        ] {
            assert_eq!(Text::new(text).uses("INPUT"), uses, "{text}");
        }
    }
}
