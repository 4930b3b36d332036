//! Attribute macros of [`autodiff-runtime`](https://docs.rs/autodiff-runtime).
