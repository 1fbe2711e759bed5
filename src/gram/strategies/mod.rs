//! The ways to fill a tile of a Gram matrix, for each representation of rankings.
//!
//! ```text
//! complete   permutations: bits, product, factored, pairs
//! tied       ties and missing items: bits, product, pairs, tensor, correlation
//! packed     the engine of both strategies with bits
//! ```

pub(super) mod complete;
mod packed;
pub(super) mod tied;
