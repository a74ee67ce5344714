//! The binary, and the behaviour it stands for, from outside.

mod all_dialects;
mod bad_inputs;
mod becket;
mod check;
mod claude_code;
mod contract;
mod examples;
mod findings;
mod fire;
mod look;
mod microai;
mod native;
mod models;
mod payloads;
mod processes;
mod recipes;
mod spec;
mod syscalls;
mod trust;
