//! How the functions of a record read their slots.
//!
//! A shadow that lies where its argument does, or nowhere, is the shadow of a constant.

use std::borrow::Cow;
use std::ptr;
use std::slice;

use super::Tangent;

/// The slots of a call, read one after the other.
#[derive(Debug)]
pub struct Slots {
    args: *mut *mut (),
    shadows: *mut *mut (),
    /// How many were read.
    read: usize,
    /// Where the adjoints lie that were handed out.
    handed_out: Vec<(usize, usize)>,
}

/// Reads slots as what the record says they are.
///
/// # Safety
///
/// That goes for each function: the slots must be those of the record, in its order, and valid.
#[allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks, reason = "it is one for all, above")]
#[allow(
    clippy::inline_always,
    reason = "offsets are to be known where derivatives are differentiated in turn"
)]
impl Slots {
    /// The first slot. Without shadows, `shadows` may be null.
    #[inline(always)]
    pub unsafe fn new(args: *mut *mut (), shadows: *mut *mut ()) -> Self {
        Self { args, shadows, read: 0, handed_out: Vec::new() }
    }

    /// The next argument.
    #[inline(always)]
    unsafe fn next(&mut self) -> *mut () {
        unsafe { self.next_with_shadow().0 }
    }

    /// The next argument and its shadow, if it has one.
    #[inline(always)]
    unsafe fn next_with_shadow(&mut self) -> (*mut (), Option<*mut ()>) {
        unsafe {
            let argument = *self.args.add(self.read);
            let shadow = if self.shadows.is_null() { argument } else { *self.shadows.add(self.read) };
            self.read += 1;
            (argument, (shadow != argument && !shadow.is_null()).then_some(shadow))
        }
    }

    #[inline(always)]
    unsafe fn next_length(&mut self) -> usize {
        unsafe { self.integer() }
    }

    /// An integer.
    #[inline(always)]
    pub unsafe fn integer(&mut self) -> usize {
        unsafe { self.next().addr() }
    }

    /// The elements of a slice.
    #[inline(always)]
    pub unsafe fn slice<'a, T>(&mut self) -> &'a [T] {
        unsafe { slice::from_raw_parts(self.next().cast(), self.next_length()) }
    }

    /// The elements of a mutable slice.
    #[inline(always)]
    pub unsafe fn slice_mut<'a, T>(&mut self) -> &'a mut [T] {
        unsafe { slice::from_raw_parts_mut(self.next().cast(), self.next_length()) }
    }

    /// What is behind a reference.
    #[inline(always)]
    pub unsafe fn reference<'a, T>(&mut self) -> &'a T {
        unsafe { &*self.next().cast() }
    }

    /// What is behind a mutable reference.
    #[inline(always)]
    pub unsafe fn reference_mut<'a, T>(&mut self) -> &'a mut T {
        unsafe { &mut *self.next().cast() }
    }

    /// A value.
    #[inline(always)]
    pub unsafe fn value<T: Copy>(&mut self) -> T {
        unsafe { *self.next().cast() }
    }

    /// Where the result goes.
    #[inline(always)]
    pub unsafe fn result<T>(&mut self) -> *mut T {
        unsafe { self.next().cast() }
    }

    /// The adjoint of a slice that is read. `saved` is what it held.
    #[inline(always)]
    pub unsafe fn adjoint_slice<T: Tangent>(&mut self, saved: &[T]) -> Adjoint<T> {
        unsafe {
            let adjoint = self.next_adjoint(saved);
            self.next();
            adjoint
        }
    }

    /// The adjoint of a slice that is written.
    #[inline(always)]
    pub unsafe fn adjoint_slice_mut<T: Tangent>(&mut self, saved: &[T]) -> Adjoint<T> {
        unsafe {
            let adjoint = self.next_adjoint_mut(saved);
            self.next();
            adjoint
        }
    }

    /// The adjoint of what is read behind a reference or passed by value.
    #[inline(always)]
    pub unsafe fn adjoint<T: Tangent>(&mut self, saved: &T) -> Adjoint<T> {
        unsafe { self.next_adjoint(slice::from_ref(saved)) }
    }

    /// The adjoint of what is written behind a reference.
    #[inline(always)]
    pub unsafe fn adjoint_mut<T: Tangent>(&mut self, saved: &T) -> Adjoint<T> {
        unsafe { self.next_adjoint_mut(slice::from_ref(saved)) }
    }

    /// One that may lie where others do: two arguments may be the same.
    #[inline(always)]
    unsafe fn next_adjoint<T: Tangent>(&mut self, saved: &[T]) -> Adjoint<T> {
        let Some(place) = (unsafe { self.next_with_shadow().1 }) else { return Adjoint::nowhere(saved) };
        let (start, end) = (place.addr(), place.addr() + size_of_val(saved));
        if self.handed_out.iter().any(|(first, last)| start < *last && *first < end) {
            return Adjoint { place: place.cast(), length: saved.len(), scratch: Some(zeros(saved)) };
        }
        self.handed_out.push((start, end));
        Adjoint { place: place.cast(), length: saved.len(), scratch: None }
    }

    #[inline(always)]
    unsafe fn next_adjoint_mut<T: Tangent>(&mut self, saved: &[T]) -> Adjoint<T> {
        match unsafe { self.next_with_shadow().1 } {
            Some(place) => Adjoint { place: place.cast(), length: saved.len(), scratch: None },
            None => Adjoint::nowhere(saved),
        }
    }

    /// The adjoint of the result, which ends here.
    #[inline(always)]
    pub unsafe fn seed<T: Tangent>(&mut self, result: &T) -> T {
        let zero = result.zero();
        // SAFETY: the caller's promise.
        unsafe { self.next_with_shadow().1.map_or(zero, |place| place.cast::<T>().replace(zero)) }
    }

    /// Ends the adjoint of a result that is constant. The place may hold anything by now, so what is
    /// not a float comes from the shadow itself.
    #[inline(always)]
    pub unsafe fn forget<T: Tangent>(&mut self) {
        unsafe {
            if let Some(place) = self.next_with_shadow().1 {
                let place = place.cast::<T>();
                place.write((*place).zero());
            }
        }
    }

    /// A slice and its tangents.
    #[inline(always)]
    pub unsafe fn dual_slice<'a, T: Tangent>(&mut self) -> (&'a [T], Cow<'a, [T]>) {
        unsafe {
            let (argument, shadow) = self.next_with_shadow();
            let length = self.next_length();
            let primal = slice::from_raw_parts(argument.cast(), length);
            let tangent = shadow.map_or_else(
                || Cow::Owned(zeros(primal)),
                |shadow| Cow::Borrowed(slice::from_raw_parts(shadow.cast(), length)),
            );
            (primal, tangent)
        }
    }

    /// A slice that is written and its tangents.
    #[inline(always)]
    pub unsafe fn dual_slice_mut<'a, T: Tangent>(&mut self) -> (&'a mut [T], Adjoint<T>) {
        unsafe {
            let (argument, shadow) = self.next_with_shadow();
            let length = self.next_length();
            let primal = slice::from_raw_parts_mut(argument.cast(), length);
            let tangent = Adjoint::at(shadow, primal);
            (primal, tangent)
        }
    }

    /// What is read behind a reference, and its tangent.
    #[inline(always)]
    pub unsafe fn dual<'a, T: Tangent>(&mut self) -> (&'a T, T) {
        unsafe {
            let (argument, shadow) = self.next_with_shadow();
            let primal: &T = &*argument.cast();
            (primal, shadow.map_or_else(|| primal.zero(), |shadow| *shadow.cast()))
        }
    }

    /// What is written behind a reference, and its tangent.
    #[inline(always)]
    pub unsafe fn dual_mut<'a, T: Tangent>(&mut self) -> (&'a mut T, Adjoint<T>) {
        unsafe {
            let (argument, shadow) = self.next_with_shadow();
            let primal: &mut T = &mut *argument.cast();
            let tangent = Adjoint::at(shadow, slice::from_ref(primal));
            (primal, tangent)
        }
    }

    /// Writes the result and its tangent.
    #[inline(always)]
    pub unsafe fn write_dual<T: Tangent>(&mut self, result: T, tangent: T) {
        unsafe {
            let (place, shadow) = self.next_with_shadow();
            place.cast::<T>().write(result);
            if let Some(shadow) = shadow {
                shadow.cast::<T>().write(tangent);
            }
        }
    }
}

/// Where a rule adds the adjoint of an argument, or finds that of what the function wrote.
#[derive(Debug)]
pub struct Adjoint<T: Tangent> {
    place: *mut T,
    length: usize,
    /// What the rule writes to instead: for the last reference to it to be gone before that is added.
    scratch: Option<Vec<T>>,
}

impl<T: Tangent> Adjoint<T> {
    /// That of a constant, which nobody will read.
    #[inline]
    fn nowhere(primal: &[T]) -> Self {
        Self { place: ptr::null_mut(), length: primal.len(), scratch: Some(zeros(primal)) }
    }

    #[inline]
    fn at(shadow: Option<*mut ()>, primal: &[T]) -> Self {
        match shadow {
            Some(place) => Self { place: place.cast(), length: primal.len(), scratch: None },
            None => Self::nowhere(primal),
        }
    }

    /// Its elements.
    pub fn elements(&mut self) -> &mut [T] {
        match &mut self.scratch {
            Some(scratch) => scratch,
            // SAFETY: whoever made it promised that so many are there, and handed no other one out.
            None => unsafe { slice::from_raw_parts_mut(self.place, self.length) },
        }
    }

    /// The only element.
    pub fn only(&mut self) -> &mut T {
        &mut self.elements()[0]
    }
}

impl<T: Tangent> Drop for Adjoint<T> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take()
            && !self.place.is_null()
        {
            // SAFETY: as in `elements`; what lies there too is not borrowed at this time.
            let sums = unsafe { slice::from_raw_parts_mut(self.place, self.length) };
            sums.iter_mut().zip(&scratch).for_each(|(sum, addend)| sum.add(addend));
        }
    }
}

fn zeros<T: Tangent>(primal: &[T]) -> Vec<T> {
    primal.iter().map(Tangent::zero).collect()
}

/// What is kept of a slice.
pub type Elements<T> = Vec<T>;

/// What a slice holds now.
#[inline]
pub fn copied<T: Clone + 'static>(slice: &[T]) -> Elements<T> {
    slice.to_vec()
}

/// What is behind a reference now.
#[inline]
pub fn cloned<T: Clone + 'static>(value: &T) -> T {
    value.clone()
}

/// Puts what the reverse rule needs where it finds it.
///
/// # Safety
///
/// `tape` must be valid to write.
pub unsafe fn keep<T: 'static>(tape: *mut *mut (), kept: T) {
    // SAFETY: the caller's promise.
    unsafe { tape.write(Box::into_raw(Box::new(kept)).cast()) }
}

/// What was kept.
///
/// # Safety
///
/// A `T` must have been kept there.
pub unsafe fn saved<'a, T: 'static>(tape: *mut *mut ()) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &*(*tape).cast() }
}

/// Drops what was kept.
///
/// # Safety
///
/// As for [`saved`], and nobody may use it any more.
pub unsafe fn release<T: 'static>(tape: *mut *mut ()) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw((*tape).cast::<T>()) });
}
