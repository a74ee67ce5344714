//! The engine from outside, against real processes.

mod in_process;
mod laws;
mod oah_golden;
mod oah_safe;
mod processes;
