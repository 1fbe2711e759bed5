//! Macros to write instruction sets: their token, their registers, and other operations with intrinsics.
//!
//! The first argument of all macros is the features, as in `target_feature`.
#![cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(wkendall_portable)))]

/// Whether this CPU has a feature.
#[cfg(target_arch = "aarch64")]
pub(super) use std::arch::is_aarch64_feature_detected as is_detected;
#[cfg(target_arch = "x86_64")]
pub(super) use std::arch::is_x86_feature_detected as is_detected;

/// Makes the token of an instruction set. A token is a type whose values exist only where the CPU has the features.
macro_rules! token {
    (($(enable = $feature:tt),+) $token:ident) => {
        /// Exists only where the CPU has the instructions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) struct $token(());

        impl $token {
            fn detect() -> Option<Self> {
                ($(crate::simd::arch::intrinsics::is_detected!($feature))&&+).then_some(Self(()))
            }

            #[inline(always)]
            fn enable<T: Task>(self, task: T) -> T::Output {
                #[target_feature($(enable = $feature),+)]
                fn enabled<T: Task>(arch: $token, task: T) -> T::Output {
                    task.run(arch)
                }

                // SAFETY: this token exists, so `detect` has found the features in this CPU.
                unsafe { enabled(self, task) }
            }
        }
    };
}

/// Implements a trait of vectors for a type whose values exist only where the CPU has the features. This holds because
/// the fields of the type are private, and because a function without a vector among its arguments takes the token.
///
/// The body of each function is compiled twice. The first time, it is in an inherent function with the features
/// enabled. There, intrinsics that do not use pointers are safe, so the compiler checks that everything else that is
/// unsafe is in a block of its own. The second time, it is in the function of the trait, which is always inlined. If
/// the function of the trait called the inherent function, sums of the additive kernel would take up to 1.2 times as
/// long.
macro_rules! operations {
    (
        $features:tt
        impl $trait:ident $(<$scalar:ty>)? for $type:ident {
            $(const $constant:ident: $kind:ty = $value:expr;)*
            $(fn $name:ident(
                $first:ident $(: $first_type:ty)? $(, $argument:ident: $argument_type:ty)*
            ) $(-> $output:ty)? $body:block)*
            $(unsafe fn $unsafe_name:ident($($unsafe_argument:ident: $unsafe_type:ty),*) -> Self $unsafe_body:block)*
        }
    ) => {
        #[allow(dead_code)]
        impl $type {
            $(
                #[inline]
                #[target_feature $features]
                fn $name($first $(: $first_type)? $(, $argument: $argument_type)*) $(-> $output)? $body
            )*
            $(
                #[inline]
                #[target_feature $features]
                unsafe fn $unsafe_name($($unsafe_argument: $unsafe_type),*) -> Self $unsafe_body
            )*
        }

        #[allow(clippy::used_underscore_binding)]
        impl $trait $(<$scalar>)? for $type {
            $(const $constant: $kind = $value;)*
            $(
                #[inline(always)]
                fn $name($first $(: $first_type)? $(, $argument: $argument_type)*) $(-> $output)? {
                    // SAFETY: the CPU has the features, because an argument is the token or a vector of its set. The
                    // body needs nothing else, as the inherent function shows.
                    #[allow(unused_unsafe)]
                    unsafe { $body }
                }
            )*
            $(
                #[inline(always)]
                unsafe fn $unsafe_name($($unsafe_argument: $unsafe_type),*) -> Self {
                    // SAFETY: the CPU has the features, because an argument is the token. The body needs nothing else
                    // but what the trait asks, as the inherent function shows.
                    #[allow(unused_unsafe)]
                    unsafe { $unsafe_body }
                }
            )*
        }
    };
}

/// Makes a register of numbers, from the intrinsics for [`Register`](super::vectors::Register) in the order of its functions.
macro_rules! register {
    (
        $features:tt $(#[$doc:meta])* $type:ident($raw:ty) of $arch:ident: $width:literal x $scalar:ty,
        ($splat:ident, $load:ident, $store:ident, $add:ident, $mul:ident, $add_product:ident)
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $type($raw);

        impl Simd for $type {
            type Arch = $arch;
        }

        operations! {
            $features
            impl Register<$scalar> for $type {
                const WIDTH: usize = $width;

                fn splat(_arch: $arch, value: $scalar) -> Self {
                    Self($splat(value))
                }
                fn load(_arch: $arch, values: &[$scalar]) -> Self {
                    // SAFETY: there are as many values as lanes.
                    Self(unsafe { $load(values[..$width].as_ptr()) })
                }
                fn store(self, values: &mut [$scalar]) {
                    // SAFETY: there is space for as many values as lanes.
                    unsafe { $store(values[..$width].as_mut_ptr(), self.0) }
                }
                fn add(self, other: Self) -> Self {
                    Self($add(self.0, other.0))
                }
                fn mul(self, other: Self) -> Self {
                    Self($mul(self.0, other.0))
                }
                fn add_product(self, a: Self, b: Self) -> Self {
                    Self($add_product(a.0, b.0, self.0))
                }
            }
        }
    };
}

pub(super) use {operations, register, token};
