//! Sums of entries of a table. The entries are looked up by index.
#![allow(unsafe_code)]

use std::ops::Range;

use super::task;
use crate::simd::arch::Vector;

/// Indices, with a limit that is above all of them. They are checked once and used with many tables.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    at: &'a [u32],
    limit: usize,
}

impl<'a> Places<'a> {
    /// # Panics
    /// Panics if an index is 2^31 - 1 or more: vectors have signed indices.
    pub(crate) fn new(at: &'a [u32]) -> Self {
        let limit = at.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(i32::try_from(limit).is_ok());
        Self { at, limit }
    }

    /// Some of the indices.
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        Self { at: &self.at[range], ..self }
    }

    /// # Panics
    /// Panics if an index is not in the table, or if there are not as many others.
    fn check(self, table: &[f64], others: usize) {
        assert!(self.limit <= table.len() && self.at.len() == others);
    }
}

task! {
    /// `sums[i] += factor * table[places[i]]`.
    pub(crate) fn add(arch: A, table: &[f64], places: Places<'_>, factor: f64, sums: &mut [f64]) {
        add_in::<A::Doubles24>(arch, table, places, factor, sums);
    }
}

task! {
    /// The sum over i of `values[i] * table[places[i]]`.
    pub(crate) fn dot(arch: A, table: &[f64], places: Places<'_>, values: &[f64]) -> f64 {
        dot_in::<A::Doubles24>(arch, table, places, values)
    }
}

#[inline(always)]
fn add_in<V: Vector<f64, 24>>(arch: V::Arch, table: &[f64], places: Places<'_>, factor: f64, sums: &mut [f64]) {
    places.check(table, sums.len());
    let (groups, rest) = sums.as_chunks_mut::<24>();
    let (places, places_rest) = places.at.as_chunks::<24>();
    for (sums, at) in groups.iter_mut().zip(places) {
        // SAFETY: all places are within the table, as `check` has found, and below 2^31, as `Places::new` has found.
        let entries = unsafe { V::gather(arch, table, at) };
        V::load(arch, sums).add_times(arch, factor, entries).store(sums);
    }
    for (sum, &at) in rest.iter_mut().zip(places_rest) {
        *sum += factor * table[at as usize];
    }
}

#[inline(always)]
fn dot_in<V: Vector<f64, 24>>(arch: V::Arch, table: &[f64], places: Places<'_>, values: &[f64]) -> f64 {
    places.check(table, values.len());
    let (groups, rest) = values.as_chunks::<24>();
    let (places, places_rest) = places.at.as_chunks::<24>();
    let mut parts = [0.0; 24];
    let mut sums = V::zero(arch);
    for (values, at) in groups.iter().zip(places) {
        // SAFETY: all places are within the table, as `check` has found, and below 2^31, as `Places::new` has found.
        let entries = unsafe { V::gather(arch, table, at) };
        sums = sums.add(V::load(arch, values).mul(entries));
    }
    sums.store(&mut parts);
    let of_rest: f64 = rest.iter().zip(places_rest).map(|(value, &at)| value * table[at as usize]).sum();
    parts.iter().sum::<f64>() + of_rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

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
