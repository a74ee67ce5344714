//! The engine from outside, against real processes.

mod claude_code;
mod corpus;
mod fault_matrix;
mod golden;
mod handler_laws;
mod handler_output;
mod handlers;
mod hook_result;
mod in_process;
mod laws;
mod layers;
mod lcc_golden;
mod lints;
mod microai_golden;
mod oah_golden;
mod oah_safe;
mod openharness_golden;
mod permission;
mod processes;
mod trust;
mod reload;
mod tombstones;
