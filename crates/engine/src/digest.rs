//! SHA-256 over parts that cannot run into each other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256, written in hexadecimal.
#[derive(Clone, Copy, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NoDigest;

impl Digest {
    /// The digest of some parts; their lengths count, so that none can reach into the next.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its beginning, enough to tell a few apart.
    pub fn short(&self) -> String {
        self.to_string().chars().take(16).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let digits: Vec<u8> = text
            .chars()
            .filter_map(|c| c.to_digit(16))
            .filter_map(|it| u8::try_from(it).ok())
            .collect();
        if digits.len() != 64 || text.chars().count() != 64 {
            return Err(NoDigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = NoDigest;

    fn try_from(text: String) -> Result<Self, NoDigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, NoDigest};

    #[test]
    fn what_is_written_can_be_read_back() {
        let digest = Digest::of(&[b"a", b"b"]);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!("abc".parse::<Digest>(), Err(NoDigest));
        assert_eq!("g".repeat(64).parse::<Digest>(), Err(NoDigest));
    }

    #[test]
    fn a_part_cannot_reach_into_the_next() {
        assert_ne!(Digest::of(&[b"ab", b"c"]), Digest::of(&[b"a", b"bc"]));
        assert_ne!(Digest::of(&[b"a"]), Digest::of(&[b"a", b""]));
    }
}
