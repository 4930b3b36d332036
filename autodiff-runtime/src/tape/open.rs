//! What a call of a derivative has taken and not given back: what Enzyme keeps for a reverse sweep that then needs
//! nothing of it, and all of it where a panic ends the call.

use std::cell::Cell;
use std::ptr;

use super::give_back;
use super::piece::{Header, Piece};

thread_local! {
    /// The list of the innermost call.
    static INNERMOST: Cell<*mut *mut Header> = const { Cell::new(ptr::null_mut()) };
}

/// Does something that takes pieces, and then gives back those that are left.
pub(crate) fn within<R>(work: impl FnOnce() -> R) -> R {
    // The first piece links back to it: it is borrowed as shared only.
    let first = Cell::new(ptr::null_mut());
    let _open = Open { first: &first, around: INNERMOST.replace(first.as_ptr()) };
    work()
}

struct Open<'a> {
    first: &'a Cell<*mut Header>,
    around: *mut *mut Header,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        INNERMOST.set(self.around);
        while !self.first.get().is_null() {
            let piece = Piece::with(self.first.get());
            leave(piece);
            give_back(piece);
        }
    }
}

/// Adds a piece to the list of the innermost call, if there is one; returns its contents.
pub(super) fn enter(piece: Piece) -> *mut u8 {
    let list = INNERMOST.get();
    let header = piece.header();
    if !list.is_null() {
        // SAFETY: the list's head is alive as long as its call, and pieces are as long as they are in a list.
        unsafe {
            (*header).back = list;
            (*header).next = *list;
            if !(*list).is_null() {
                (**list).back = &raw mut (*header).next;
            }
            *list = header;
        }
    }
    piece.contents()
}

/// Takes a piece out of the list that it is in, if any.
pub(super) fn leave(piece: Piece) {
    let header = piece.header();
    // SAFETY: see `enter`.
    unsafe {
        let Header { back, next, .. } = *header;
        if back.is_null() {
            return;
        }
        *back = next;
        if !next.is_null() {
            (*next).back = back;
        }
        (*header).back = ptr::null_mut();
    }
}
