//! What lies where in memory that is copied or filled.

use super::graph::Place;
use super::{Float, Flow, Kinds, LONGEST, Part, Strip};
use crate::llvm::{Function, Value};

/// A stretch of bytes that are all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) struct Segment {
    pub(in crate::prepare) start: u64,
    pub(in crate::prepare) size: u64,
    /// Floating-point numbers of this type, or none at all.
    pub(in crate::prepare) float: Option<Float>,
}

/// What an integer is of a floating-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Cell {
    /// No part of any.
    Plain,
    /// All of its bits.
    Whole(Float),
    /// A part of them, from this byte on.
    Within(Float, u64),
    /// Something else.
    Unclear,
}

impl Cell {
    fn of(parts: &[Part]) -> Self {
        let plain = |part: &Part| matches!(part, Part::Plain | Part::Untouched);
        match parts.first() {
            Some(Part::Of(float, start)) => {
                let same = (*start..).zip(parts).all(|(k, part)| *part == Part::Of(*float, k));
                match parts.len() as u64 {
                    _ if !same => Cell::Unclear,
                    size if size == float.size() => Cell::Whole(*float),
                    _ => Cell::Within(*float, *start),
                }
            }
            _ if parts.iter().all(plain) => Cell::Plain,
            _ => Cell::Unclear,
        }
    }
}

impl<'c> Flow<'c> {
    /// What an integer may be.
    pub(in crate::prepare) fn cell_of_value(&mut self, value: Value<'c>) -> Cell {
        match self.strip(value).filter(|_| value.ty().int_bits().is_some()) {
            Some(strip) => self.cell_of_strip(strip),
            None => Cell::Plain,
        }
    }

    /// What the integer may be that a function returns.
    pub(in crate::prepare) fn cell_of_result(&mut self, function: Function<'c>) -> Cell {
        let strip = self.result(function);
        self.cell_of_strip(strip)
    }

    fn cell_of_strip(&mut self, strip: Strip) -> Cell {
        let parts: Vec<_> = strip.bytes().map(|byte| self.kinds(byte).part()).collect();
        Cell::of(&parts)
    }

    /// What so many bytes behind a pointer are.
    pub(in crate::prepare) fn cell_behind(&mut self, pointer: Value<'c>, size: u64) -> Cell {
        let places = self.places(pointer);
        self.cell_at(&places, size)
    }

    pub(super) fn cell_at(&mut self, places: &[Place], size: u64) -> Cell {
        let parts: Vec<_> = (0..size.cast_signed()).map(|position| self.part(places, position)).collect();
        Cell::of(&parts)
    }

    /// The size of the elements behind a pointer, if they lie in an array.
    pub(in crate::prepare) fn period(&mut self, pointer: Value<'c>) -> Option<u64> {
        let &[place] = &self.places(pointer)[..] else { return None };
        let period = self.graph.period(place).cast_unsigned();
        (period > 0 && period <= LONGEST).then_some(period)
    }

    /// What the first `length` bytes behind a pointer are, if all of it is known.
    pub(in crate::prepare) fn segments(&mut self, pointer: Value<'c>, length: u64) -> Option<Vec<Segment>> {
        let places = self.places(pointer);
        if length > LONGEST || places.is_empty() {
            return None;
        }
        let parts: Vec<_> = (0..length.cast_signed()).map(|position| self.part(&places, position)).collect();
        segments(&parts)
    }

    /// Where floating-point numbers begin among so many bytes behind a pointer.
    pub(in crate::prepare) fn numbers(&mut self, pointer: Value<'c>, length: u64) -> Vec<(u64, Float)> {
        let places = self.places(pointer);
        let parts: Vec<_> =
            (0..length.min(LONGEST).cast_signed()).map(|position| self.part(&places, position)).collect();
        let begins = |(at, part): (u64, &Part)| match part {
            Part::Of(float, 0) => Some((at, *float)),
            _ => None,
        };
        (0..).zip(&parts).filter_map(begins).collect()
    }

    /// Which of so many bytes behind a pointer are nothing but integers.
    pub(in crate::prepare) fn integers(&mut self, pointer: Value<'c>, length: u64) -> Vec<u64> {
        let places = self.places(pointer);
        let is_integer = |kinds: Kinds| kinds.name() == Some("Integer");
        (0..length.min(LONGEST))
            .filter(|position| is_integer(self.kinds_at(&places, position.cast_signed())))
            .collect()
    }

    fn part(&mut self, places: &[Place], position: i64) -> Part {
        self.kinds_at(places, position).part()
    }

    fn kinds_at(&mut self, places: &[Place], position: i64) -> Kinds {
        let mut all = Kinds::NONE;
        for place in places {
            let place = place.at(position);
            let kinds = match self.graph.known_byte(place) {
                Some(byte) => self.kinds(byte),
                None => self.graph.all(place),
            };
            all = all.with(kinds);
        }
        all
    }
}

/// Puts the parts of numbers together.
fn segments(parts: &[Part]) -> Option<Vec<Segment>> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let last = segments.last().and_then(|segment| segment.float);
        let (float, size) = match parts[at] {
            Part::Unclear => return None,
            Part::Plain => (None, 1),
            Part::Untouched => match last {
                // Padding may as well be more of the same, as long as it is whole.
                Some(float) if all_untouched(parts, at, float) => (last, float.size()),
                _ => (None, 1),
            },
            Part::Of(float, _) => {
                let whole = (0..float.size())
                    .all(|k| parts.get(at + k as usize).is_some_and(|part| *part == Part::Of(float, k)));
                if !whole {
                    return None;
                }
                (Some(float), float.size())
            }
        };
        match segments.last_mut().filter(|segment| segment.float == float) {
            Some(segment) => segment.size += size,
            None => segments.push(Segment { start: at as u64, size, float }),
        }
        at += size as usize;
    }
    Some(segments)
}

fn all_untouched(parts: &[Part], at: usize, float: Float) -> bool {
    let end = at + float.size() as usize;
    end <= parts.len() && parts[at..end].iter().all(|part| *part == Part::Untouched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double() -> Vec<Part> {
        (0..8).map(|k| Part::Of(Float::Double, k)).collect()
    }

    fn segment(start: u64, size: u64, float: Option<Float>) -> Segment {
        Segment { start, size, float }
    }

    #[test]
    fn numbers_of_one_kind_are_one_segment() {
        let parts = [double(), double(), vec![Part::Plain; 4], vec![Part::Untouched; 4]].concat();
        let expected = vec![segment(0, 16, Some(Float::Double)), segment(16, 8, None)];
        assert_eq!(segments(&parts), Some(expected));
    }

    #[test]
    fn half_a_number_is_not_known() {
        assert_eq!(segments(&double()[..4]), None);
        assert_eq!(segments(&double()[4..]), None);
        assert_eq!(segments(&[vec![Part::Plain; 4], vec![Part::Unclear; 4]].concat()), None);
    }

    #[test]
    fn padding_belongs_to_what_is_before_it() {
        let parts = [double(), vec![Part::Untouched; 8], double()].concat();
        assert_eq!(segments(&parts), Some(vec![segment(0, 24, Some(Float::Double))]));
        let parts = [double(), vec![Part::Untouched; 4]].concat();
        let expected = vec![segment(0, 8, Some(Float::Double)), segment(8, 4, None)];
        assert_eq!(segments(&parts), Some(expected));
    }
}
