//! What several files say together: hooks that are switched off, and hooks that stand twice.

use super::{Compat, Dialect, HookSpec};
use crate::hook::{Disabled, Layer};

/// A word in settings that switches hooks off.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Switch {
    /// Which ones.
    pub off: Off,
    /// Who said it.
    pub layer: Layer,
    /// Whose behaviour to follow.
    pub compat: Compat,
}

/// Which hooks are switched off.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Off {
    /// All that whoever says it may switch off.
    All,
    /// All but those of the administrator.
    AllButManaged,
}

impl Off {
    /// The word in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "disableAllHooks",
            Self::AllButManaged => "allowManagedHooksOnly",
        }
    }
}

impl Switch {
    /// Whether it reaches hooks of a layer. Nobody can switch off those of a stronger one.
    fn reaches(self, layer: Layer) -> bool {
        match (self.off, self.compat) {
            (Off::AllButManaged, _) => layer != Layer::Managed,
            (Off::All, Compat::Safe) => layer >= self.layer,
            (Off::All, Compat::Exact) => self.layer == Layer::Managed || layer != Layer::Managed,
        }
    }
}

/// Looks at everything that was read together: what is switched off stays out, and of hooks that
/// are the same only the first runs.
pub fn unite(specs: &mut [HookSpec], switches: &[Switch]) {
    let ours = |spec: &&mut HookSpec| spec.dialect == Dialect::ClaudeCode;
    for spec in specs.iter_mut().filter(ours).filter(|it| it.disabled.is_none()) {
        if let Some(switch) = switches.iter().find(|it| it.reaches(spec.layer)) {
            let by = format!("`{}` in the {} settings", switch.off.name(), switch.layer.name());
            spec.disabled = Some(Disabled::Off { by });
        }
    }
    let mut order: Vec<usize> = (0..specs.len()).collect();
    order.sort_by_key(|at| specs.get(*at).map(|it| (it.layer, it.order)));
    let mut first: Vec<usize> = Vec::new();
    for at in order {
        let Some(spec) = specs.get(at).filter(|it| it.dialect == Dialect::ClaudeCode) else {
            continue;
        };
        if spec.disabled.is_some() {
            continue;
        }
        let same = first.iter().filter_map(|it| specs.get(*it)).find(|it| is_same(it, spec));
        match same.map(HookSpec::place) {
            Some(of) => {
                if let Some(spec) = specs.get_mut(at) {
                    spec.disabled = Some(Disabled::Duplicate { of });
                }
            }
            None => first.push(at),
        }
    }
}

/// Whether two hooks do the same at the same time.
fn is_same(one: &HookSpec, other: &HookSpec) -> bool {
    one.events == other.events && one.matcher == other.matcher && one.does_the_same(other)
}
