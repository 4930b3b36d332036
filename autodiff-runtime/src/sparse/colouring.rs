//! Colours for columns: two that have a row in common differ in colour.

use super::Pattern;

/// No colour yet.
const NONE: usize = usize::MAX;

/// The colour of each column, and how many there are. Columns with the most neighbours come first, and each takes the
/// first colour that is free.
pub(super) fn of_columns(pattern: &Pattern) -> (Vec<usize>, usize) {
    let rows = rows_of_columns(pattern);
    let mut order: Vec<usize> = (0..pattern.columns()).collect();
    let neighbours = |column: &usize| rows[*column].iter().map(|row| pattern.row(*row).len()).sum::<usize>();
    order.sort_by_key(|column| std::cmp::Reverse(neighbours(column)));
    let mut colours = vec![NONE; pattern.columns()];
    // By colour: the last column that could not have it.
    let mut taken: Vec<usize> = Vec::new();
    for column in order {
        for row in &rows[column] {
            for neighbour in pattern.row(*row) {
                if let Some(place) = taken.get_mut(colours[*neighbour]) {
                    *place = column;
                }
            }
        }
        let colour = taken.iter().position(|last| *last != column).unwrap_or(taken.len());
        if colour == taken.len() {
            taken.push(NONE);
        }
        colours[column] = colour;
    }
    (colours, taken.len())
}

fn rows_of_columns(pattern: &Pattern) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); pattern.columns()];
    for (row, column) in pattern.places() {
        rows[column].push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(pattern: &Pattern) -> bool {
        (0..pattern.rows()).all(|row| {
            let mut colours: Vec<_> = pattern.row(row).iter().map(|column| pattern.colour(*column)).collect();
            let count = colours.len();
            colours.sort_unstable();
            colours.dedup();
            colours.len() == count
        })
    }

    #[test]
    fn bands_take_as_many_colours_as_they_are_wide() {
        for width in [1, 3, 5] {
            let band =
                |i: usize| (i.saturating_sub(width / 2)..(i + width / 2 + 1).min(40)).map(move |j| (i, j));
            let pattern = Pattern::new(40, 40, (0..40).flat_map(band));
            assert_eq!(pattern.colours(), width);
            assert!(differ(&pattern));
        }
    }

    #[test]
    fn neighbours_on_a_grid_differ() {
        let at = |i: usize, j: usize| 12 * i + j;
        let star = |(i, j): (usize, usize)| {
            let around = [(i, j), (i + 1, j), (i, j + 1), (i.wrapping_sub(1), j), (i, j.wrapping_sub(1))];
            around.into_iter().filter(|(i, j)| *i < 12 && *j < 12).map(move |(k, l)| (at(i, j), at(k, l)))
        };
        let cells = (0..12).flat_map(|i| (0..12).map(move |j| (i, j)));
        let pattern = Pattern::new(144, 144, cells.flat_map(star));
        assert!(differ(&pattern) && (5..=8).contains(&pattern.colours()), "{}", pattern.colours());
    }

    #[test]
    fn empty_patterns_take_one_colour_or_none() {
        assert_eq!(Pattern::new(0, 0, []).colours(), 0);
        assert_eq!(Pattern::new(3, 4, []).colours(), 1);
    }
}
