//! The least a Rust program can do, linked like `becket`: the floor of its cold start.
#![expect(clippy::print_stdout, reason = "that is all it does")]

fn main() {
    println!("hello");
}
