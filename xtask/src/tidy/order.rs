//! A module uses only modules listed above it, so that a crate can be read from top to bottom.

use super::code;
use crate::tree::{Tree, Violation};

/// The crates whose `lib.rs` lists modules in reading order.
const ORDERED: [&str; 2] = ["crates/core/src/", "crates/engine/src/"];

pub(super) fn modules_use_only_those_above(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for root in ORDERED {
        let order = modules(tree.get(&format!("{root}lib.rs")).unwrap_or_default());
        let rank = |module: &str| order.iter().position(|it| it == module);
        for (path, text) in tree.files() {
            let Some(module) = path.strip_prefix(root).and_then(top_module) else { continue };
            for (line, used) in uses(text) {
                let message = match (rank(&used), rank(module)) {
                    (Some(used_at), Some(own)) if used_at <= own => continue,
                    (Some(_), Some(_)) => {
                        format!("`{used}` is listed below `{module}`, which may not use it")
                    }
                    (None, _) => format!("`crate::{used}` is no module; name the one it is from"),
                    (_, None) => format!("`{module}` is not listed in `lib.rs`"),
                };
                violations.push(Violation::new(path, line, message));
            }
        }
    }
    violations
}

/// The modules a `lib.rs` lists, in its order.
fn modules(lib: &str) -> Vec<String> {
    let lines = lib.lines().map(|line| line.strip_prefix("pub ").unwrap_or(line));
    lines
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

/// The module a file belongs to; `lib.rs` itself may use them all.
fn top_module(file: &str) -> Option<&str> {
    let first = file.split('/').next()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (module != "lib" && file.strip_suffix(".rs").is_some()).then_some(module)
}

/// What stands behind each `crate::` of a file, with its line.
fn uses(text: &str) -> Vec<(usize, String)> {
    let text = code::only(text);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let (before, after) = text.split_at(at);
        if before.ends_with(|c| code::is_word(c) || c == '$') {
            continue;
        }
        let line = before.matches('\n').count() + 1;
        let path = after.strip_prefix("crate::").unwrap_or(after);
        found.extend(heads(path).into_iter().map(|head| (line, head)));
    }
    found
}

/// The first name of a path, or of each path of a group such as `{a::b, c}`.
fn heads(path: &str) -> Vec<String> {
    let name = |text: &str| text.trim_start().chars().take_while(|c| code::is_word(*c)).collect();
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let mut heads = vec![name(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(name(group.get(at + 1..).unwrap_or_default())),
            _ => (),
        }
    }
    heads.retain(|head: &String| !head.is_empty());
    heads
}

#[cfg(test)]
mod tests {
    use super::{modules_use_only_those_above, uses};
    use crate::tree::Tree;

    fn found(file: &str, text: &str) -> Vec<String> {
        let lib = "//! x\n\npub mod a;\nmod b;\npub mod c;\n";
        let path = format!("crates/core/src/{file}");
        let tree = Tree::from([("crates/core/src/lib.rs", lib), (path.as_str(), text)]);
        modules_use_only_those_above(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_may_use_itself_and_those_above() {
        assert_eq!(found("b/inner.rs", "use crate::{a::X, b};\nfn f() { crate::a::g() }"), [""; 0]);
        assert_eq!(found("lib.rs", "use crate::c;"), [""; 0]);
    }

    #[test]
    fn a_module_below_is_found_in_every_spelling() {
        let below = "`c` is listed below `b`, which may not use it";
        for text in ["use crate::c;", "use crate::{a::{self, X}, c::Y};", "fn f(x: crate::c::Z) {}"]
        {
            assert_eq!(found("b.rs", text), [format!("crates/core/src/b.rs:1: {below}")], "{text}");
        }
        let split = "use crate::{\n    a,\n    c,\n};";
        assert_eq!(found("b.rs", split).len(), 1);
    }

    #[test]
    fn comments_texts_and_other_crates_do_not_count() {
        let text =
            "//! [`c`](crate::c)\n/* crate::c */ const S: &str = \"crate::c\"; use mycrate::c;";
        assert_eq!(uses(text), []);
    }

    #[test]
    fn a_name_that_only_lib_exports_is_no_way_around() {
        assert_eq!(
            found("b.rs", "\nuse crate::Thing;"),
            ["crates/core/src/b.rs:2: `crate::Thing` is no module; name the one it is from"]
        );
    }
}
