//! The core from outside: what it reads, and what it promises about it.

mod corpus;
mod hooks;
mod matcher_cases;
mod mode;
mod payload;
mod schema;
mod shell;
mod tree;
