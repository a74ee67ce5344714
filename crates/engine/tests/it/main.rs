//! The engine from outside, against real processes.

mod corpus;
mod fault_matrix;
mod golden;
mod hook_result;
mod in_process;
mod laws;
mod lcc_golden;
mod lints;
mod microai_golden;
mod oah_golden;
mod oah_safe;
mod openharness_golden;
mod permission;
mod processes;
