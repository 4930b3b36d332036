//! Loops with checks that can panic, and the same loops without: what their derivatives make of the checks is the
//! difference.

/// Sides of the matrices.
pub const SIDE: usize = 24;

/// Three steps of smoothing, by index.
pub fn stencil(x: &[f64]) -> f64 {
    let mut now = x.to_vec();
    for _ in 0..3 {
        let mut next = now.clone();
        for i in 1..now.len() - 1 {
            next[i] = 0.5 * now[i] * now[i] + 0.25 * (now[i - 1] + now[i + 1]);
        }
        now = next;
    }
    now.iter().sum()
}

/// The same without checks.
pub fn stencil_unchecked(x: &[f64]) -> f64 {
    let mut now = x.to_vec();
    for _ in 0..3 {
        let mut next = now.clone();
        for i in 1..now.len() - 1 {
            // SAFETY: the range leaves out both ends, and `next` is as long as `now`.
            unsafe {
                let middle = *now.get_unchecked(i);
                let sides = now.get_unchecked(i - 1) + now.get_unchecked(i + 1);
                *next.get_unchecked_mut(i) = 0.5 * middle * middle + 0.25 * sides;
            }
        }
        now = next;
    }
    now.iter().sum()
}

/// The sum of the squares of a product's elements; both matrices are in `x`, one after the other.
pub fn product(x: &[f64]) -> f64 {
    let (a, b) = x.split_at(SIDE * SIDE);
    let mut sum = 0.0;
    for i in 0..SIDE {
        for j in 0..SIDE {
            let mut element = 0.0;
            for k in 0..SIDE {
                element += a[i * SIDE + k] * b[k * SIDE + j];
            }
            sum += element * element;
        }
    }
    sum
}

/// The same without checks.
pub fn product_unchecked(x: &[f64]) -> f64 {
    let (a, b) = x.split_at(SIDE * SIDE);
    let b = &b[..SIDE * SIDE];
    let mut sum = 0.0;
    for i in 0..SIDE {
        for j in 0..SIDE {
            let mut element = 0.0;
            for k in 0..SIDE {
                // SAFETY: all of the counters are below `SIDE`.
                element += unsafe { a.get_unchecked(i * SIDE + k) * b.get_unchecked(k * SIDE + j) };
            }
            sum += element * element;
        }
    }
    sum
}

/// A vector that grows by an element computed from its last ones.
#[allow(clippy::needless_range_loop, reason = "the check is what is measured")]
pub fn growth(x: &[f64]) -> f64 {
    let mut path = vec![1.0, 0.5];
    for i in 0..x.len() {
        let last = path.len() - 1;
        path.push(0.9 * path[last] + 0.1 * path[last - 1] * x[i]);
    }
    path.iter().map(|p| p * p).sum()
}

/// The same without checks of indices.
pub fn growth_unchecked(x: &[f64]) -> f64 {
    let mut path = vec![1.0, 0.5];
    for x in x {
        let last = path.len() - 1;
        // SAFETY: there are two elements from the beginning.
        let next = unsafe { 0.9 * path.get_unchecked(last) + 0.1 * path.get_unchecked(last - 1) * x };
        path.push(next);
    }
    path.iter().map(|p| p * p).sum()
}
