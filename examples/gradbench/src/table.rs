//! Rows of numbers, one after the other in memory.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// Rows of equal length.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) numbers: Vec<f64>,
}

impl Table {
    pub(crate) fn is(&self, rows: usize, width: usize) -> bool {
        self.rows == rows && self.numbers.len() == rows * width
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Rows)
    }
}

struct Rows;

impl<'de> Visitor<'de> for Rows {
    type Value = Table;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("rows of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Table, A::Error> {
        let mut table = Table { rows: 0, width: 0, numbers: Vec::new() };
        while let Some(length) = rows.next_element_seed(Row(&mut table.numbers))? {
            if table.rows == 0 {
                table.width = length;
            } else if table.width != length {
                return Err(A::Error::custom(format!(
                    "row {} has {length} numbers, and others have {}",
                    table.rows, table.width
                )));
            }
            table.rows += 1;
        }
        Ok(table)
    }
}

/// Appends a row, and counts its numbers.
struct Row<'a>(&'a mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a row of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<usize, A::Error> {
        let start = self.0.len();
        while let Some(number) = row.next_element()? {
            self.0.push(number);
        }
        Ok(self.0.len() - start)
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.rows).map(|row| &self.numbers[row * self.width..][..self.width]))
    }
}
