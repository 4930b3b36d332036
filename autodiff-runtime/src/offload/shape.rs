//! The shape of a launch.

use super::error::LaunchError;
use super::record::Place;

/// How many blocks and threads a launch has, and how much shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Blocks in x, y and z: `workgroup_dim`.
    pub grid_size: [u32; 3],
    /// Threads of a block in x, y and z: `thread_dim`.
    pub block_size: [u32; 3],
    /// Bytes of launch-sized shared memory: `dyn_cache`.
    pub dynamic_bytes: u32,
}

/// What a device can do at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Blocks in x, y and z.
    pub(crate) grid_size: [u32; 3],
    /// Threads of a block in x, y and z.
    pub(crate) block_size: [u32; 3],
    /// Threads of a block.
    pub(crate) block_threads: u32,
    /// Bytes of launch-sized shared memory.
    pub(crate) dynamic_bytes: u32,
}

impl Limits {
    /// What every NVIDIA device since 2017 can do; the CPU has the same, so that what runs there fits elsewhere.
    pub(crate) const COMMON: Self = Self {
        grid_size: [i32::MAX as u32, 65_535, 65_535],
        block_size: [1024, 1024, 64],
        block_threads: 1024,
        dynamic_bytes: 96 << 10,
    };
}

impl Shape {
    /// A shape.
    pub fn new(grid_size: [u32; 3], block_size: [u32; 3], dynamic_bytes: u32) -> Self {
        Self { grid_size, block_size, dynamic_bytes }
    }

    /// Threads in x, y and z, of all blocks together.
    pub fn threads(&self) -> [u64; 3] {
        std::array::from_fn(|axis| u64::from(self.grid_size[axis]) * u64::from(self.block_size[axis]))
    }

    /// Threads of a block.
    pub fn block_threads(&self) -> u64 {
        self.block_size.iter().map(|&size| u64::from(size)).product()
    }

    /// Blocks.
    pub fn blocks(&self) -> u64 {
        self.grid_size.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul)
    }

    /// Whether a device can do it.
    pub(crate) fn check(&self, limits: &Limits, kernel: Place) -> Result<(), LaunchError> {
        let refuse = |why: String| Err(LaunchError::Shape { kernel, why });
        for (key, sizes, most) in [
            ("workgroup_dim", self.grid_size, limits.grid_size),
            ("thread_dim", self.block_size, limits.block_size),
        ] {
            if sizes.contains(&0) {
                return refuse(format!("`{key}` is {sizes:?}: each number must be at least 1"));
            }
            if let Some(axis) = (0..3).find(|&axis| sizes[axis] > most[axis]) {
                return refuse(format!("`{key}` is {sizes:?}: number {axis} can be {} at most", most[axis]));
            }
        }
        if self.block_threads() > u64::from(limits.block_threads) {
            return refuse(format!(
                "`thread_dim` {:?} makes {} threads in a block; there can be {} at most: use more blocks of fewer threads",
                self.block_size,
                self.block_threads(),
                limits.block_threads
            ));
        }
        if self.dynamic_bytes > limits.dynamic_bytes {
            return refuse(format!(
                "`dyn_cache` is {}: the device has {} bytes of shared memory for it at most",
                self.dynamic_bytes, limits.dynamic_bytes
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { name: "k", file: "main.rs", line: 1, column: 1 };

    fn check(grid: [u32; 3], block: [u32; 3], bytes: u32) -> Result<(), String> {
        let shape = Shape::new(grid, block, bytes);
        shape.check(&Limits::COMMON, PLACE).map_err(|error| error.to_string())
    }

    #[test]
    fn shapes_within_the_limits_pass() {
        check([1, 1, 1], [1, 1, 1], 0).unwrap();
        check([i32::MAX as u32, 65_535, 65_535], [32, 32, 1], 96 << 10).unwrap();
    }

    #[test]
    fn shapes_beyond_the_limits_are_explained() {
        for (grid, block, bytes, why) in [
            ([0, 1, 1], [1; 3], 0, "`workgroup_dim` is [0, 1, 1]: each number must be at least 1"),
            ([1; 3], [1, 1, 65], 0, "`thread_dim` is [1, 1, 65]: number 2 can be 64 at most"),
            ([1; 3], [33, 32, 1], 0, "makes 1056 threads in a block"),
            ([1; 3], [1; 3], 1 << 20, "`dyn_cache` is 1048576"),
        ] {
            let error = check(grid, block, bytes).unwrap_err();
            assert!(error.contains(why) && error.contains("kernel `k` (main.rs:1:1)"), "{error}");
        }
    }
}
