//! What Jacobians and Hessians are.

use std::ops::{Index, IndexMut};

use crate::differentiable::Differentiable;
use crate::scalar::Scalar;

/// A dense matrix, row after row.
///
/// # Examples
///
/// ```
/// use autodiff::Matrix;
///
/// let mut matrix = Matrix::zeros(2, 3);
/// matrix[(1, 2)] = 5.0;
/// assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
/// assert_eq!(matrix.row(1), [0.0, 0.0, 5.0]);
/// assert_eq!(matrix.as_slice(), [0.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<S> {
    rows: usize,
    columns: usize,
    elements: Vec<S>,
}

impl<S> Matrix<S> {
    /// The number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The elements, row after row.
    pub fn as_slice(&self) -> &[S] {
        &self.elements
    }

    /// The elements, row after row.
    #[must_use]
    pub fn into_vec(self) -> Vec<S> {
        self.elements
    }

    /// One row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &[S] {
        &self.elements[self.start(row)..][..self.columns]
    }

    /// One row, for writing.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [S] {
        let start = self.start(row);
        &mut self.elements[start..][..self.columns]
    }

    /// Where a row begins.
    #[track_caller]
    fn start(&self, row: usize) -> usize {
        assert!(row < self.rows, "there is no row {row} in a matrix of {} rows", self.rows);
        row * self.columns
    }

    /// Where an element is.
    #[track_caller]
    fn place(&self, (row, column): (usize, usize)) -> usize {
        assert!(column < self.columns, "there is no column {column} in a matrix of {} columns", self.columns);
        self.start(row) + column
    }
}

impl<S: Scalar> Matrix<S> {
    /// Adds a matrix of the same size.
    pub(crate) fn add(&mut self, other: &Self) {
        self.elements.axpy(S::ONE, &other.elements);
    }

    /// A matrix of zeros.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let count = rows.checked_mul(columns).expect("a matrix that fits into memory");
        Self { rows, columns, elements: vec![S::ZERO; count] }
    }
}

/// The element at a row and a column, both from 0.
impl<S> Index<(usize, usize)> for Matrix<S> {
    type Output = S;

    #[track_caller]
    fn index(&self, place: (usize, usize)) -> &S {
        &self.elements[self.place(place)]
    }
}

impl<S> IndexMut<(usize, usize)> for Matrix<S> {
    #[track_caller]
    fn index_mut(&mut self, place: (usize, usize)) -> &mut S {
        let place = self.place(place);
        &mut self.elements[place]
    }
}
