//! The ways to fill a tile of a Gram matrix.
//!
//! ```text
//! complete        complete rankings: runs the strategy that was planned
//!   bits          packed signs, for measures that count
//!   product       matrix products of features, for weighted sums of few items
//!   factored      the same for tensors of weights given as products of vectors
//!   pairs         one pair of rankings at a time, for everything
//! tied            rankings with ties and missing items: one pair at a time
//!   tied_product  the same for few items, by a matrix product
//! ```

pub(super) mod bits;
pub(super) mod complete;
mod factored;
mod pairs;
pub(super) mod product;
pub(super) mod tied;
mod tied_product;
