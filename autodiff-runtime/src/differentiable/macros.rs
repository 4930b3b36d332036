//! What the implementations share.

/// Says that functions take the type itself.
macro_rules! viewed_as_itself {
    () => {
        type View = Self;

        #[inline]
        fn __view(&self) -> &Self {
            self
        }

        #[inline]
        fn __view_mut(&mut self) -> &mut Self {
            self
        }
    };
}

/// The methods of a type whose floats are those of what it iterates over.
macro_rules! of_elements {
    () => {
        #[inline]
        fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
            for (one, other) in self.iter().zip(other.iter()) {
                one.__pairs(other, visit);
            }
        }

        #[inline]
        fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
            for element in self.iter_mut() {
                element.__update(new);
            }
        }

        #[inline]
        fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
            for (element, other) in self.iter_mut().zip(other.iter()) {
                element.__update_with(other, new);
            }
        }
    };
}
