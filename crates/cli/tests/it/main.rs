//! The binary, and the behaviour it stands for, from outside.

mod spec;
