//! The engine from outside, against real processes.

mod oah_golden;
mod in_process;
mod laws;
mod processes;
