//! Which elements may differ from zero.

use super::colouring;
use crate::differentiable::Differentiable;
use crate::matrix::Matrix;
use crate::point::Point;
use crate::scalar::Scalar;

/// The places of a matrix whose elements may differ from zero, row after row, and which columns can be
/// computed together.
///
/// # Examples
///
/// ```
/// use autodiff::sparse::Pattern;
///
/// // An arrow: the diagonal, the first column and the last row.
/// let places = (0..5).flat_map(|i| [(i, i), (i, 0), (4, i)]);
/// let pattern = Pattern::new(5, 5, places);
/// assert_eq!(pattern.row(3), [0, 3]);
/// // The last row has them all, so no two columns can be computed together.
/// assert_eq!(pattern.colours(), 5);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Where each row begins in `places`, and the end.
    starts: Vec<usize>,
    /// Columns, in order.
    places: Vec<usize>,
    /// Of each column.
    colours: Vec<usize>,
    count: usize,
}

impl Pattern {
    /// A pattern of these places, row and column, in any order; one may be given several times.
    ///
    /// # Panics
    ///
    /// If a place is outside the matrix.
    #[track_caller]
    pub fn new(rows: usize, columns: usize, places: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut sorted: Vec<(usize, usize)> = places.into_iter().collect();
        if let Some((row, column)) = sorted.iter().find(|(row, column)| *row >= rows || *column >= columns) {
            panic!("place ({row}, {column}) is outside a matrix of {rows} rows and {columns} columns");
        }
        sorted.sort_unstable();
        sorted.dedup();
        let starts = (0..=rows).map(|row| sorted.partition_point(|place| place.0 < row)).collect();
        let places: Vec<usize> = sorted.into_iter().map(|(_, column)| column).collect();
        let mut pattern = Self { columns, starts, places, colours: Vec::new(), count: 0 };
        (pattern.colours, pattern.count) = colouring::of_columns(&pattern);
        pattern
    }

    /// The places at which a matrix is not zero.
    pub fn of<S: Scalar>(matrix: &Matrix<S>) -> Self {
        let zero = S::__nearest(0.0);
        let places = (0..matrix.rows()).flat_map(|row| {
            let elements = matrix.row(row).iter().enumerate();
            elements.filter(move |(_, element)| **element != zero).map(move |(column, _)| (row, column))
        });
        Self::new(matrix.rows(), matrix.columns(), places)
    }

    /// The places at which the Jacobian of `f` is not zero at one of these points.
    ///
    /// Each Jacobian is computed as a dense one, so this costs as much as what sparse ones save; the
    /// pattern serves for all that follow. An element that is zero at all of the points but not
    /// elsewhere, behind a branch that none of them takes, say, is missed, and will be taken for zero:
    /// give points that differ.
    ///
    /// # Panics
    ///
    /// If the Jacobians differ in size; if there are no points; if `f` panics, with its panic; and if the
    /// program was not built by `cargo autodiff`.
    #[track_caller]
    pub fn detect<'x, X, Y, F>(f: F, points: impl IntoIterator<Item = &'x X>) -> Self
    where
        X: Point + ?Sized + 'x,
        Y: Differentiable,
        F: Fn(&X::View) -> Y,
    {
        let mut patterns = points.into_iter().map(|x| Self::of(&crate::transform::jacobian(&f, x)));
        let first = patterns.next().expect("a pattern is detected at one point at least");
        patterns.fold(first, |all, pattern| all.union(&pattern))
    }

    /// The places of both.
    ///
    /// # Panics
    ///
    /// If they are of different sizes.
    #[must_use]
    #[track_caller]
    pub fn union(&self, other: &Self) -> Self {
        let sizes = [(self.rows(), self.columns), (other.rows(), other.columns)];
        assert!(sizes[0] == sizes[1], "patterns of {:?} and {:?} rows and columns", sizes[0], sizes[1]);
        Self::new(self.rows(), self.columns, self.places().chain(other.places()))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// How many elements may differ from zero.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether all are zero.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many passes a Jacobian takes, eight of them at a time.
    pub const fn colours(&self) -> usize {
        self.count
    }

    /// The columns of a row's places.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &[usize] {
        &self.places[self.range(row)]
    }

    /// All places, row after row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |column| (row, *column)))
    }

    /// Where a row's elements are among all.
    pub(crate) fn range(&self, row: usize) -> std::ops::Range<usize> {
        assert!(row < self.rows(), "there is no row {row} in a pattern of {} rows", self.rows());
        self.starts[row]..self.starts[row + 1]
    }

    /// The colour of a column.
    pub(crate) fn colour(&self, column: usize) -> usize {
        self.colours[column]
    }
}
