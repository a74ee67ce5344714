//! The core from outside.
