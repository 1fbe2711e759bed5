//! Writes squares of values into the rows of a matrix, directly or mirrored.

use crate::simd::Isa;
use crate::simd::arch::{Arch, Doubles8, Task};

/// A number for each pair of a group of rows and a group of columns.
pub(crate) type Square<const G: usize> = [[f64; G]; G];

/// The type of the entries of a matrix.
pub trait Cell: Copy + Default {
    /// Stores the values, converted to this type.
    fn store<V: Doubles8>(values: V, cells: &mut [Self; 8]);
}

impl Cell for f64 {
    #[inline(always)]
    fn store<V: Doubles8>(values: V, cells: &mut [Self; 8]) {
        values.store(cells);
    }
}

impl Cell for f32 {
    #[inline(always)]
    fn store<V: Doubles8>(values: V, cells: &mut [Self; 8]) {
        values.store_single(cells);
    }
}

/// Squares side by side: `count` squares, beginning with the square number `first`. The number of the next square is
/// larger by `step`. Each further step is larger by `growth` than the step before.
#[derive(Clone, Copy)]
pub(crate) struct Strip {
    pub(crate) first: usize,
    pub(crate) step: usize,
    pub(crate) growth: usize,
    pub(crate) count: usize,
}

impl Strip {
    /// The values of the squares of the strip, each with its place in the strip. `squares` has the values of all
    /// squares.
    #[inline(always)]
    fn of(self, squares: &[f64], side: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let Self { first, step, growth, count } = self;
        (0..count).map(move |place| {
            let number = first + step * place + growth * (place * (place + 1) / 2 - place);
            (place, &squares[number * side * side..][..side * side])
        })
    }
}

/// Writes the rows of the squares of a strip into `rows`, from column `at` on. Values outside of the matrix are left
/// out.
///
/// A whole strip is written at a time. With a call for each square, the calls would take 5 % of the time of a matrix of
/// rankings of 20 items.
pub(crate) fn place<T: Cell, const G: usize>(
    isa: Isa,
    squares: &[Square<G>],
    strip: Strip,
    rows: &mut [&mut [T]],
    at: usize,
) {
    isa.run(Place { squares: squares.as_flattened().as_flattened(), side: G, strip, rows, at });
}

/// The same as [`place`], but mirrored: writes the columns of the squares into `rows`.
pub(crate) fn place_mirrored<T: Cell, const G: usize>(
    isa: Isa,
    squares: &[Square<G>],
    strip: Strip,
    rows: &mut [&mut [T]],
) {
    isa.run(PlaceMirrored { squares: squares.as_flattened().as_flattened(), side: G, strip, rows });
}

struct Place<'a, 'b, T> {
    squares: &'a [f64],
    side: usize,
    strip: Strip,
    rows: &'a mut [&'b mut [T]],
    at: usize,
}

impl<T: Cell> Task for Place<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self, arch: A) {
        let Self { squares, side, strip, rows, at } = self;
        for (place, square) in strip.of(squares, side) {
            place_in::<A::Doubles8, T>(arch, square, side, rows, at + place * side);
        }
    }
}

struct PlaceMirrored<'a, 'b, T> {
    squares: &'a [f64],
    side: usize,
    strip: Strip,
    rows: &'a mut [&'b mut [T]],
}

impl<T: Cell> Task for PlaceMirrored<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self, arch: A) {
        let Self { squares, side, strip, rows } = self;
        for (place, square) in strip.of(squares, side) {
            place_mirrored_in::<A::Doubles8, T>(arch, square, side, rows, place * side);
        }
    }
}

#[inline(always)]
fn place_in<V: Doubles8, T: Cell>(arch: V::Arch, square: &[f64], side: usize, rows: &mut [&mut [T]], at: usize) {
    for (values, cells) in square.chunks_exact(side).zip(rows) {
        for (values, cells) in values.chunks_exact(8).zip(cells[at..].chunks_mut(8)) {
            put(V::load(arch, values), cells);
        }
    }
}

#[inline(always)]
fn place_mirrored_in<V: Doubles8, T: Cell>(
    arch: V::Arch,
    square: &[f64],
    side: usize,
    rows: &mut [&mut [T]],
    at: usize,
) {
    for (column, band) in (0..side).step_by(8).zip(rows.chunks_mut(8)) {
        for (row, square) in (0..side).step_by(8).zip(square.chunks_exact(8 * side)) {
            let part = |i: usize| &square[i * side + column..];
            let (a, b, c, d) =
                (V::load(arch, part(0)), V::load(arch, part(1)), V::load(arch, part(2)), V::load(arch, part(3)));
            let (e, f, g, h) =
                (V::load(arch, part(4)), V::load(arch, part(5)), V::load(arch, part(6)), V::load(arch, part(7)));
            let columns = V::transpose([a, b, c, d, e, f, g, h]);
            for (values, cells) in columns.into_iter().zip(&mut *band) {
                let Some(cells) = cells.get_mut(at + row..) else { continue };
                put(values, cells);
            }
        }
    }
}

/// Stores the values in the first eight cells, or in all of them if there are fewer.
#[inline(always)]
fn put<V: Doubles8, T: Cell>(values: V, cells: &mut [T]) {
    if let Some(cells) = cells.first_chunk_mut() {
        T::store(values, cells);
    } else {
        let mut all = [T::default(); 8];
        T::store(values, &mut all);
        cells.copy_from_slice(&all[..cells.len()]);
    }
}
