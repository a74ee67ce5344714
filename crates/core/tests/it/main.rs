//! The core from outside: what it reads, and what it promises about it.

mod payload;
mod schema;
mod tree;
