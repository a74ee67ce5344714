//! learn-claude-code's file hooks: `.hooks.json`.

use super::{Care, File, Loaded, Place, World, unreadable};

/// Reads the hooks of one place.
pub(super) fn read(place: &Place, _files: &[File], _world: &dyn World, _care: Care) -> Loaded {
    unreadable(place)
}
