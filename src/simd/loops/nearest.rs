//! Counts the bits in which rankings differ, if only counts below a limit matter. The other counts never leave the
//! registers.

// Arrays of vectors are indexed: an iterator that is not inlined would keep them in memory.
#![allow(clippy::needless_range_loop)]

use super::bits::{GROUP, split_rows};
use super::task;
use crate::simd::arch::{Arch, Ones, Words8};

/// The number of rows that are compared with a group of columns at a time.
pub(crate) const ROWS: usize = 4;
/// In long rankings, counts are compared with their limits after each this many words. If all counts are beyond their
/// limits, the rest of the words is skipped.
const STRIDE: usize = 16;

/// Receives a row, a column and their count, and returns the new limit of the row.
pub(crate) type Report<'a> = &'a mut dyn FnMut(usize, usize, u64) -> u64;

task! {
    /// Calls `found` for each row and column that differ in fewer bits than the limit of the row. For each row, the
    /// calls are in the order of the columns.
    ///
    /// `rows` holds `words` words for each of the [`ROWS`] rows; `columns` is a packed panel with as many words for
    /// each group of [`GROUP`] columns. Lanes of the last group that have no column are compared like columns.
    pub(crate) fn find_below(
        arch: A, words: usize, rows: &[u64], columns: &[u64], limits: &mut [u64; ROWS], found: Report<'_>,
    ) {
        assert!(words > 0 && rows.len() == ROWS * words && columns.len().is_multiple_of(GROUP * words));
        match words {
            1 => short::<A, 1>(arch, rows, columns, limits, found),
            2 => short::<A, 2>(arch, rows, columns, limits, found),
            3 => short::<A, 3>(arch, rows, columns, limits, found),
            4 => short::<A, 4>(arch, rows, columns, limits, found),
            _ => long::<A>(arch, words, rows, columns, limits, found),
        }
    }
}

/// The search for rankings of `W` words. The rows stay in registers.
#[inline(always)]
fn short<A: Arch, const W: usize>(arch: A, rows: &[u64], columns: &[u64], limits: &mut [u64; ROWS], found: Report<'_>) {
    let mut of_rows = [[A::Words8::zero(arch); W]; ROWS];
    for row in 0..ROWS {
        for word in 0..W {
            of_rows[row][word] = A::Words8::splat(arch, rows[row * W + word]);
        }
    }
    let mut bounds = splats(arch, limits);
    for (group, panel) in columns.as_chunks::<GROUP>().0.as_chunks::<W>().0.iter().enumerate() {
        let mut sums = [A::Words8::zero(arch); ROWS];
        let mut hit = 0;
        for row in 0..ROWS {
            let mut ones = Ones::zero(arch);
            for word in 0..W {
                ones = ones.count(of_rows[row][word].xor(A::Words8::load(arch, &panel[word])));
            }
            let sum = ones.sum();
            hit |= sum.less(bounds[row]);
            sums[row] = sum;
        }
        if hit != 0 {
            report(group, &stored::<A>(sums), limits, found);
            bounds = splats(arch, limits);
        }
    }
}

/// The search for rankings of many words.
#[inline(always)]
fn long<A: Arch>(arch: A, words: usize, rows: &[u64], columns: &[u64], limits: &mut [u64; ROWS], found: Report<'_>) {
    let rows = split_rows::<1, ROWS>(rows, words);
    let mut bounds = splats(arch, limits);
    for (group, panel) in columns.as_chunks::<GROUP>().0.chunks_exact(words).enumerate() {
        let mut sums = [A::Words8::zero(arch); ROWS];
        let mut start = 0;
        let mut hit = true;
        while hit && start < words {
            let end = words.min(start + STRIDE);
            let panel = &panel[start..end];
            let mut parts = rows;
            for row in 0..ROWS {
                // The parts are as long as the panel, so that no index needs a check.
                parts[row] = &rows[row][start..][..panel.len()];
            }
            let mut ones = [Ones::zero(arch); ROWS];
            for row in 0..ROWS {
                ones[row] = Ones::starting_with(arch, sums[row]);
            }
            for (word, column) in panel.iter().enumerate() {
                let column = A::Words8::load(arch, column);
                for row in 0..ROWS {
                    let [of_row] = parts[row][word];
                    ones[row] = ones[row].count(A::Words8::splat(arch, of_row).xor(column));
                }
            }
            let mut below = 0;
            for row in 0..ROWS {
                sums[row] = ones[row].sum();
                below |= sums[row].less(bounds[row]);
            }
            hit = below != 0;
            start = end;
        }
        if hit {
            report(group, &stored::<A>(sums), limits, found);
            bounds = splats(arch, limits);
        }
    }
}

#[inline(always)]
fn splats<A: Arch>(arch: A, values: &[u64; ROWS]) -> [A::Words8; ROWS] {
    let mut splats = [A::Words8::zero(arch); ROWS];
    for row in 0..ROWS {
        splats[row] = A::Words8::splat(arch, values[row]);
    }
    splats
}

#[inline(always)]
fn stored<A: Arch>(sums: [A::Words8; ROWS]) -> [[u64; GROUP]; ROWS] {
    let mut counts = [[0; GROUP]; ROWS];
    for row in 0..ROWS {
        sums[row].store(&mut counts[row]);
    }
    counts
}

#[cold]
#[inline(never)]
fn report(group: usize, counts: &[[u64; GROUP]; ROWS], limits: &mut [u64; ROWS], found: Report<'_>) {
    for (row, (counts, limit)) in counts.iter().zip(limits).enumerate() {
        for (lane, &count) in counts.iter().enumerate() {
            if count < *limit {
                *limit = found(row, group * GROUP + lane, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Level};

    #[test]
    fn every_instruction_set_finds_what_is_below_the_limits() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for words in 1..40 {
            let rows: Vec<u64> = (0..ROWS * words).map(|_| random()).collect();
            let columns: Vec<u64> = (0..3 * GROUP * words).map(|_| random()).collect();
            let limits = [0, 32 * words as u64, 1 << 40, 30 * words as u64];
            let mut expected = Vec::new();
            for group in 0..3 {
                for (row, limit) in limits.into_iter().enumerate() {
                    for lane in 0..GROUP {
                        let differing = |word: usize| {
                            let column = columns[(group * words + word) * GROUP + lane];
                            u64::from((rows[row * words + word] ^ column).count_ones())
                        };
                        let count = (0..words).map(differing).sum::<u64>();
                        if count < limit {
                            expected.push((row, group * GROUP + lane, count));
                        }
                    }
                }
            }
            assert!(!expected.is_empty());
            for isa in Level::ALL.into_iter().filter_map(Isa::new) {
                let mut found = Vec::new();
                find_below(isa, words, &rows, &columns, &mut limits.clone(), &mut |row, column, count| {
                    found.push((row, column, count));
                    limits[row]
                });
                assert_eq!(found, expected, "{words} words");
            }
        }
    }
}
