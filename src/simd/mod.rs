//! Vector instructions: those of this CPU, and the inner loops written for them.
//!
//! ```text
//! loops    sums over slices, written once for any instruction set
//!   arch   one trait, one file for each instruction set, and the list of them
//! ```
//!
//! A loop is generic over the trait [`Arch`](arch::Arch). It is compiled once for each instruction set, in a function
//! that enables the instructions, and [`Isa::run`] calls the right one. A vector exists only where the CPU has its
//! instructions, so loops are safe code, and safe code cannot cause an illegal instruction. This is the only module
//! with unsafe code: intrinsics in `arch`, and entries that loops look up without a check. Each block names the fact it
//! relies on. The module uses slices and the [terms](crate::weight::pair) of pairs, and no rankings.

// Vector operations must be inlined into the functions that enable their instructions.
#![allow(clippy::inline_always, clippy::wildcard_imports)]

mod arch;
mod loops;

pub use arch::{Isa, Level};
pub(crate) use loops::{
    bits, common, gathered, grid, nearest, observed, ordered, place, predecessors, product, split, tied, tops, vectors,
};
