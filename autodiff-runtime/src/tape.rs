//! Memory for tapes: what the forward sweep of a derivative keeps for the reverse sweep.
//!
//! A derivative that is called again needs the same memory again. The system's allocator would
//! give large pieces back each time and have them filled with zeros each time, and join small ones
//! only to cut them again, which may take as long as the derivative itself. So each thread keeps the
//! pieces that it used, up to a limit, and gives everything back when it ends.

mod kept;
mod open;
mod piece;

use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::kept::{Kept, rounded};
pub(crate) use self::open::within;
use self::piece::Piece;

static LIMIT: AtomicUsize = AtomicUsize::new(256 << 20);

/// Sets how many bytes each thread keeps between calls of derivatives, 256 MiB at first.
///
/// Zero keeps nothing. The calling thread gives back at once what it has beyond the new limit,
/// others with the next piece that they free.
///
/// # Examples
///
/// ```
/// // A derivative with a large tape will not be called again soon.
/// autodiff::tape::keep_at_most(0);
/// # autodiff::tape::keep_at_most(256 << 20);
/// ```
pub fn keep_at_most(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
    // A thread that is ending has given everything back.
    _ = KEPT.try_with(|kept| kept.borrow_mut().shrink(bytes));
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept::new()) };
}

/// Memory for `size` bytes; null if there is none.
#[doc(hidden)]
#[inline(never)]
pub extern "C" fn allocate(size: usize) -> *mut u8 {
    take(size).or_else(|| Piece::new(rounded(size))).map_or(ptr::null_mut(), open::enter)
}

/// Memory for `count` times `size` bytes that are zero; null if there is none.
#[doc(hidden)]
#[inline(never)]
pub extern "C" fn allocate_zeroed(count: usize, size: usize) -> *mut u8 {
    let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
    let pointer = allocate(size);
    if !pointer.is_null() {
        // SAFETY: it has room for `size` bytes.
        unsafe { pointer.write_bytes(0, size) };
    }
    pointer
}

/// Memory for `size` bytes with the contents of `old`, which may be null; null if there is none.
///
/// # Safety
///
/// `old` must come from here, and is not to be used afterwards.
#[doc(hidden)]
#[inline(never)]
pub unsafe extern "C" fn reallocate(old: *mut u8, size: usize) -> *mut u8 {
    if old.is_null() {
        return allocate(size);
    }
    // SAFETY: the caller's promise.
    let piece = unsafe { Piece::of(old) };
    if size <= piece.size() {
        return old;
    }
    if let Some(new) = take(size) {
        // SAFETY: both are pieces, the new one is larger, and nobody else has it.
        unsafe {
            ptr::copy_nonoverlapping(old, new.contents(), piece.size());
            free(old);
        }
        return open::enter(new);
    }
    open::leave(piece);
    piece.resized(rounded(size)).map_or(ptr::null_mut(), open::enter)
}

/// Takes memory back. Null is fine.
///
/// # Safety
///
/// `pointer` must come from here, and is not to be used afterwards.
#[doc(hidden)]
#[inline(never)]
pub unsafe extern "C" fn free(pointer: *mut u8) {
    if pointer.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let piece = unsafe { Piece::of(pointer) };
    open::leave(piece);
    give_back(piece);
}

/// Keeps a piece that nobody uses, or not.
fn give_back(piece: Piece) {
    let keep = |kept: &RefCell<Kept>| kept.borrow_mut().keep(piece, LIMIT.load(Ordering::Relaxed));
    if KEPT.try_with(keep).is_err() {
        piece.give_back();
    }
}

/// A kept piece with room for `size` bytes.
fn take(size: usize) -> Option<Piece> {
    KEPT.try_with(|kept| kept.borrow_mut().take(size)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::kept::SMALL;
    use super::*;

    /// Frees what a test has allocated and uses no more.
    fn give(pointer: *mut u8) {
        // SAFETY: see above.
        unsafe { free(pointer) };
    }

    /// Bytes that this thread keeps.
    fn kept() -> usize {
        KEPT.with_borrow(Kept::bytes)
    }

    #[test]
    fn large_pieces_are_kept_and_used_again() {
        let first = allocate(SMALL + 5);
        give(first);
        assert_eq!(kept(), SMALL + 5);
        let second = allocate(SMALL + 1);
        assert_eq!((second, kept()), (first, 0));
        give(second);
        KEPT.with_borrow_mut(|kept| kept.shrink(SMALL));
        assert_eq!(kept(), 0, "more than the limit is given back");
    }

    #[test]
    fn small_pieces_are_used_again_for_what_is_about_as_large() {
        let first = allocate(100);
        give(first);
        give(ptr::null_mut());
        assert_eq!(kept(), 128);
        let other = allocate(200);
        assert_ne!(other, first);
        let second = allocate(65);
        assert_eq!(second, first);
        give(second);
        give(other);
        assert_eq!(kept(), 128 + 256);
        KEPT.with_borrow_mut(|kept| kept.shrink(0));
        assert_eq!(kept(), 0);
    }

    #[test]
    fn growth_keeps_contents_and_lands_in_a_kept_piece() {
        let large = allocate(4 * SMALL);
        give(large);
        let mut pointer = ptr::null_mut();
        for doubling in 0..=8 {
            let size = (SMALL / 64) << doubling;
            // SAFETY: it came from here, and has then that many bytes.
            let values = unsafe {
                pointer = reallocate(pointer, size);
                std::slice::from_raw_parts_mut(pointer, size)
            };
            let half = if doubling == 0 { 0 } else { size / 2 };
            assert!(values[..half].iter().all(|v| *v == 7));
            values.fill(7);
        }
        assert_eq!(pointer, large);
        give(pointer);
    }

    #[test]
    fn pieces_are_aligned_as_malloc_aligns() {
        for size in [0, 1, 17, SMALL + 1] {
            let pointer = allocate(size);
            assert_eq!(pointer.addr() % 16, 0);
            give(pointer);
        }
    }

    #[test]
    fn zeroed_memory_is_zero_when_used_again() {
        let dirty = allocate(SMALL);
        // SAFETY: it has that many bytes.
        unsafe { dirty.write_bytes(1, SMALL) };
        give(dirty);
        let clean = allocate_zeroed(SMALL / 8, 8);
        assert_eq!(clean, dirty);
        // SAFETY: it has that many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(clean, SMALL) };
        assert!(bytes.iter().all(|v| *v == 0));
        give(clean);
    }

    #[test]
    fn what_a_call_leaves_is_given_back() {
        let before = kept();
        within(|| {
            let used = allocate(SMALL + 1);
            within(|| {
                let left = [allocate(SMALL + 2), allocate(SMALL + 3), allocate(SMALL + 4)];
                // SAFETY: it came from here.
                unsafe { reallocate(left[2], SMALL + 5) };
                give(left[1]);
                // Of the outer call: it may be given back meanwhile.
                give(used);
                assert_eq!(kept() - before, 2 * SMALL + 4);
            });
            assert_eq!(kept() - before, 4 * SMALL + 11);
        });
        assert_eq!(kept() - before, 4 * SMALL + 11);
        let unwound = std::panic::catch_unwind(|| {
            within(|| {
                allocate(SMALL + 1);
                panic!("of a derivative");
            })
        });
        assert!(unwound.is_err());
        assert_eq!(kept() - before, 4 * SMALL + 11, "a kept piece was used");
    }

    #[test]
    fn too_much_is_null() {
        assert!(allocate(usize::MAX - 8).is_null());
        assert!(allocate_zeroed(usize::MAX / 2, 3).is_null());
    }
}
