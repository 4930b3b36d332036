//! Which states of a loop are kept while it is gone through backwards: those of Griewank's binomial
//! schedule (Optimization Methods and Software 1, 1992), which takes the fewest steps again.

/// Goes through `steps` steps backwards, from the state before the first one. `advance` takes a step;
/// `reverse` takes adjoints back over one, and may do to the state what it likes.
pub(super) fn reverse<T: Clone>(
    first: Vec<T>,
    steps: usize,
    snapshots: usize,
    mut advance: impl FnMut(&mut [T], usize),
    mut reverse: impl FnMut(&mut [T], usize),
) {
    let mut scratch = first.clone();
    // The states that are kept, and the numbers of the steps they are before.
    let mut kept = vec![(first, 0)];
    let mut end = steps;
    while end > 0 {
        let (state, start) = &kept[kept.len() - 1];
        let (start, free) = (*start, (snapshots + 1).saturating_sub(kept.len()));
        if start == end {
            kept.pop();
            continue;
        }
        scratch.clone_from(state);
        let middle = start + split(end - start, free);
        (start..middle).for_each(|number| advance(&mut scratch, number));
        if middle + 1 == end {
            reverse(&mut scratch, middle);
            end = middle;
        } else {
            kept.push((scratch.clone(), middle));
        }
    }
}

/// How many steps to take from a state before the next one is kept, or before the last step: with room
/// for so many states beside it.
fn split(steps: usize, free: usize) -> usize {
    if free == 0 || steps == 1 {
        return steps - 1;
    }
    // With room for `free` states, and when each step may be taken `again` times, a loop may have `ways`
    // steps, of which `after` may come after the next state that is kept. The steps before that are worth
    // it if no fewer would do with two times less.
    let (mut ways, mut after, mut again) = ([0, 0, 1], 1, 0);
    let (steps, free) = (steps as u128, free as u128);
    while ways[2] < steps {
        again += 1;
        after = after * (free + again) / again;
        ways = [ways[1], ways[2], ways[2] * (free + 1 + again) / again];
    }
    let before = steps.saturating_sub(after).max(ways[0]).max(1);
    usize::try_from(before).expect("it is no more than there are steps")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::cmp::max;

    use super::*;

    /// Steps taken, and the most states kept at a time, of a loop that counts.
    fn run(steps: usize, snapshots: usize) -> usize {
        let (taken, reversed) = (RefCell::new(0), RefCell::new(Vec::new()));
        reverse(
            vec![0],
            steps,
            snapshots,
            |state, number| {
                assert_eq!(state[0], number);
                state[0] += 1;
                *taken.borrow_mut() += 1;
            },
            |state, number| {
                assert_eq!(state[0], number);
                reversed.borrow_mut().push(number);
            },
        );
        assert!(reversed.borrow().iter().copied().eq((0..steps).rev()));
        taken.into_inner()
    }

    /// The fewest steps there can be: all ways tried.
    fn fewest(most: usize, snapshots: usize) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; snapshots + 1]; most + 1];
        for steps in 2..=most {
            table[steps][0] = steps * (steps - 1) / 2;
            for free in 1..=snapshots {
                let ways = (1..steps).map(|at| at + table[steps - at][free - 1] + table[at][free]);
                table[steps][free] = ways.min().unwrap_or(0);
            }
        }
        table
    }

    #[test]
    fn no_schedule_takes_fewer_steps() {
        for (steps, row) in fewest(60, 6).into_iter().enumerate() {
            for (snapshots, fewest) in row.into_iter().enumerate() {
                assert_eq!(run(steps, snapshots), fewest, "{steps} steps, {snapshots} kept");
            }
        }
    }

    #[test]
    fn no_more_states_are_kept_than_there_is_room_for() {
        #[derive(Default)]
        struct Counted(std::rc::Rc<std::cell::Cell<(usize, usize)>>);
        impl Clone for Counted {
            fn clone(&self) -> Self {
                let (now, most) = self.0.get();
                self.0.set((now + 1, max(most, now + 1)));
                Self(self.0.clone())
            }

            fn clone_from(&mut self, _: &Self) {}
        }
        impl Drop for Counted {
            fn drop(&mut self) {
                let (now, most) = self.0.get();
                self.0.set((now.saturating_sub(1), most));
            }
        }
        for snapshots in [0, 1, 5, 20] {
            let first = Counted::default();
            let count = first.0.clone();
            reverse(vec![first], 1000, snapshots, |_, _| (), |_, _| ());
            // The scratch state beside them; the first was there already.
            assert_eq!(count.get().1, snapshots + 1, "{snapshots} kept");
        }
    }
}
