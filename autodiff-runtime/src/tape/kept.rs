//! The pieces that a thread keeps.

use std::ptr;

use super::piece::{Header, Piece};

/// Pieces that are not larger have the size of a power of two, and are kept by that.
pub(super) const SMALL: usize = 32 << 10;
/// The smallest such size.
const SMALLEST: usize = 16;
const CLASSES: usize = class(SMALL) + 1;

/// Pieces that nobody uses.
pub(super) struct Kept {
    /// Lists of small pieces, by their class.
    small: [*mut Header; CLASSES],
    /// The oldest first.
    large: Vec<Piece>,
    bytes: usize,
}

/// Which power of two a small piece has for its size.
const fn class(size: usize) -> usize {
    let size = if size < SMALLEST { SMALLEST } else { size.next_power_of_two() };
    (size.trailing_zeros() - SMALLEST.trailing_zeros()) as usize
}

/// The size of a new piece for so many bytes.
pub(super) fn rounded(size: usize) -> usize {
    if size <= SMALL { SMALLEST << class(size) } else { size }
}

impl Kept {
    pub(super) const fn new() -> Self {
        Self { small: [ptr::null_mut(); CLASSES], large: Vec::new(), bytes: 0 }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A kept piece with room for `size` bytes: of the same class, or the smallest large one.
    pub(super) fn take(&mut self, size: usize) -> Option<Piece> {
        let piece = if size <= SMALL { self.take_small(class(size)) } else { self.take_large(size) }?;
        self.bytes -= piece.size();
        Some(piece)
    }

    fn take_small(&mut self, class: usize) -> Option<Piece> {
        let first = self.small[class];
        (!first.is_null()).then(|| {
            // SAFETY: kept pieces have their headers.
            self.small[class] = unsafe { (*first).next };
            Piece::with(first)
        })
    }

    fn take_large(&mut self, size: usize) -> Option<Piece> {
        let fitting = self.large.iter().enumerate().filter(|(_, piece)| piece.size() >= size);
        let (index, _) = fitting.min_by_key(|(_, piece)| piece.size())?;
        Some(self.large.swap_remove(index))
    }

    /// Keeps a piece that is in no list.
    pub(super) fn keep(&mut self, piece: Piece, limit: usize) {
        self.bytes += piece.size();
        if piece.size() <= SMALL {
            let list = &mut self.small[class(piece.size())];
            // SAFETY: nobody else has it.
            unsafe { (*piece.header()).next = *list };
            *list = piece.header();
        } else {
            self.large.push(piece);
        }
        if self.bytes > limit {
            self.shrink(limit);
        }
    }

    /// Gives back the oldest large pieces, then small ones, until no more than `limit` bytes are kept.
    pub(super) fn shrink(&mut self, limit: usize) {
        let mut excess = self.bytes.saturating_sub(limit);
        let mut count = 0;
        while excess > 0 && count < self.large.len() {
            excess = excess.saturating_sub(self.large[count].size());
            count += 1;
        }
        for piece in self.large.drain(..count) {
            self.bytes -= piece.size();
            piece.give_back();
        }
        for class in (0..CLASSES).rev() {
            while self.bytes > limit
                && let Some(piece) = self.take_small(class)
            {
                self.bytes -= piece.size();
                piece.give_back();
            }
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.shrink(0);
    }
}
