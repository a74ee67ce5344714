//! The core from outside: what it reads, and what it promises about it.

mod corpus;
mod payload;
mod schema;
mod tree;
