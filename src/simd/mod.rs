//! Vector instructions: the instruction sets, and the inner loops that use them.
//!
//! ```text
//! loops    sums over slices, written once for any instruction set
//!   arch   one trait, one file for each instruction set, and the list of them
//! ```
//!
//! A loop is generic over the trait [`Arch`](arch::Arch). It is compiled once for each instruction set, in a function
//! that enables the instructions, and [`Isa::run`] calls the right one. A vector exists only where the CPU has its
//! instructions. So loops are safe code, and safe code cannot cause an illegal instruction.
//!
//! Most unsafe code of the crate is in this module: intrinsics in `arch`, and entries that loops look up without a
//! check. Outside of it, only `memory` and `python` have a few unsafe blocks, for bytes that another object keeps in
//! memory. Each unsafe block names the fact on which it relies. The module uses slices and the
//! [terms](crate::weight::pair) of pairs; it does not use rankings.

// Vector operations must be inlined into the functions that enable their instructions.
#![allow(clippy::inline_always, clippy::wildcard_imports)]

mod arch;
mod loops;

pub use arch::{Isa, Level};
pub(crate) use loops::{
    bits, common, gathered, grid, nearest, observed, ordered, place, predecessors, product, split, tied, tops, vectors,
};
