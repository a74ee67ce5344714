//! Why each finding matters and what to do about it: the second half of the reference page.

use super::Code;

/// What a person wants to know about a finding besides what it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Explanation {
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

impl Code {
    /// Why it matters and what to do about it.
    pub fn explanation(self) -> Option<Explanation> {
        let row = EXPLANATIONS.iter().find(|row| row.0 == self)?;
        Some(Explanation { why: row.1, fix: row.2 })
    }
}

const EXPLANATIONS: &[(Code, &str, &str)] = &[
    (
        Code::Unreadable,
        "None of its hooks is in force, and a guard that is not in force guards nothing.",
        "Look at the path and at who may read it.",
    ),
    (
        Code::NotFile,
        "Opening a pipe or a device may wait for ever or never end.",
        "Put a plain file there.",
    ),
    (
        Code::Encoding,
        "A byte that is no character may be anything; guessing would change what the hook says.",
        "Save the file as UTF-8. PowerShell writes UTF-16 unless told otherwise.",
    ),
    (
        Code::Size,
        "A file of that size is a mistake or an attack; reading it takes memory from the host.",
        "Move data out of the hook file and let the script read it.",
    ),
    (
        Code::Parse,
        "Whatever the file was to do, nothing of it is in force.",
        "Mend the place that is shown; everything else in the file is looked at after that.",
    ),
    (
        Code::MultiDoc,
        "The original refuses the file; a reader who took the first document would lose the others.",
        "Give each hook a file of its own.",
    ),
    (
        Code::Depth,
        "Nesting that nobody writes by hand exhausts the stack of programs that follow it.",
        "Write the hook flat; a hook needs four levels at most.",
    ),
    (
        Code::Count,
        "A few aliases of aliases grow to billions of values.",
        "Write the values out, or split the file.",
    ),
    (
        Code::Aliases,
        "A value that contains itself never ends.",
        "Write the value out in place of the alias.",
    ),
    (
        Code::DupKey,
        "A reviewer reads the first value and the program takes the last.",
        "Keep one of them.",
    ),
    (
        Code::Tag,
        "A tag asks the reader to build something else than plain data, in some readers by running code.",
        "Leave the tag out.",
    ),
    (
        Code::Schema,
        "What was meant is not known, so the hook is not in force.",
        "Write a value of the type that the message names.",
    ),
    (
        Code::Field,
        "A hook without it cannot be run; an empty command would succeed and let everything pass.",
        "Add the field.",
    ),
    (
        Code::UnknownField,
        "A misspelt field silently does nothing, most often the timeout or the flag that makes a guard a guard.",
        "Spell it as the hint says, or take it out.",
    ),
    (
        Code::FieldIgnored,
        "It reads as if it did something.",
        "Take it out, or write the field that this dialect has for it.",
    ),
    (
        Code::UnknownEvent,
        "Event names are compared letter by letter; the original drops what it does not know without a word.",
        "Spell the event as the hint says.",
    ),
    (
        Code::EventOtherDialect,
        "The name is right in another system, and here nothing ever happens under it.",
        "Use this dialect's name for the event; `becket list --events` shows all of them side by side.",
    ),
    (
        Code::Handler,
        "Nobody knows how to run it.",
        "Use one of the types that the message lists, spelt the same way.",
    ),
    (
        Code::TypeDefault,
        "Where the type is left out, the original drops the entry instead of assuming one.",
        "Say `\"type\": \"command\"`.",
    ),
    (
        Code::Nested,
        "Claude Code groups hooks below a matcher; here an entry is one hook, and the original skips or refuses groups.",
        "Write each hook as an entry of its own, with its own matcher.",
    ),
    (
        Code::Capability,
        "Without the right word the hook's rewriting is dropped.",
        "Use one of the names that the message lists.",
    ),
    (
        Code::DupName,
        "Nobody can tell which was meant, so neither runs and somebody is asked; the original refuses all hooks.",
        "Give one of them another name.",
    ),
    (
        Code::Name,
        "The original refuses all hooks on account of such a name.",
        "Use letters, digits, `.`, `_` and `-`.",
    ),
    (
        Code::Coerced,
        "becket and some readers understand it; a stricter one refuses the file.",
        "Write it as the type that is expected.",
    ),
    (
        Code::Extension,
        "The hook works here and is invisible to the original.",
        "Rename the file to end in `.yaml`.",
    ),
    (
        Code::OrderChanged,
        "A hook that relies on running first gets what another one has rewritten.",
        "Choose names that are not numbers, and file names that sort the way they are to run.",
    ),
    (
        Code::Settings,
        "What the file was to change stays as it is without it.",
        "Write the setting as the message says.",
    ),
    (
        Code::NeverTrusted,
        "The hooks look as if they were in force and are not, in the original.",
        "Mark the project as trusted once it is.",
    ),
    (
        Code::Place,
        "The hooks work when becket is shown the file, and are never seen by the original.",
        "Move them to where the original looks, or keep them for becket knowingly.",
    ),
    (
        Code::Comments,
        "The original takes a file that it cannot parse for an empty one: every hook in it is gone.",
        "Take comments and trailing commas out.",
    ),
    (
        Code::Regex,
        "The original catches the error and never fires the hook. `*` alone is no regular expression.",
        "Leave the matcher out for everything, write `.*` for any text, and escape signs that mean something.",
    ),
    (
        Code::Matcher,
        "A pattern that cannot be read matches nothing.",
        "Close the bracket: `Tool`, `Tool(pattern)` or `*`.",
    ),
    (
        Code::MatcherNever,
        "The hook is listed, looks right, and never fires.",
        "Write it in this dialect's language: a regular expression, a glob, or one exact name.",
    ),
    (
        Code::MatcherIgnored,
        "The hook fires at every such event, which is more than the matcher says, or never.",
        "Leave the matcher out, or give that event a hook of its own.",
    ),
    (
        Code::ToolName,
        "If no tool has that name, the hook never fires.",
        "Write the name as the hint says; if there really is such a tool, nothing is wrong.",
    ),
    (
        Code::PrefixWide,
        "An allowance for `git` also covers every program whose name begins that way.",
        "Let the script look at the command itself.",
    ),
    (
        Code::Timeout,
        "Zero, text and endless numbers mean something else to every reader.",
        "Write a whole number in the unit of the dialect.",
    ),
    (
        Code::TimeoutUnit,
        "Taken at its word, the hook is stopped before it begins, or may hold up the agent for an hour.",
        "Count as this dialect counts: the hint says how.",
    ),
    (
        Code::SlowForAll,
        "When the hook hangs, the agent stands still at every single call.",
        "Give it a matcher, or a short timeout.",
    ),
    (
        Code::ModelInPath,
        "A model takes between half a second and some seconds, each time.",
        "Use a command for the decision, or a matcher for the few tools that are worth the wait.",
    ),
    (
        Code::Url,
        "Nothing can be sent there, so the hook fails every time.",
        "Write `http://` or `https://`, a host and a path.",
    ),
    (
        Code::Method,
        "The event travels in the request's body, and this method has none.",
        "Use `POST`.",
    ),
    (
        Code::Header,
        "A line end in a header smuggles in another header.",
        "Use letters, digits and `-` in names, and one line in values.",
    ),
    (
        Code::Env,
        "The original refuses all hooks when a variable is missing.",
        "Set the variable, or write the value.",
    ),
    (
        Code::Secret,
        "An unknown secret must not become an empty password.",
        "Set `BECKET_SECRET_NAME`, and use secrets in headers and environments only.",
    ),
    (
        Code::PathEscape,
        "A hook file from a project must not make the agent read other people's files.",
        "Keep the file inside the workspace.",
    ),
    (
        Code::PromptMissing,
        "There is nothing to ask, so the hook fails every time and the original goes on without it.",
        "Create the file; the path starts from the workspace.",
    ),
    (
        Code::ScriptMissing,
        "A shell that cannot find a script ends with 127, Python with 2: in one dialect that is a block, in another nothing.",
        "Mend the path; write `./` before a script of the project.",
    ),
    (
        Code::ScriptNotHere,
        "Relative paths start from the workspace, or from the handler's `cwd`. A guard that cannot start lets everything pass.",
        "Mend the path, or create the script.",
    ),
    (
        Code::ScriptMode,
        "The shell ends with 126 instead of running it, which most dialects pass over.",
        "`chmod +x` it, or start it through its interpreter: `sh ./script.sh`.",
    ),
    (
        Code::Interpreter,
        "On this machine the hook fails every time.",
        "Install the program, or write the script for one that is everywhere, such as `sh`.",
    ),
    (Code::Invisible, "What a reviewer sees is not what the shell runs.", "Delete the characters."),
    (
        Code::UnquotedVar,
        "A blank in the value makes two arguments of one, and a `*` becomes file names.",
        "Put double quotes around it.",
    ),
    (
        Code::TemplateInShell,
        "Whoever writes the value, often the model, writes part of the command.",
        "Hand the value to a script as an argument or in the environment.",
    ),
    (
        Code::VariableMissing,
        "The variable is empty, so the script judges nothing.",
        "Use a variable that this dialect sets at this event; the hint lists them.",
    ),
    (
        Code::Placeholder,
        "It reaches the command as it stands.",
        "Use one of the placeholders that the hint lists.",
    ),
    (
        Code::PlaceholderNever,
        "A command with a hole in it is not run.",
        "Use it at an event that has the value.",
    ),
    (
        Code::NoStdin,
        "The script waits for an event that arrives elsewhere, and judges an empty text.",
        "Read the variables that the hint names.",
    ),
    (
        Code::CannotBlock,
        "A guard that cannot block is an observer.",
        "Set the flag that lets it block, or hang it on an event that can be blocked.",
    ),
    (
        Code::NeverBlocks,
        "What ends a tool call in one system is passed over in another: exit code 1, exit code 2, an answer on standard output.",
        "Refuse the way this dialect reads it; the hint says how.",
    ),
    (
        Code::CapabilityUnused,
        "It suggests that the hook rewrites something, and it cannot.",
        "Take it out, or hang the hook on an event where it means something.",
    ),
    (
        Code::CapabilityMissing,
        "The rewriting is dropped without a word, so what was to be redacted is sent.",
        "Add the capability that the hint names.",
    ),
    (
        Code::OutputIgnored,
        "The model or the user never sees it.",
        "Hang the hook on an event that reads it, or take it out.",
    ),
    (
        Code::TextAroundJson,
        "The answer is read only when standard output holds one JSON object and nothing else.",
        "Send messages to standard error.",
    ),
    (
        Code::PostExit,
        "After the tool has run, a formatter's complaint becomes the tool's error or a message to the model.",
        "End the command with `; exit 0`.",
    ),
    (
        Code::CompactBreaks,
        "The original hands such a hook values that it cannot write down, and gives up compacting.",
        "Use `post_compact`, or keep the hook for becket knowingly.",
    ),
    (
        Code::Rule,
        "A rule that should refuse and cannot be read would let everything pass, so its tool is asked about.",
        "Write `Tool`, or `Tool(what)` such as `Bash(git push *)`.",
    ),
    (
        Code::RuleExample,
        "Whoever wrote the example and whoever wrote the rule mean different calls.",
        "Mend the rule, or the example. Until then a rule that allows is not in force.",
    ),
    (
        Code::IfNever,
        "The hook is registered for the event and stays out of every one of them.",
        "Give the event a hook of its own, without `if`.",
    ),
    (
        Code::NoPolicy,
        "When a guard breaks, asking a person may not be what its author wants.",
        "Write `role: guard` to refuse, or `on_failure: ask` to say that asking is meant.",
    ),
    (
        Code::Owner,
        "Whoever can write a managed file can switch off what it guards.",
        "Let root own the file and its folder, and let nobody else write there.",
    ),
    (
        Code::Flat,
        "An entry of another system's shape stands in the file and never runs there.",
        "Put it into a group: a matcher, and below it a list of hooks.",
    ),
    (
        Code::HandlerNever,
        "The hook is listed, looks right, and never runs.",
        "Use a command at this event.",
    ),
    (
        Code::NotRunnable,
        "Without the host that lends it, the hook fails every time.",
        "Run it in a host that has it, or use a command.",
    ),
    (
        Code::OnceIgnored,
        "The hook runs every time, which is more often than it says.",
        "Take it out; let the script remember that it has run.",
    ),
    (
        Code::IgnoredFromProject,
        "A project that could switch off other people's guards would do so first of all.",
        "Say it where it counts: in your own settings, or in managed ones.",
    ),
    (
        Code::GrantNeedsTrust,
        "A repository that one has just cloned must not grant itself anything.",
        "Approve the project, or grant it in your own settings.",
    ),
    (
        Code::UrlPrivate,
        "Such addresses hand out the keys of the machine to whoever asks from inside.",
        "Name the host that is really meant.",
    ),
    (
        Code::UrlUserinfo,
        "URLs are shown in logs, notes and error messages.",
        "Put the password into a header, from a variable.",
    ),
    (Code::UrlCleartext, "Everybody on the way can read it.", "Write `https://`."),
    (
        Code::EnvNotAllowed,
        "The original sends the header without the value, and the server refuses the hook.",
        "List the variable in `allowedEnvVars`.",
    ),
    (
        Code::Link,
        "Whoever can change the target can change the hooks of the project.",
        "Copy the file into the project.",
    ),
    (
        Code::RuleNarrow,
        "What is guarded in one tool is done with another: what `Write` may not touch, `Edit` changes.",
        "Write the rule about the tool that the hint names; it stands for all of its kind.",
    ),
];

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn every_finding_is_explained() {
        let missing = Code::all().filter(|row| row.0.explanation().is_none());
        assert_eq!(missing.map(|row| row.1).collect::<Vec<_>>(), [""; 0]);
    }
}
