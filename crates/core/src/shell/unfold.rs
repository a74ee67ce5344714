//! From text to everything that may start: reads, then follows what each command starts.

use super::nested::reads_commands;
use super::program::{Input, Start, own_input, starts};
use super::read::{Draft, Quotes, Read, Reader, Stop};
use super::word::{Piece, Word};
use super::{
    Analysis, Command, DoubtKind, MAX_BYTES, MAX_COMMANDS, MAX_DEPTH, Place, crude, suspect,
};

/// Stages of one pipeline are not looked for farther apart.
const NEAR: usize = 64;
/// All texts that are read within one text, together.
const MAX_NESTED_BYTES: usize = 4 * MAX_BYTES;

/// Takes a text apart.
pub(super) fn analyse(text: &str) -> Analysis {
    let mut found = Analysis { text: text.to_owned(), ..Analysis::default() };
    if let Some(hidden) = suspect::disguise(text) {
        found.doubt(DoubtKind::Disguise, &hidden.escape_unicode().to_string());
        if hidden == '\0' {
            found.doubt(DoubtKind::Unreadable, "\\0");
        }
    }
    let mut work = Work { found, pipelines: 0, fuel: MAX_NESTED_BYTES, grouped: false };
    if text.len() > MAX_BYTES {
        work.found.doubt(DoubtKind::TooLarge, text);
        crude::look(&mut work.found, text);
    } else {
        work.read(text, &Origin { place: Place::Plain, by: None, depth: 0, pipes: Vec::new() });
    }
    work.follow();
    work.settle();
    work.found
}

struct Work {
    found: Analysis,
    pipelines: u32,
    fuel: usize,
    /// Whether a group of commands is given something to read.
    grouped: bool,
}

/// Where a nested text comes from.
struct Origin {
    place: Place,
    by: Option<usize>,
    depth: usize,
    pipes: Vec<(u32, u32)>,
}

impl Work {
    fn reader<T>(
        &mut self,
        text: &str,
        origin: &Origin,
        run: impl FnOnce(&mut Reader<'_, '_>) -> Read<T>,
    ) -> Read<T> {
        let mut reader = Reader {
            text,
            at: 0,
            depth: origin.depth,
            place: origin.place,
            by: origin.by,
            pipes: origin.pipes.clone(),
            found: &mut self.found,
            pipelines: &mut self.pipelines,
            waiting: Vec::new(),
            bodies: Vec::new(),
            marks: Vec::new(),
        };
        run(&mut reader)
    }

    fn read(&mut self, text: &str, origin: &Origin) {
        let before = self.found.commands.len();
        let result = self.reader(text, origin, |reader| {
            reader.all()?;
            Ok(())
        });
        self.stopped(result, text, before);
        let new = self.found.commands.iter().skip(before).filter(|it| it.words.is_empty());
        self.grouped |=
            new.filter_map(own_input).any(|it| matches!(it, Input::Text(_) | Input::Unknown));
    }

    /// What could not be read is still looked at.
    fn stopped(&mut self, result: Read<()>, text: &str, before: usize) {
        let Err(stop) = result else { return };
        let kind = match stop {
            Stop::Unreadable => DoubtKind::Unreadable,
            Stop::TooLarge => DoubtKind::TooLarge,
        };
        self.found.doubt(kind, text);
        // What was read until then may have been misunderstood.
        self.found.commands.truncate(before);
        crude::look(&mut self.found, text);
    }

    /// Every command, and what it starts, and what that starts.
    fn follow(&mut self) {
        let mut at = 0;
        while let Some(command) = self.found.commands.get(at) {
            let input = self.input(at, command);
            for redirect in &command.redirects.clone() {
                let lead = redirect.target.lead();
                if lead.starts_with("/dev/tcp/") || lead.starts_with("/dev/udp/") {
                    self.found.doubt(DoubtKind::Network, lead);
                }
            }
            let Some(command) = self.found.commands.get(at) else { break };
            let starts = starts(command, &input);
            let depth = self.generation(at);
            for start in starts.0 {
                self.begin(start, at, depth);
            }
            at += 1;
        }
    }

    /// How many commands stand between this one and the text.
    fn generation(&self, at: usize) -> usize {
        let mut depth = 0;
        let mut by = self.found.commands.get(at).and_then(|it| it.by);
        while let Some(parent) = by.filter(|_| depth <= MAX_DEPTH) {
            depth += 1;
            by = self.found.commands.get(parent).and_then(|it| it.by);
        }
        depth
    }

    fn begin(&mut self, start: Start, by: usize, depth: usize) {
        let Some(parent) = self.found.commands.get(by) else { return };
        let inherited =
            matches!(parent.place, Place::Remote | Place::Alias | Place::Crude | Place::Function);
        let (outer, pipes) = (parent.place, parent.pipes.clone());
        let origin = |place| Origin {
            place: if inherited { outer } else { place },
            by: Some(by),
            depth,
            pipes,
        };
        if let Start::Doubt(kind, seen) = start {
            self.found.doubt_at(kind, &seen, Some(by));
            return;
        }
        if depth >= MAX_DEPTH || self.found.commands.len() >= MAX_COMMANDS {
            self.found.doubt(DoubtKind::TooLarge, "…");
            return;
        }
        match start {
            Start::Words { words, place, assignments } => {
                let redirects = parent.redirects.clone();
                let origin = origin(place);
                let size =
                    words.iter().map(|it| it.pieces().len() + it.lead().len()).sum::<usize>();
                if !self.burn(size) {
                    return;
                }
                self.found.commands.push(Command {
                    words,
                    assignments,
                    redirects,
                    place: origin.place,
                    by: Some(by),
                    inner: 0..0,
                    pipes: origin.pipes,
                });
            }
            Start::Text { text, place } => {
                let origin = origin(place);
                if let Some(text) = self.spelled(&text)
                    && self.burn(text.len())
                {
                    self.read(&text, &origin);
                }
            }
            Start::Evaluated(text) => {
                let origin = origin(Place::Substitution);
                if self.burn(text.len()) {
                    let before = self.found.commands.len();
                    let result = self.reader(&text, &origin, |it| {
                        it.quoted(&mut Draft::default(), Quotes::Body, 0)
                    });
                    self.stopped(result, &text, before);
                }
            }
            Start::Doubt(..) => {}
        }
    }

    fn burn(&mut self, bytes: usize) -> bool {
        let enough = bytes <= self.fuel;
        self.fuel = self.fuel.saturating_sub(bytes);
        if !enough {
            self.found.doubt(DoubtKind::TooLarge, "…");
        }
        enough
    }

    /// A text as the next shell will see it: what is not known stays a variable there.
    fn spelled(&mut self, text: &Word) -> Option<String> {
        if !text.pieces().iter().any(|it| matches!(it, Piece::Text(_))) && text.is_open() {
            self.found.doubt(DoubtKind::UnknownText, &text.shown());
            return None;
        }
        if text.is_open() {
            self.found.doubt(DoubtKind::Expansion, &text.shown());
        }
        let spell = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => text.clone(),
            Piece::Home => "~".to_owned(),
            Piece::Unknown { .. } => "$_".to_owned(),
        };
        Some(text.pieces().iter().map(spell).collect())
    }

    /// What a command reads: its own redirection, or what the stage before it writes.
    fn input(&self, at: usize, command: &Command) -> Input {
        if !command.name().is_some_and(reads_commands) {
            return Input::Nothing;
        }
        if let Some(input) = own_input(command) {
            return input;
        }
        let Some((id, stage)) = command.pipes.iter().rev().find(|(_, stage)| *stage > 0) else {
            return if self.grouped { Input::Unknown } else { Input::Nothing };
        };
        // The stages of a pipeline stand close together.
        let mut root = at;
        while let Some(by) = self.found.commands.get(root).and_then(|it| it.by) {
            root = by;
        }
        let near = self.found.commands.iter().skip(root.saturating_sub(NEAR)).take(2 * NEAR);
        let mut writers = near.filter(|it| {
            let apart = it.by.is_none() && it.place != Place::Substitution;
            apart && it.pipes.contains(&(*id, *stage - 1))
        });
        match (writers.next(), writers.next()) {
            (Some(writer), None) => output(writer),
            _ => Input::Unknown,
        }
    }

    /// A value that is evaluated again is only a danger when some text has a substitution in it.
    fn settle(&mut self) {
        if !self.found.has(DoubtKind::Evaluation) {
            return;
        }
        let hidden = |word: &Word| {
            let text = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains("$(") || text.contains('`'));
            word.pieces().iter().any(text)
        };
        let words = self.found.commands.iter().flat_map(|it| {
            let values = it.assignments.iter().map(|it| &it.value);
            it.words.iter().chain(values).chain(it.redirects.iter().map(|it| &it.target))
        });
        let seen = words.into_iter().find(|word| hidden(word)).map(Word::shown);
        if let Some(seen) = seen {
            self.found.doubt(DoubtKind::UnknownText, &seen);
        }
    }
}

/// What a command prints, when that is plain to see.
fn output(writer: &Command) -> Input {
    let arguments = writer.arguments();
    match writer.name() {
        Some("echo") => {
            let flags =
                arguments.iter().take_while(|it| matches!(it.known(), Some("-n" | "-e" | "-E")));
            let words = arguments.get(flags.count()..).unwrap_or_default();
            let text = super::program::joined(words);
            if text.shown().contains('\\') || text.is_open() {
                Input::Unknown
            } else {
                Input::Text(text)
            }
        }
        Some("printf") => {
            let text = super::program::joined(arguments);
            let shown = text.shown().replace("\\n", "\n");
            let plain = !shown.contains(['\\', '%']) && !text.is_open();
            if plain { Input::Text(Word::text(shown)) } else { Input::Unknown }
        }
        Some("cat") if arguments.is_empty() => match own_input(writer) {
            Some(Input::Text(text)) => Input::Text(text),
            _ => Input::Unknown,
        },
        _ => Input::Unknown,
    }
}
