//! For each item, counts the items that come before it in both rankings. The rankings are given as bits.

use super::task;

/// The number of items that are processed side by side.
pub(crate) const LANES: usize = 8;

/// A ranking of few items. All slices are padded with zeros to whole [`LANES`].
#[derive(Clone, Copy)]
pub(crate) struct FewItems<'a> {
    /// The items before each item as bits: the first word of each item, then the second word of each item, and so on.
    pub(crate) before: &'a [u64],
    /// A number that is added to the count of each item.
    pub(crate) offsets: &'a [f64],
    /// A factor of each item.
    pub(crate) factors: &'a [f64],
}

task! {
    /// The sum over items of `(x + x') (k + o + o')`. Here k is the number of items that come before the item in both
    /// rankings; x and o are the factor and the offset of the item in `s`, and x' and o' in `t`. The rankings can be
    /// swapped.
    pub(crate) fn sum_before_both(_arch: A, s: FewItems<'_>, t: FewItems<'_>) -> f64 {
        let length = s.factors.len();
        let mut sums = [0.0; LANES];
        for start in (0..length).step_by(LANES) {
            let counts = count_lanes(start, length, s.before, t.before);
            let [x, y, o, p] = [s.factors, t.factors, s.offsets, t.offsets].map(|numbers| lanes(numbers, start));
            for lane in 0..LANES {
                sums[lane] += (x[lane] + y[lane]) * (f64::from(counts[lane] as i32) + (o[lane] + p[lane]));
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

task! {
    /// Writes, for each item, the number of items that come before it in both rankings. The bits of the rankings are as
    /// in [`FewItems`].
    pub(crate) fn count_before_both(_arch: A, s: &[u64], t: &[u64], counts: &mut [u32]) {
        let length = counts.len();
        for start in (0..length).step_by(LANES) {
            let found = count_lanes(start, length, s, t);
            for (count, found) in counts[start..].iter_mut().zip(found) {
                *count = found as u32;
            }
        }
    }
}

/// The counts of the items from `start` on, of rankings of `length` items.
#[inline(always)]
fn count_lanes(start: usize, length: usize, s: &[u64], t: &[u64]) -> [u64; LANES] {
    let mut counts = [0; LANES];
    for (s, t) in s.chunks_exact(length).zip(t.chunks_exact(length)) {
        let (s, t) = (lanes(s, start), lanes(t, start));
        for lane in 0..LANES {
            counts[lane] += u64::from((s[lane] & t[lane]).count_ones());
        }
    }
    counts
}

#[inline(always)]
fn lanes<T: Copy + Default>(numbers: &[T], start: usize) -> [T; LANES] {
    numbers[start..].first_chunk().copied().unwrap_or([T::default(); LANES])
}
