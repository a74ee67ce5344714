//! `cargo xtask tidy`: the architecture as a check.

mod code;
mod layers;
mod lock;
mod order;
mod words;

use crate::docs;
use crate::problem::Problem;
use crate::shell;
use crate::tree::{Tree, Violation};

/// Each check names everything it finds.
const CHECKS: [fn(&Tree) -> Vec<Violation>; 9] = [
    order::modules_use_only_those_above,
    words::files_say_what_they_are_for,
    words::files_are_short,
    words::files_have_telling_names,
    words::nothing_names_somebodys_home,
    layers::crates_look_in_one_direction,
    lock::dependencies_stay_few,
    lock::banned_crates_are_absent,
    lock::crates_come_from_the_registry,
];

/// Checks the workspace. With `UPDATE` set, generated files are written instead of compared.
pub(crate) fn run(args: &[String]) -> Result<(), Problem> {
    if let Some(unknown) = args.first() {
        return Err(Problem::usage(format!("`tidy` does not know `{unknown}`")));
    }
    let tree = Tree::read(shell::root())?;
    let mut violations: Vec<_> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    if std::env::var_os("UPDATE").is_some() {
        docs::write()?;
    } else {
        violations.extend(docs::differences(&tree));
    }
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => {
            println!("{} files, nothing out of order", tree.files().count());
            Ok(())
        }
        count => Err(Problem::finding(format!("tidy: {count} to put in order"))),
    }
}

#[cfg(test)]
mod tests {
    use super::CHECKS;
    use crate::tree::Tree;

    #[test]
    fn an_empty_tree_is_in_order() {
        let found: Vec<_> = CHECKS.iter().flat_map(|check| check(&Tree::default())).collect();
        assert_eq!(found, []);
    }
}
