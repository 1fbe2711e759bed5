//! The ways to fill a tile of a Gram matrix, for each representation of rankings.
//!
//! ```text
//! complete   permutations: bits, product, factored, pairs
//! tied       ties and missing items: product, pairs, tensor, correlation
//! ```

pub(super) mod complete;
pub(super) mod tied;
