//! The field's benchmark problems, each with a derivative written by hand for comparison.

// Written as people write numeric code.
#![allow(clippy::needless_range_loop, clippy::many_single_char_names, clippy::similar_names)]

pub mod ba;
pub mod brusselator;
pub mod fft;
pub mod gmm;
pub mod lse;
pub mod lstm;
pub mod mlp;

/// A problem at one point.
pub trait Problem {
    /// What a gradient is added to.
    type Shadow;

    /// Zeros.
    fn zero(&self) -> Self::Shadow;

    /// Computes the function, and returns something that depends on its result.
    fn primal(&self) -> f64;

    /// Computes the gradient, starting from any shadow.
    fn gradient(&self, shadow: &mut Self::Shadow);

    /// The same, by the adjoint written by hand.
    fn by_hand(&self, shadow: &mut Self::Shadow);

    /// All components of a gradient.
    fn components(shadow: &Self::Shadow) -> Vec<f64>;

    /// The largest difference between both gradients, relative to the largest component.
    fn error(&self) -> f64 {
        let (mut ours, mut by_hand) = (self.zero(), self.zero());
        self.gradient(&mut ours);
        self.by_hand(&mut by_hand);
        let (ours, by_hand) = (Self::components(&ours), Self::components(&by_hand));
        let largest = by_hand.iter().fold(0.0, |max: f64, g| max.max(g.abs()));
        let differences = ours.iter().zip(&by_hand).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max) / largest
    }
}

/// Numbers that are all different, around `centre`.
fn wave(count: usize, centre: f64, size: f64) -> Vec<f64> {
    (0..count).map(|i| centre + size * (1.0 + 0.7 * i as f64).sin()).collect()
}
