//! Instruction sets. Each instruction set implements [`Arch`] in its own file. [`instruction_sets!`] lists all of them.
//!
//! To add an instruction set, write its file, declare the file with `mod`, and add a line to the list.

mod avx2;
mod avx512;
mod intrinsics;
mod neon;
mod portable;
#[allow(dead_code)] // Used only by the instruction sets of some CPUs.
mod registers;
mod vectors;

pub use vectors::Doubles8;
pub(crate) use vectors::{Doubles16, GridRegister, MAX_COUNTED, Ones, PickTable, ProductColumns, Vector, Words8};

use std::fmt;

/// An instruction set: its vectors, its numbers for the plan, and how to run a loop with its instructions.
///
/// A value of this type is a token. It exists only where the CPU has the instructions, because [`Arch::new`] is the
/// only way to make one. The operations of vectors rely on this. If some CPUs lack the instructions, the type needs a
/// private field.
pub(crate) trait Arch: Copy {
    /// A register of doubles.
    type Register: GridRegister<Arch = Self>;
    type Doubles8: Doubles8<Arch = Self>;
    type Doubles16: Doubles16<Arch = Self>;
    type Words8: Words8<Arch = Self>;
    type Doubles24: Vector<f64, 24, Arch = Self>;
    type Singles48: Vector<f32, 48, Arch = Self>;
    /// Columns of a product of features: all 24 of a group or a part of them.
    type DoubleColumns: ProductColumns<f64, Arch = Self>;
    /// All 48 columns or a part of them.
    type SingleColumns: ProductColumns<f32, Arch = Self>;

    /// The number of rows of a product of features that are processed at a time: 2, 4 or 8. The sums of these rows with
    /// the columns must stay in registers, together with the columns.
    const PRODUCT_ROWS: usize;

    const SLOWDOWN: Slowdown;

    /// The token, if this CPU has the instructions.
    fn new() -> Option<Self>;

    /// Runs a task that is compiled with the instructions enabled.
    fn call<T: Task>(self, task: T) -> T::Output;
}

/// A loop with its arguments, to be compiled for every instruction set.
///
/// `run` is `#[inline(always)]`. It takes the task apart, and calls a function that is also inlined and has plain
/// arguments. Plain arguments are needed because the compiler knows that nothing else points to the memory of `&mut`
/// arguments. It does not know this about fields.
///
/// Loops are `for` loops. Closures with vector operations are not passed to functions of the standard library, such as
/// `extend`, `fold` or `array::from_fn`: these are compiled without the instructions, and the compiler may not inline
/// them. With cargo's release profile it often does not, and each operation becomes a call (`make bench-profiles`).
pub(crate) trait Task {
    type Output;

    /// Runs the loop. It must be inlined by [`Arch::call`], where the instructions of `A` are enabled. Otherwise it is
    /// slow.
    fn run<A: Arch>(self, arch: A) -> Self::Output;
}

/// The time of the strategies, divided by their time with AVX-512 at 2.3 GHz. The costs of the plan were measured with
/// AVX-512. The plan compares these times with the times of code without vectors, which takes about as long on all
/// CPUs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slowdown {
    /// The time to count bits, for n = 100.
    pub(crate) bits: f64,
    /// The time of the product of features, for n = 100.
    pub(crate) product: f64,
    /// The time of the grid, for n = 1000.
    pub(crate) grid: f64,
    /// The time of sums over tuples, divided by their time with portable instructions.
    pub(crate) tuples: f64,
}

/// An instruction set that this CPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Isa(Token);

impl Isa {
    /// The widest instruction set of this CPU.
    pub(crate) fn widest() -> Self {
        Level::ALL.into_iter().rev().find_map(Self::new).unwrap_or_else(Self::portable)
    }

    /// The instruction set that every CPU has.
    pub(crate) fn portable() -> Self {
        Self(Token::Portable(portable::Portable))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Makes everything that needs a list of the instruction sets, from lines `file: Type if condition`. If the condition
/// does not hold, the name is known, but the instructions are not available.
macro_rules! instruction_sets {
    ($($file:ident: $arch:ident if $condition:meta;)+) => {
        /// The instruction sets that loops are compiled for, from the narrowest to the widest.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Level {
            $($arch,)+
        }

        impl Level {
            pub(crate) const ALL: [Self; [$(stringify!($arch)),+].len()] = [$(Self::$arch),+];
            pub(crate) const NAMES: [&str; Self::ALL.len()] = [$(stringify!($file)),+];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$arch => stringify!($file),)+
                }
            }
        }

        /// The token of an instruction set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Token {
            $(#[cfg($condition)] $arch($file::$arch),)+
        }

        impl Isa {
            /// The instruction set, if this CPU has it.
            pub(crate) fn new(level: Level) -> Option<Self> {
                match level {
                    $(
                        #[cfg($condition)]
                        Level::$arch => $file::$arch::new().map(|arch| Self(Token::$arch(arch))),
                        #[cfg(not($condition))]
                        Level::$arch => None,
                    )+
                }
            }

            pub(crate) fn level(self) -> Level {
                match self.0 {
                    $(#[cfg($condition)] Token::$arch(_) => Level::$arch,)+
                }
            }

            /// The time of loops relative to AVX-512.
            pub(crate) fn slowdown(self) -> Slowdown {
                match self.0 {
                    $(#[cfg($condition)] Token::$arch(_) => $file::$arch::SLOWDOWN,)+
                }
            }

            /// Runs a task with these instructions.
            #[inline(always)]
            pub(in crate::simd) fn run<T: Task>(self, task: T) -> T::Output {
                match self.0 {
                    $(#[cfg($condition)] Token::$arch(arch) => arch.call(task),)+
                }
            }
        }
    };
}

instruction_sets! {
    portable: Portable if all();
    neon: Neon if all(target_arch = "aarch64", target_endian = "little", not(wkendall_portable));
    avx2: Avx2 if all(target_arch = "x86_64", not(wkendall_portable));
    avx512: Avx512 if all(target_arch = "x86_64", not(wkendall_portable));
}
