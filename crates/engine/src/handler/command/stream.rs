//! What a process says, kept up to a bound.

use becket_core::reply::Captured;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of the end is kept when there is more than fits.
const TAIL: usize = 16 * 1024;

/// One output of a process, kept up to a bound: its beginning, and its very end.
pub(super) struct Stream<R> {
    pipe: Option<R>,
    kept: Captured,
    /// The last bytes of what did not fit: hooks decide at the end.
    tail: Vec<u8>,
    most: usize,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    pub(super) fn new(pipe: Option<R>, most: usize) -> Self {
        let ended = pipe.is_none();
        Self { pipe, kept: Captured::default(), tail: Vec::new(), most, ended }
    }

    /// Whether it was read to its end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// What was kept.
    pub(super) fn take(&mut self) -> Captured {
        let mut kept = std::mem::take(&mut self.kept);
        let tail = self.tail.split_off(self.tail.len().saturating_sub(TAIL.min(self.most)));
        kept.bytes.truncate(self.most - tail.len());
        kept.bytes.extend(tail);
        kept
    }

    /// Reads to the end. What is beyond the bound is read too, so that the hook is not held up.
    pub(super) async fn drain(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read) = pipe.read(&mut buffer).await {
            if read == 0 {
                break;
            }
            let bytes = buffer.get(..read).unwrap_or_default();
            let room = self.most.saturating_sub(self.kept.bytes.len()).min(read);
            let (fits, over) = bytes.split_at(room);
            self.kept.bytes.extend_from_slice(fits);
            if !over.is_empty() {
                self.kept.truncated = true;
                self.tail.extend_from_slice(over);
                // Now and then, so that a flood is not moved about byte by byte.
                if self.tail.len() > 8 * TAIL {
                    self.tail.drain(..self.tail.len() - TAIL);
                }
            }
        }
        self.pipe = None;
        self.ended = true;
    }
}
