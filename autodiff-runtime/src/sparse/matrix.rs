//! What sparse Jacobians and Hessians are.

use std::ops::{Add, Mul};

use super::Pattern;
use crate::scalar::Scalar;

/// The elements of a matrix at the places of a pattern, row after row: with [`Pattern::row`], what is called
/// compressed sparse rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix<'p, S> {
    pattern: &'p Pattern,
    elements: Vec<S>,
}

impl<'p, S: Scalar> SparseMatrix<'p, S> {
    pub(crate) fn zeros(pattern: &'p Pattern) -> Self {
        Self { pattern, elements: vec![S::__nearest(0.0); pattern.len()] }
    }

    /// Where its elements are.
    pub const fn pattern(&self) -> &'p Pattern {
        self.pattern
    }

    /// The elements at the pattern's places, row after row.
    pub fn elements(&self) -> &[S] {
        &self.elements
    }

    /// An element: zero where the pattern has no place.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[track_caller]
    pub fn get(&self, row: usize, column: usize) -> S {
        let found = self.pattern.row(row).binary_search(&column);
        found.map_or(S::__nearest(0.0), |index| self.row(row)[index])
    }

    /// Row, column and element, row after row.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, S)> {
        self.pattern.places().zip(&self.elements).map(|((row, column), element)| (row, column, *element))
    }

    /// The product with a vector.
    ///
    /// # Panics
    ///
    /// If the vector has another length than the matrix has columns.
    #[track_caller]
    pub fn times(&self, x: &[S]) -> Vec<S>
    where
        S: Add<Output = S> + Mul<Output = S>,
    {
        let columns = self.pattern.columns();
        assert!(x.len() == columns, "{} numbers for a matrix of {columns} columns", x.len());
        let mut product = vec![S::__nearest(0.0); self.pattern.rows()];
        for (row, column, element) in self.triplets() {
            product[row] = product[row] + element * x[column];
        }
        product
    }

    /// The elements of a row.
    fn row(&self, row: usize) -> &[S] {
        &self.elements[self.pattern.range(row)]
    }

    /// Takes the elements of one colour from the sum of its columns.
    pub(crate) fn set_colour(&mut self, colour: usize, sums: &[S]) {
        for (row, sum) in sums.iter().enumerate() {
            let columns = self.pattern.row(row);
            if let Some(index) = columns.iter().position(|column| self.pattern.colour(*column) == colour) {
                self.elements[self.pattern.range(row)][index] = *sum;
            }
        }
    }
}
