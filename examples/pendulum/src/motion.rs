//! The model: a damped pendulum, integrated with steps as long as the wanted accuracy allows. Plain Rust;
//! nothing here knows of derivatives.

/// Local error allowed in one step.
const TOLERANCE: f64 = 1e-7;
const FIRST_STEP: f64 = 0.01;

/// What determines the motion of a pendulum that starts at rest.
#[derive(Clone, Copy)]
pub(crate) struct Pendulum {
    /// Gravity divided by length, in 1/s².
    pub(crate) gravity_per_length: f64,
    /// In 1/s.
    pub(crate) damping: f64,
    /// In radians.
    pub(crate) initial_angle: f64,
}

impl Pendulum {
    pub(crate) fn from_parameters(parameters: &[f64]) -> Self {
        Self { gravity_per_length: parameters[0], damping: parameters[1], initial_angle: parameters[2] }
    }

    pub(crate) fn parameters(self) -> Vec<f64> {
        vec![self.gravity_per_length, self.damping, self.initial_angle]
    }
}

/// Angle and angular velocity, or how fast both change.
type State = [f64; 2];

/// A pendulum in motion.
pub(crate) struct Motion {
    pendulum: Pendulum,
    time: f64,
    state: State,
    step: f64,
}

impl Motion {
    pub(crate) fn new(pendulum: Pendulum) -> Self {
        Self { pendulum, time: 0.0, state: [pendulum.initial_angle, 0.0], step: FIRST_STEP }
    }

    /// Moves on to `time`, and returns the angle there.
    pub(crate) fn angle_at(&mut self, time: f64) -> f64 {
        while self.time < time {
            let remaining = time - self.time;
            let is_last = self.step >= remaining;
            let step = if is_last { remaining } else { self.step };

            let (state, error) = self.try_step(step);
            if error <= TOLERANCE {
                self.state = state;
                self.time = if is_last { time } else { self.time + step };
            }
            // The error of a step grows with its third power.
            let factor = 0.9 * (TOLERANCE / error.max(1e-3 * TOLERANCE)).cbrt();
            self.step = step * factor.clamp(0.2, 4.0);
        }
        self.state[0]
    }

    /// One step of the Runge-Kutta pair of Bogacki and Shampine: the new state, and an estimate of its error
    /// from the embedded method of second order.
    fn try_step(&self, h: f64) -> (State, f64) {
        let k1 = self.change(self.state);
        let k2 = self.change(along(self.state, h / 2.0, k1));
        let k3 = self.change(along(self.state, h * 3.0 / 4.0, k2));
        let next = [0, 1].map(|i| self.state[i] + h / 9.0 * (2.0 * k1[i] + 3.0 * k2[i] + 4.0 * k3[i]));
        let k4 = self.change(next);
        let [angle, velocity] =
            [0, 1].map(|i| h / 72.0 * (-5.0 * k1[i] + 6.0 * k2[i] + 8.0 * k3[i] - 9.0 * k4[i]));
        (next, angle.abs().max(velocity.abs()))
    }

    /// The equation of motion.
    fn change(&self, [angle, velocity]: State) -> State {
        [velocity, -self.pendulum.gravity_per_length * angle.sin() - self.pendulum.damping * velocity]
    }
}

/// `state + h * change`.
fn along(state: State, h: f64, change: State) -> State {
    [state[0] + h * change[0], state[1] + h * change[1]]
}
