//! How many times longer one piece of work takes than another.

use std::fmt;
use std::time::Duration;

use cpu_time::ThreadTime;

const ROUNDS: usize = 51;
/// At least so long is either work repeated in one round.
const ROUND: Duration = Duration::from_millis(2);

/// Durations of one run of each work, and their ratio.
///
/// Time is what this thread spends on a processor, not what passes. Both works take turns, and the ratio is the median
/// over the rounds: a change of clock speed or another program on the machine then meets both alike.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    /// Of the first work, in seconds.
    pub primal: f64,
    /// Of the second work, in seconds.
    pub gradient: f64,
    /// The median of the rounds' ratios.
    pub ratio: f64,
}

impl Ratio {
    /// Runs both works many times in turn.
    pub fn measure(primal: impl FnMut(), gradient: impl FnMut()) -> Self {
        Self::of_rounds(ROUNDS, primal, gradient)
    }

    /// Runs works that take long a few times in turn.
    pub fn few(primal: impl FnMut(), gradient: impl FnMut()) -> Self {
        Self::of_rounds(5, primal, gradient)
    }

    fn of_rounds(rounds: usize, mut primal: impl FnMut(), mut gradient: impl FnMut()) -> Self {
        let primal_runs = runs_per_round(&mut primal);
        let gradient_runs = runs_per_round(&mut gradient);
        let rounds: Vec<(f64, f64)> = (0..rounds)
            .map(|_| (time(primal_runs, &mut primal), time(gradient_runs, &mut gradient)))
            .collect();
        Self {
            primal: median(rounds.iter().map(|round| round.0)),
            gradient: median(rounds.iter().map(|round| round.1)),
            ratio: median(rounds.iter().map(|round| round.1 / round.0)),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:9.2} µs {:9.2} µs {:7.2}", 1e6 * self.primal, 1e6 * self.gradient, self.ratio)
    }
}

/// How often to run the work in one round.
fn runs_per_round(work: &mut impl FnMut()) -> u32 {
    let mut runs = 1;
    while time(runs, work) * f64::from(runs) < ROUND.as_secs_f64() {
        runs *= 2;
    }
    runs
}

/// Seconds that one run takes, on average.
fn time(runs: u32, work: &mut impl FnMut()) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..runs {
        work();
    }
    start.elapsed().as_secs_f64() / f64::from(runs)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
