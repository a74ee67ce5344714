//! The engine from outside, against real processes.
