//! The loops, generic over the instruction set.

pub(crate) mod bits;
mod bucket;
pub(crate) mod common;
pub(crate) mod gathered;
pub(crate) mod grid;
pub(crate) mod nearest;
mod numbers;
pub(crate) mod observed;
pub(crate) mod ordered;
pub(crate) mod place;
pub(crate) mod predecessors;
pub(crate) mod product;
pub(crate) mod split;
pub(crate) mod tied;
pub(crate) mod tops;
pub(crate) mod vectors;

/// Makes a function that runs its body with the instructions of an [`Isa`](super::Isa), its first argument. The body is
/// compiled for each instruction set `A`, whose token it gets instead:
///
/// ```text
/// task! {
///     pub(crate) fn name(arch: A, argument: Type, ...) -> Output { body }
/// }
/// ```
macro_rules! task {
    (@output) => { () };
    (@output $output:ty) => { $output };
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident(
            $token:ident: $arch:ident, $($argument:ident: $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline]
        $visibility fn $name(isa: $crate::simd::Isa, $($argument: $type),*) $(-> $output)? {
            use $crate::simd::arch::{Arch, Task};

            struct Arguments<T>(T);

            impl Task for Arguments<($($type,)*)> {
                type Output = task!(@output $($output)?);

                #[inline(always)]
                fn run<$arch: Arch>(self, arch: $arch) -> Self::Output {
                    #[inline(always)]
                    fn run<$arch: Arch>($token: $arch, $($argument: $type),*) $(-> $output)? $body

                    let Self(($($argument,)*)) = self;
                    run(arch, $($argument),*)
                }
            }

            isa.run(Arguments(($($argument,)*)))
        }
    };
}
use task;
