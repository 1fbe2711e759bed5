//! Weighted Kendall kernels for rankings.
//!
//! A kernel between two rankings of n items is a sum over the concordant pairs of items: the pairs that both rankings
//! put in the same order. The weight of a pair depends on the positions of the two items in the rankings. This crate
//! computes the kernels of Jiao and Vert, "The Weighted Kendall and High-order Kernels for Permutations". It computes
//! them without approximation, in O(n log n) for a pair of rankings, on all cores. All of these kernels are positive
//! definite. They do not depend on how the items are numbered.
//!
//! ```
//! use wkendall::{Factor, Measure, Options, Rankings, Weight, gram};
//!
//! // Three people rank four items; 1 is the most preferred.
//! let x = Rankings::from_ranks(3, 4, &[
//!     1, 2, 3, 4,
//!     2, 1, 3, 4,
//!     4, 3, 2, 1,
//! ])?;
//! // Pairs near the top count most: each concordant pair adds u[a] u[b] u[c] u[d] with u[r] = 1 / log2(r + 1).
//! let kernel = Measure::kernel(&Weight::Mult(Factor::Log), x.items())?.normalized();
//! let k = gram(&kernel, &x, None, Options::default())?;
//! assert_eq!(k[0], 1.0);
//! assert!(k[1] > k[2]); // the first person agrees more with the second than with the third
//! # Ok::<(), wkendall::Error>(())
//! ```
//!
//! # Overview
//!
//! | to compute | use |
//! |---|---|
//! | a kernel with any [`Weight`] | [`Measure::kernel`] |
//! | its signed form, or its normalized form; Kendall's tau is the standard kernel, signed and normalized | [`Measure::signed`], [`Measure::normalized`] |
//! | the kernel of another order, a sum over tuples of items | [`Measure::with_order`] |
//! | sums, products and powers of kernels | [`Measure::plus`], [`Measure::times`], [`Measure::power`] |
//! | the number of discordant pairs | [`Measure::distance`] |
//! | the Mallows kernel | [`Measure::mallows`] |
//! | a weighted correlation, which is not a kernel | [`Measure::correlation`] |
//! | Spearman's footrule, for rankings and for lists | [`Measure::footrule`] |
//! | Vigna's weighted tau, with the same values as scipy | [`Measure::weighted_tau`] |
//! | the AP correlation of Yilmaz, Aslam and Robertson | [`Measure::ap_correlation`] |
//! | Shieh's weighted concordance | [`Measure::weighted_concordance`], [`Measure::factored_concordance`] |
//! | Kumar and Vassilvitskii's generalized distance | [`Measure::generalized_kendall`] |
//! | Farnoud and Milenkovic's distance by swaps of neighbours | [`Measure::swap_distance`] |
//! | Spearman's rho, a kernel | [`Measure::spearman_rho`] |
//! | the Kemeny-Snell distance, and the kernel `tau_x` | [`Measure::kemeny_snell`], [`Measure::tau_x`] |
//! | rank-biased and average overlap | [`Measure::rank_biased_overlap`], [`Measure::average_overlap`] |
//! | the distance K^(p) of top lists | [`Measure::fagin_kendall`] |
//! | any of the measures above by its name, with parameters by their names | [`Measure::from_parameters`] |
//! | any of the measures above for all pairs of rankings | [`gram`], [`gram_matrix`], [`gram_into`] |
//! | the most similar rankings for each ranking, or all rankings within a radius | [`neighbors`], [`within`] |
//! | the most similar lists, with one index for many queries | [`ListIndex`] |
//! | bit vectors whose Hamming distance is the number of discordant pairs | [`packed_signs`] |
//! | the value of a measure for a pair of rankings, or for a permutation | [`Measure::between`], [`Measure::kappa`] |
//! | the tensors of rankings whose inner products are kernels with general weights | [`embedding`] |
//! | rank correlations between columns of observations, with p-values and intervals | [`correlations`], [`correlations_of`], [`correlations_at_least`] |
//! | features whose inner products are a kernel, for linear models | [`features`] |
//! | the ranking whose mean kernel with given rankings is largest, such as the Kemeny ranking | [`consensus`] |
//! | the pairs of items that matter most to a sum of kernels | [`importance`] |
//!
//! # Speed
//!
//! A cost model chooses the strategy for a Gram matrix:
//!
//! - Counts are computed with packed bits and popcount.
//! - Weighted sums over up to some hundred items are computed as a matrix product of features.
//! - Weighted sums over more items are computed for one pair of rankings at a time, on a grid of positions and values.
//!
//! All strategies use the widest vector instructions of the machine ([`instruction_sets`]). Repeated rankings are
//! computed once. With a [`Backend`] you choose the strategy yourself. [`planned`] tells which strategy the cost model
//! would choose.
//!
//! A debug build compiles this crate without optimisation, and the crate is then hundreds of times slower than in a
//! release build. With these lines in your `Cargo.toml`, the crate is about as fast in debug builds as in release
//! builds:
//!
//! ```toml
//! [profile.dev.package.wkendall]
//! opt-level = 3
//! ```
//!
//! # Accuracy
//!
//! Counts are summed as integers. The standard kernel, the top-k kernel, the distance, and n times the average kernel
//! are counts. Counts are exact up to 2^53; larger counts are rounded to `f64`.
//!
//! The error of a weighted sum is below 1e-12 times a bound: the sum of the absolute values of its terms. In this
//! bound, a term of the additive weight counts as `(|u_a| + |u_b|) * (|u_c| + |u_d|)`. A self-similarity is the value
//! of a ranking with itself. If it is at most 1e-12 times the bound, it is set to 0. Every normalized value with that
//! ranking is then also 0.
//!
//! A result is bitwise identical for any number of threads and for the two rankings in either order. Another backend
//! may round weighted sums differently.
//!
//! # Layers
//!
//! Each module uses only modules below it in this list. A test checks this.
//!
//! ```text
//! python      the extension module of the Python package
//! correlations  rank correlations between columns of observations, with p-values and intervals
//! importance  the pairs of items that matter most to a function of rankings
//! consensus   the ranking that agrees most with others
//! balance     sums over rankings of the order of pairs of items
//! signs       rankings as bits, for binary indexes
//! features    rows of numbers whose inner products are a kernel
//! embedding   the tensors of rankings for general weights
//! gram        all pairs: plan, strategies, tiles
//! measure     one pair: kernel, signed, normalized, distance, correlation, and others one file each
//! pair        one pair of rankings: the partition algorithm, ties, lists
//! simd        inner loops for every instruction set, on slices and terms of pairs, without rankings
//! weight      the weights of pairs of positions
//! rankings    checked sets of rankings
//! matrix      results with rows and columns
//! tree        running sums that change
//! parallel    jobs on threads, watched by the caller
//! memory      vectors with fallible growth
//! error       all errors
//! ```

#![warn(missing_docs)]

mod balance;
pub mod consensus;
mod correlations;
pub mod embedding;
mod error;
pub mod features;
mod gram;
pub mod importance;
mod matrix;
mod measure;
mod memory;
mod pair;
mod parallel;
#[cfg(feature = "python")]
mod python;
mod rankings;
mod signs;
mod simd;
mod tree;
mod weight;

pub use correlations::{
    Alternative, Coefficient, ColumnPairs, Columns, CorrelationSettings, Correlations, correlations,
    correlations_at_least, correlations_of, leave_one_out,
};
pub use error::Error;
#[doc(hidden)]
pub use error::Number;
pub use gram::{
    Backend, Element, ListIndex, Neighbors, Options, Within, diagonal, gram, gram_into, gram_matrix, instruction_sets,
    neighbors, planned, within,
};
pub use matrix::{Matrix, MatrixRows};
pub use measure::{Measure, Parameter, Parameters, TauRank, mallows_rate};
pub use pair::Workspace;
pub use parallel::{Progress, RunOptions, Watch, available_cores, default_threads};
pub use rankings::{Incomplete, Iter, Lists, Missing, RankingSet, Rankings, Row, Rows, Value};
pub use signs::{packed_signs, sign_bytes};
pub use weight::{FACTORS, Factor, NamedWeight, Needs, WEIGHTS, Weight};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Guide;
