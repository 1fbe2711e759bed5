//! The ways to fill a tile of a Gram matrix, for each representation of rankings.
//!
//! ```text
//! complete   permutations: bits, product, factored, pairs
//! tied       ties and missing items: bits, product, pairs, tensor, correlation
//! lists      few of many items: pairs
//! columns    columns of observations: bits, pairs, products of ranks
//! pairwise   any representation: measures that are computed for one pair of rankings at a time
//! packed     the engine of both strategies with bits
//! own        self-similarities of rankings with ties and of lists
//! ```

pub(super) mod columns;
pub(super) mod complete;
pub(super) mod lists;
mod own;
mod packed;
pub(super) mod pairwise;
pub(super) mod tied;
