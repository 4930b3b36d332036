//! Data and certified results of the National Institute of Standards and Technology: its reference data sets for
//! nonlinear regression.

/// A set of observations, and what is known of the best fit.
pub(crate) struct Dataset {
    pub(crate) name: &'static str,
    /// Pairs of y and x.
    pub(crate) points: &'static [[f64; 2]],
    /// NIST's second start.
    pub(crate) start: &'static [f64],
    pub(crate) certified: &'static [f64],
    pub(crate) sum_of_squares: f64,
}

/// Dental research: monomolecular adsorption. y = b1 (1 - exp(-b2 x)).
pub(crate) const MISRA1A: Dataset = Dataset {
    name: "Misra1a",
    points: &[
        [10.07, 77.6],
        [14.73, 114.9],
        [17.94, 141.1],
        [23.93, 190.8],
        [29.61, 239.9],
        [35.18, 289.0],
        [40.02, 332.8],
        [44.82, 378.4],
        [50.76, 434.8],
        [55.05, 477.3],
        [61.01, 536.8],
        [66.40, 593.1],
        [75.47, 689.1],
        [81.78, 760.0],
    ],
    start: &[250.0, 0.0005],
    certified: &[2.389_421_291_8e2, 5.501_564_318_1e-4],
    sum_of_squares: 1.245_513_889_4e-1,
};

/// Biochemical oxygen demand. y = b1 (1 - exp(-b2 x)).
pub(crate) const BOX_BOD: Dataset = Dataset {
    name: "BoxBOD",
    points: &[[109.0, 1.0], [149.0, 2.0], [149.0, 3.0], [191.0, 5.0], [213.0, 7.0], [224.0, 10.0]],
    start: &[100.0, 0.75],
    certified: &[2.138_094_088_9e2, 5.472_374_854_2e-1],
    sum_of_squares: 1.168_008_876_6e3,
};

/// Enzyme kinetics. y = b1 (x² + x b2) / (x² + x b3 + b4).
pub(crate) const MGH09: Dataset = Dataset {
    name: "MGH09",
    points: &[
        [0.1957, 4.0],
        [0.1947, 2.0],
        [0.1735, 1.0],
        [0.1600, 0.5],
        [0.0844, 0.25],
        [0.0627, 0.167],
        [0.0456, 0.125],
        [0.0342, 0.1],
        [0.0323, 0.0833],
        [0.0235, 0.0714],
        [0.0246, 0.0625],
    ],
    start: &[0.25, 0.39, 0.415, 0.39],
    certified: &[1.928_069_345_8e-1, 1.912_823_287_3e-1, 1.230_565_069_3e-1, 1.360_623_306_8e-1],
    sum_of_squares: 3.075_056_038_5e-4,
};

/// Electron mobility. y = (b1 + b2 x + b3 x² + b4 x³) / (1 + b5 x + b6 x² + b7 x³).
pub(crate) const THURBER: Dataset = Dataset {
    name: "Thurber",
    points: &[
        [80.574, -3.067],
        [84.248, -2.981],
        [87.264, -2.921],
        [87.195, -2.912],
        [89.076, -2.840],
        [89.608, -2.797],
        [89.868, -2.702],
        [90.101, -2.699],
        [92.405, -2.633],
        [95.854, -2.481],
        [100.696, -2.363],
        [101.060, -2.322],
        [401.672, -1.501],
        [390.724, -1.460],
        [567.534, -1.274],
        [635.316, -1.212],
        [733.054, -1.100],
        [759.087, -1.046],
        [894.206, -0.915],
        [990.785, -0.714],
        [1090.109, -0.566],
        [1080.914, -0.545],
        [1122.643, -0.400],
        [1178.351, -0.309],
        [1260.531, -0.109],
        [1273.514, -0.103],
        [1288.339, 0.010],
        [1327.543, 0.119],
        [1353.863, 0.377],
        [1414.509, 0.790],
        [1425.208, 0.963],
        [1421.384, 1.006],
        [1442.962, 1.115],
        [1464.350, 1.572],
        [1468.705, 1.841],
        [1447.894, 2.047],
        [1457.628, 2.200],
    ],
    start: &[1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05],
    certified: &[
        1.288_139_680_0e3,
        1.491_079_253_5e3,
        5.832_383_687_7e2,
        7.541_664_429_1e1,
        9.662_950_286_4e-1,
        3.979_728_579_7e-1,
        4.972_729_734_9e-2,
    ],
    sum_of_squares: 5.642_708_239_7e3,
};
