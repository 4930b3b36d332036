//! What the examples of this package share.

/// Slopes by central differences.
pub fn differences(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let at = |index: usize, by: f64| {
        let mut x = x.to_vec();
        x[index] += by;
        f(&x)
    };
    let step = 1e-5;
    (0..x.len()).map(|index| (at(index, step) - at(index, -step)) / (2.0 * step)).collect()
}

/// Prints slopes beside central differences.
///
/// # Panics
///
/// If they are not the same, up to the error of the latter.
pub fn compare(slopes: &[f64], differences: &[f64]) {
    assert_eq!(slopes.len(), differences.len());
    println!("{:>14} {:>14}", "gradient", "differences");
    for (slope, difference) in slopes.iter().zip(differences) {
        println!("{slope:14.9} {difference:14.9}");
        assert!((slope - difference).abs() <= 1e-7 * (1.0 + slope.abs()), "they differ");
    }
}
