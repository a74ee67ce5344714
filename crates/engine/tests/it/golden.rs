//! Recorded files, read so strictly that a field which nobody asserts is an error.
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::Map;

/// Every row of a recorded file.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("every field of every row is known")
}

/// What was seen in a row, by the fields that hold it.
pub(crate) trait Seen: DeserializeOwned {
    const FIELDS: &'static [&'static str];
}

/// One row: what was given, and what was seen.
#[derive(Debug)]
pub(crate) struct Case<G, S> {
    pub(crate) given: G,
    pub(crate) seen: S,
}

impl<'de, G: DeserializeOwned, S: Seen> Deserialize<'de> for Case<G, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut given = Map::deserialize(deserializer)?;
        let mut seen = Map::new();
        for field in S::FIELDS {
            seen.extend(given.shift_remove(*field).map(|value| ((*field).to_owned(), value)));
        }
        Ok(Self {
            given: serde_json::from_value(given.into()).map_err(D::Error::custom)?,
            seen: serde_json::from_value(seen.into()).map_err(D::Error::custom)?,
        })
    }
}
