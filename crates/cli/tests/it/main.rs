//! The binary, and the behaviour it stands for, from outside.

mod bad_inputs;
mod becket;
mod check;
mod contract;
mod examples;
mod findings;
mod fire;
mod look;
mod microai;
mod recipes;
mod spec;
mod trust;
