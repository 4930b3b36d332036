//! Whole programs built through the real tool.
