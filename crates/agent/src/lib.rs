//! The reference agent: a loop that fires every event, built on the engine's public face.
//!
//! So far it holds the models that hooks may ask; the loop itself is still to come.

pub mod model;
