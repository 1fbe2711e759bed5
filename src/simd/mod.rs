//! Instruction sets: which the CPU has, and the inner loops written for them.
//!
//! Each loop is written once over a small trait of vector operations and compiled for every instruction set, in a function that
//! enables it. An [`Isa`] can only be had for a CPU that has the instructions, so that safe code cannot call what would be an
//! illegal instruction. This is the only module with unsafe code; it sees slices and nothing of rankings.

// Vector operations must be inlined into the functions that enable their instructions.
#![allow(unsafe_code, clippy::inline_always, clippy::wildcard_imports)]

pub(crate) mod bits;
mod doubles;
pub(crate) mod gathered;
pub(crate) mod grid;
mod groups;
mod lanes;
pub(crate) mod ordered;
pub(crate) mod place;
pub(crate) mod product;
mod rules;
pub(crate) mod split;
mod words;

use std::fmt;

/// An instruction set that this CPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Isa(Level);

/// The instruction sets that loops are written for, from the narrowest to the widest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every CPU has.
    Portable,
    /// AVX2, FMA, BMI and POPCNT: x86-64 since 2013.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and VPOPCNTDQ: x86-64 servers since 2019.
    Avx512,
}

impl Level {
    pub(crate) const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

impl Isa {
    /// The instruction set, if this CPU has it.
    pub(crate) fn new(level: Level) -> Option<Self> {
        has(level).then_some(Self(level))
    }

    /// The widest that this CPU has.
    pub(crate) fn widest() -> Self {
        Level::ALL.into_iter().rev().find_map(Self::new).unwrap_or_else(Self::portable)
    }

    /// What every CPU has.
    pub(crate) fn portable() -> Self {
        Self(Level::Portable)
    }

    pub(crate) fn level(self) -> Level {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
fn has(level: Level) -> bool {
    match level {
        Level::Portable => true,
        Level::Avx2 => {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
        }
        Level::Avx512 => {
            has(Level::Avx2)
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq")
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(level: Level) -> bool {
    level == Level::Portable
}

/// Calls `$body` compiled for the instruction set of `$isa`, with `$lanes` standing for its vector type.
macro_rules! dispatch {
    ($isa:expr, $lanes:ident: $portable:ty | $avx2:ty | $avx512:ty, ($($name:ident: $type:ty),* $(,)?), $body:expr) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
        unsafe fn avx2($($name: $type),*) {
            #[allow(dead_code)]
            type $lanes = $avx2;
            // SAFETY: the instructions of the vector type are enabled for this function.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
        unsafe fn avx512($($name: $type),*) {
            #[allow(dead_code)]
            type $lanes = $avx512;
            // SAFETY: the instructions of the vector type are enabled for this function.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }

        fn portable($($name: $type),*) {
            #[allow(dead_code)]
            type $lanes = $portable;
            // SAFETY: the portable vector type needs no special instructions.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }

        match $isa.level() {
            // SAFETY: an `Isa` of this level exists only where the CPU has the instructions.
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Avx512 => unsafe { avx512($($name),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            $crate::simd::Level::Avx2 => unsafe { avx2($($name),*) },
            _ => portable($($name),*),
        }
    }};
}
pub(crate) use dispatch;
