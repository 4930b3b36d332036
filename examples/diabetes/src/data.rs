//! The diabetes study: ten measurements of each patient, and how far the disease went in the following year.

/// Measurements per patient.
pub(crate) const FEATURES: usize = 10;

const SEED: u64 = 7;
/// One patient in this many is kept for testing.
const TEST_SHARE: usize = 4;

/// Patients' measurements, one row each, and the disease progression to be predicted from them.
#[derive(Clone, Default)]
pub(crate) struct Samples {
    pub(crate) inputs: Vec<[f64; FEATURES]>,
    pub(crate) targets: Vec<f64>,
}

/// The patients, shuffled and split, in units of the training patients' standard deviations.
pub(crate) struct Data {
    pub(crate) train: Samples,
    pub(crate) test: Samples,
    /// Standard deviation of the training targets: brings errors back to the units of the study.
    pub(crate) target_deviation: f64,
}

impl Samples {
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    fn push(&mut self, input: [f64; FEATURES], target: f64) {
        self.inputs.push(input);
        self.targets.push(target);
    }
}

/// Loads the study and splits its patients, the same way at each run.
pub(crate) fn load() -> Data {
    let study = linfa_datasets::diabetes();
    let mut order: Vec<usize> = (0..study.targets.len()).collect();
    fastrand::Rng::with_seed(SEED).shuffle(&mut order);

    let test_patients = order.len() / TEST_SHARE;
    let mut train = Samples::default();
    let mut test = Samples::default();
    for (position, &patient) in order.iter().enumerate() {
        let input = std::array::from_fn(|feature| study.records[(patient, feature)]);
        let samples = if position < test_patients { &mut test } else { &mut train };
        samples.push(input, study.targets[patient]);
    }
    standardise(train, test)
}

/// Gives every column mean 0 and deviation 1 over the training patients. The test patients are moved by the
/// same amounts: nothing about them may leak into training.
fn standardise(mut train: Samples, mut test: Samples) -> Data {
    for feature in 0..FEATURES {
        let (mean, deviation) = mean_and_deviation(train.inputs.iter().map(|input| input[feature]));
        for input in train.inputs.iter_mut().chain(&mut test.inputs) {
            input[feature] = (input[feature] - mean) / deviation;
        }
    }
    let (mean, target_deviation) = mean_and_deviation(train.targets.iter().copied());
    for target in train.targets.iter_mut().chain(&mut test.targets) {
        *target = (*target - mean) / target_deviation;
    }
    Data { train, test, target_deviation }
}

fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}
