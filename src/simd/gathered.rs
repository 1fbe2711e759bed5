//! Sums with entries of a table that are picked by an index.

use super::groups::{Lanes, Narrow64, Wide64};
use super::{Isa, dispatch};

/// Indices, with a limit that all are below: checked once, used with many tables.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    at: &'a [u32],
    limit: usize,
}

impl<'a> Places<'a> {
    /// # Panics
    /// If an index is 2^31 - 1 or more: vectors have signed indices.
    pub(crate) fn new(at: &'a [u32]) -> Self {
        let limit = at.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(i32::try_from(limit).is_ok());
        Self { at, limit }
    }

    fn check(self, table: &[f64], others: usize) {
        assert!(self.limit <= table.len() && self.at.len() == others);
    }
}

/// Adds a multiple of the entry at each place to its sum.
pub(crate) fn add(isa: Isa, table: &[f64], places: Places<'_>, factor: f64, sums: &mut [f64]) {
    places.check(table, sums.len());
    if sums.len() < 24 {
        return sums.iter_mut().zip(places.at).for_each(|(sum, &at)| *sum += factor * table[at as usize]);
    }
    dispatch!(
        isa,
        L: [f64; 24] | Narrow64 | Wide64,
        (table: &[f64], places: Places<'_>, factor: f64, sums: &mut [f64]),
        add_in::<L>(table, places.at, factor, sums)
    );
}

/// The sum of the entries at all places times values.
pub(crate) fn dot(isa: Isa, table: &[f64], places: Places<'_>, values: &[f64]) -> f64 {
    places.check(table, values.len());
    if values.len() < 24 {
        return values.iter().zip(places.at).map(|(value, &at)| value * table[at as usize]).sum();
    }
    let mut sum = 0.0;
    let total = &mut sum;
    dispatch!(
        isa,
        L: [f64; 24] | Narrow64 | Wide64,
        (table: &[f64], places: Places<'_>, values: &[f64], total: &mut f64),
        *total = dot_in::<L>(table, places.at, values)
    );
    sum
}

/// # Safety
/// As for [`Lanes`]; all places must be within the table.
#[inline(always)]
unsafe fn add_in<L: Lanes<f64, 24>>(table: &[f64], at: &[u32], factor: f64, sums: &mut [f64]) {
    let (groups, rest) = sums.as_chunks_mut::<24>();
    let (places, places_rest) = at.as_chunks::<24>();
    for (sums, at) in groups.iter_mut().zip(places) {
        // SAFETY: the caller keeps the promises.
        unsafe { L::load(sums).add_times(factor, L::gather(table, at)).store(sums) };
    }
    for (sum, &at) in rest.iter_mut().zip(places_rest) {
        *sum += factor * table[at as usize];
    }
}

/// # Safety
/// As for [`Lanes`]; all places must be within the table.
#[inline(always)]
unsafe fn dot_in<L: Lanes<f64, 24>>(table: &[f64], at: &[u32], values: &[f64]) -> f64 {
    let (groups, rest) = values.as_chunks::<24>();
    let (places, places_rest) = at.as_chunks::<24>();
    let mut parts = [0.0; 24];
    // SAFETY: the caller keeps the promises.
    unsafe {
        let mut sums = L::zero();
        for (values, at) in groups.iter().zip(places) {
            sums = sums.add(L::load(values).mul(L::gather(table, at)));
        }
        sums.store(&mut parts);
    }
    let of_rest: f64 = rest.iter().zip(places_rest).map(|(value, &at)| value * table[at as usize]).sum();
    parts.iter().sum::<f64>() + of_rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    #[test]
    fn every_instruction_set_gives_the_definition() {
        for isa in Level::ALL.into_iter().filter_map(Isa::new) {
            for length in [0_u32, 1, 23, 24, 25, 48, 100] {
                let table: Vec<f64> = (0..length).map(|i| f64::from(i * i % 17) - 5.0).collect();
                let at: Vec<u32> = (0..length).map(|i| i * 31 % length.max(1)).collect();
                let values: Vec<f64> = (0..length).map(|i| f64::from(i % 7)).collect();
                let mut sums = values.clone();
                add(isa, &table, Places::new(&at), 0.5, &mut sums);
                for ((sum, value), &at) in sums.iter().zip(&values).zip(&at) {
                    assert_eq!(*sum, value + 0.5 * table[at as usize]);
                }
                let wanted: f64 = values.iter().zip(&at).map(|(value, &at)| value * table[at as usize]).sum();
                assert_eq!(dot(isa, &table, Places::new(&at), &values), wanted);
            }
        }
    }

    #[test]
    #[should_panic(expected = "limit")]
    fn places_outside_the_table_are_refused() {
        add(Isa::portable(), &[0.0; 3], Places::new(&[3]), 1.0, &mut [0.0]);
    }
}
