//! The engine from outside, against real processes.

mod oah_golden;
