//! The loops, generic over the instruction set.

pub(crate) mod bits;
mod bucket;
pub(crate) mod gathered;
pub(crate) mod grid;
pub(crate) mod nearest;
mod numbers;
pub(crate) mod observed;
pub(crate) mod ordered;
pub(crate) mod place;
pub(crate) mod product;
pub(crate) mod quotient;
pub(crate) mod split;
pub(crate) mod tied;
pub(crate) mod tops;

/// Makes a safe function that runs its body with the instructions of an [`Isa`](super::Isa), its first argument. The
/// body is compiled for each instruction set `A`:
///
/// ```text
/// task! {
///     pub(crate) fn name<A>(argument: Type, ...) -> Output { body }
/// }
/// ```
macro_rules! task {
    (@output) => { () };
    (@output $output:ty) => { $output };
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$arch:ident>($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline]
        $visibility fn $name(isa: $crate::simd::Isa, $($argument: $type),*) $(-> $output)? {
            use $crate::simd::arch::{Arch, Task};

            struct Arguments<T>(T);

            impl Task for Arguments<($($type,)*)> {
                type Output = task!(@output $($output)?);

                #[inline(always)]
                unsafe fn run<$arch: Arch>(self) -> Self::Output {
                    #[inline(always)]
                    unsafe fn run<$arch: Arch>($($argument: $type),*) $(-> $output)? {
                        // SAFETY: the instructions are enabled, as `Task::run` asks.
                        #[allow(unused_unsafe)]
                        unsafe { $body }
                    }
                    let Self(($($argument,)*)) = self;
                    // SAFETY: as above.
                    unsafe { run::<$arch>($($argument),*) }
                }
            }

            isa.run(Arguments(($($argument,)*)))
        }
    };
}
use task;
