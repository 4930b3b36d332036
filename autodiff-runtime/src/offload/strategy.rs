//! Ways to divide a slice among the threads of a launch.

use std::marker::PhantomData;

use super::argument::KernelArgument;
use super::shape::Shape;
use super::thread::Thread;

/// A way to divide a slice among the threads of a launch.
///
/// | strategy | part of a thread |
/// | --- | --- |
/// | [`Linear`] | one element: thread `i` has element `i` |
/// | [`GridStride`] | every n-th element, where n is the number of threads |
/// | [`Rows`] | one row of a field |
/// | [`Cells`] | one element of a field: thread `(x, y)` has column `x` of row `y` |
/// | [`Tiles`] | a rectangle of a field |
///
/// # Safety
///
/// For any launch that `check` lets through, the parts of two threads must not overlap.
pub unsafe trait Strategy: KernelArgument {
    /// What one thread gets.
    type Part<'k, T: 'k>;

    /// Whether a launch of this shape divides a slice of `len` elements in full; if not, why.
    fn check(&self, len: usize, shape: &Shape) -> Result<(), String>;

    /// The part of a thread.
    ///
    /// # Safety
    ///
    /// `first` must point to `len` elements, of which nobody else uses those of this thread, and `check` must have
    /// let the launch through.
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, len: usize, thread: &Thread<'_>) -> Self::Part<'k, T>;
}

macro_rules! arguments {
    ($($strategy:ty)*) => { $(
        // SAFETY: it has no fields but numbers.
        unsafe impl KernelArgument for $strategy {}
    )* };
}

arguments!(Linear GridStride Rows Cells Tiles);

/// Thread `i` has element `i`, if there is one; the launch must have at least as many threads, in x alone.
///
/// The part is `Some((i, element))`, or `None` in threads beyond the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Linear;

// SAFETY: threads differ in x, which is the index.
unsafe impl Strategy for Linear {
    type Part<'k, T: 'k> = Option<(usize, &'k mut T)>;

    fn check(&self, len: usize, shape: &Shape) -> Result<(), String> {
        flat(shape, 1)?;
        covers(shape, &[len], "elements")
    }

    #[inline]
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, len: usize, thread: &Thread<'_>) -> Self::Part<'k, T> {
        let [i, _, _] = thread.global();
        // SAFETY: within the slice, and this thread's own.
        (i < len).then(|| (i, unsafe { &mut *first.add(i) }))
    }
}

/// Thread `i` has the elements `i`, `i + n`, `i + 2 n` and so on, where `n` is the number of threads. Any launch in x
/// alone will do.
///
/// The part is an iterator of `(index, element)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct GridStride;

// SAFETY: threads differ in x, which is the index modulo the number of threads.
unsafe impl Strategy for GridStride {
    type Part<'k, T: 'k> = Strided<'k, T>;

    fn check(&self, _: usize, shape: &Shape) -> Result<(), String> {
        flat(shape, 1)
    }

    #[inline]
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, len: usize, thread: &Thread<'_>) -> Self::Part<'k, T> {
        let step = thread.block_size[0] as usize * thread.grid_size[0] as usize;
        Strided { first, next: thread.global()[0], len, step, _elements: PhantomData }
    }
}

/// Every n-th element of a slice, with its index.
#[derive(Debug)]
pub struct Strided<'k, T> {
    first: *mut T,
    next: usize,
    len: usize,
    step: usize,
    _elements: PhantomData<&'k mut T>,
}

impl<'k, T> Iterator for Strided<'k, T> {
    type Item = (usize, &'k mut T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.len {
            return None;
        }
        self.next += self.step;
        // SAFETY: within the slice; each index comes up once, in this thread alone.
        Some((index, unsafe { &mut *self.first.add(index) }))
    }
}

/// Thread `i` has row `i` of a field whose rows have `width` elements; the launch must have at least as many threads
/// as rows, in x alone.
///
/// The part is `Some((i, row))`, or `None` in threads beyond the end.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    width: usize,
}

impl Rows {
    /// Rows of `width` elements.
    pub fn new(width: usize) -> Self {
        Self { width }
    }
}

// SAFETY: threads differ in x, which is the row.
unsafe impl Strategy for Rows {
    type Part<'k, T: 'k> = Option<(usize, &'k mut [T])>;

    fn check(&self, len: usize, shape: &Shape) -> Result<(), String> {
        if self.width == 0 || !len.is_multiple_of(self.width) {
            return Err(format!("{len} elements are no rows of {}", self.width));
        }
        flat(shape, 1)?;
        covers(shape, &[len / self.width], "rows")
    }

    #[inline]
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, len: usize, thread: &Thread<'_>) -> Self::Part<'k, T> {
        let [row, _, _] = thread.global();
        (row < len / self.width).then(|| {
            // SAFETY: within the slice, and this thread's own.
            (row, unsafe { std::slice::from_raw_parts_mut(first.add(row * self.width), self.width) })
        })
    }
}

/// Thread `(x, y)` has column `x` of row `y`; the launch must have at least as many threads as there are columns in x
/// and rows in y, and one in z.
///
/// The part is `Some(([x, y], element))`, or `None` in threads outside of the field.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    width: usize,
    height: usize,
}

impl Cells {
    /// A field of `height` rows of `width` elements.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height }
    }
}

// SAFETY: threads differ in x or y, which are column and row; the column is less than the width.
unsafe impl Strategy for Cells {
    type Part<'k, T: 'k> = Option<([usize; 2], &'k mut T)>;

    fn check(&self, len: usize, shape: &Shape) -> Result<(), String> {
        field(len, self.width, self.height)?;
        flat(shape, 2)?;
        covers(shape, &[self.width, self.height], "columns and rows")
    }

    #[inline]
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, _: usize, thread: &Thread<'_>) -> Self::Part<'k, T> {
        let [x, y, _] = thread.global();
        // SAFETY: within the field, and this thread's own.
        (x < self.width && y < self.height).then(|| ([x, y], unsafe { &mut *first.add(y * self.width + x) }))
    }
}

/// Thread `(x, y)` has a rectangle of a field, the `x`-th from the left and `y`-th from the top; the launch must have
/// at least as many threads, and one in z. At the right and lower edge the rectangles are smaller where the field ends.
///
/// The part is `Some(tile)`, a [`Tile`], or `None` in threads outside of the field.
#[derive(Debug, Clone, Copy)]
pub struct Tiles {
    width: usize,
    height: usize,
    tile_width: usize,
    tile_height: usize,
}

impl Tiles {
    /// A field of `size` (columns, rows), divided in rectangles of `tile` (columns, rows).
    pub fn new(size: [usize; 2], tile: [usize; 2]) -> Self {
        Self { width: size[0], height: size[1], tile_width: tile[0], tile_height: tile[1] }
    }
}

// SAFETY: threads differ in x or y; rectangles that differ in one of them have no element in common.
unsafe impl Strategy for Tiles {
    type Part<'k, T: 'k> = Option<Tile<'k, T>>;

    fn check(&self, len: usize, shape: &Shape) -> Result<(), String> {
        field(len, self.width, self.height)?;
        if self.tile_width == 0 || self.tile_height == 0 {
            return Err("a tile must have at least one column and one row".to_owned());
        }
        let tiles = [self.width.div_ceil(self.tile_width), self.height.div_ceil(self.tile_height)];
        flat(shape, 2)?;
        covers(shape, &tiles, "columns and rows of tiles")
    }

    #[inline]
    unsafe fn part<'k, T: 'k>(&self, first: *mut T, _: usize, thread: &Thread<'_>) -> Self::Part<'k, T> {
        let [x, y, _] = thread.global();
        // A launch may have so many threads that a product would not fit.
        let (column, row) = (x.checked_mul(self.tile_width)?, y.checked_mul(self.tile_height)?);
        (column < self.width && row < self.height).then(|| Tile {
            // SAFETY: within the field.
            first: unsafe { first.add(row * self.width + column) },
            origin: [column, row],
            size: [self.tile_width.min(self.width - column), self.tile_height.min(self.height - row)],
            stride: self.width,
            _elements: PhantomData,
        })
    }
}

/// A rectangle of a field, which one thread has for itself.
#[derive(Debug)]
pub struct Tile<'k, T> {
    first: *mut T,
    origin: [usize; 2],
    size: [usize; 2],
    stride: usize,
    _elements: PhantomData<&'k mut T>,
}

impl<T> Tile<'_, T> {
    /// Column and row of its first element in the field.
    #[inline]
    pub fn origin(&self) -> [usize; 2] {
        self.origin
    }

    /// Columns and rows.
    #[inline]
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// A row of it.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.size[1], "the tile has no such row");
        // SAFETY: within the rectangle, which is this thread's own.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.size[0]) }
    }
}

fn field(len: usize, width: usize, height: usize) -> Result<(), String> {
    if width.checked_mul(height) != Some(len) {
        return Err(format!("{len} elements are no field of {width} x {height}"));
    }
    Ok(())
}

/// Whether the launch has one thread in the axes from `axes` on.
fn flat(shape: &Shape, axes: usize) -> Result<(), String> {
    let threads = shape.threads();
    if threads[axes..].iter().any(|&threads| threads > 1) {
        let [x, y, z] = threads;
        let (own, other) = if axes == 1 { ("x", "y and z") } else { ("x and y", "z") };
        return Err(format!(
            "its parts go to the threads in {own} alone, and there are {x} x {y} x {z}: make `workgroup_dim` and `thread_dim` 1 in {other}"
        ));
    }
    Ok(())
}

/// Whether each of `parts`, which are counted in each axis, has a thread.
fn covers(shape: &Shape, parts: &[usize], what: &str) -> Result<(), String> {
    let threads = shape.threads();
    let missing = (0..parts.len()).find(|&axis| threads[axis] < parts[axis] as u64);
    missing.map_or(Ok(()), |axis| {
        let counts: Vec<_> = parts.iter().map(ToString::to_string).collect();
        Err(format!(
            "{} {what} need {} threads in {}, and there are {}: make `workgroup_dim[{axis}]` at least {} with this `thread_dim`",
            counts.join(" x "),
            parts[axis],
            ["x", "y"][axis],
            threads[axis],
            (parts[axis] as u64).div_ceil(u64::from(shape.block_size[axis].max(1))),
        ))
    })
}
