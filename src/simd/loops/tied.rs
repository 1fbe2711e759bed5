//! Features of pairs of items of rankings with ties. The features are numbers of ordered pairs of items. Each ranking
//! has a lane.

use super::product::GroupRow;
use super::task;

/// The number of rankings side by side.
pub(crate) const LANES: usize = 24;
/// A number for each ranking of a group.
pub(crate) type TiedLanes = GroupRow<f64, LANES>;

/// How the features of a pair of items are computed from the numbers of the two items.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TiedJoin {
    /// Two items in different blocks have the product of their weights.
    Product,
    /// Two items in different blocks have the sum of their weights.
    Sum,
    /// Two items have the sign of their order. If one of them has no position, they have the expected sign, which is
    /// the weight of the other item. The number in this variant is the start of items without a position.
    Sign(f64),
}

/// For each item: the first rank of its block, its weight, and the number of an ordered pair of items of its block.
#[derive(Clone, Copy)]
pub(crate) struct TiedGroup<'a> {
    pub(crate) starts: &'a [TiedLanes],
    pub(crate) weights: &'a [TiedLanes],
    pub(crate) tied: &'a [TiedLanes],
}

task! {
    /// Appends the features of some pairs of items. With one feature for each pair, it is the number of (i, j) minus
    /// the number of (j, i). With two features, they are these two numbers.
    pub(crate) fn tied_features(
        _arch: A, join: TiedJoin, group: TiedGroup<'_>, pairs: &[(u32, u32)], out: &mut [TiedLanes],
    ) {
        match join {
            TiedJoin::Product => each_pair(group, pairs, out, |a, b| a * b),
            TiedJoin::Sum => each_pair(group, pairs, out, |a, b| a + b),
            TiedJoin::Sign(open) => expected_signs(open, group, pairs, out),
        }
    }
}

#[inline(always)]
fn each_pair(group: TiedGroup<'_>, pairs: &[(u32, u32)], out: &mut [TiedLanes], join: impl Fn(f64, f64) -> f64 + Copy) {
    let TiedGroup { starts, weights, tied } = group;
    let one = out.len() == pairs.len();
    for (index, &(i, j)) in pairs.iter().enumerate() {
        let (i, j) = (i as usize, j as usize);
        let (a, b, p, q, tied) = (&starts[i], &starts[j], &weights[i], &weights[j], &tied[i]);
        if one {
            let out = &mut out[index];
            for lane in 0..LANES {
                let value = join(p[lane], q[lane]);
                let turned = if a[lane] > b[lane] { -value } else { 0.0 };
                out[lane] = if a[lane] < b[lane] { value } else { turned };
            }
        } else {
            let [before, after] = out[2 * index..].first_chunk_mut().expect("two for each pair");
            for lane in 0..LANES {
                let value = join(p[lane], q[lane]);
                let tied = if a[lane] == b[lane] { tied[lane] } else { 0.0 };
                before[lane] = if a[lane] < b[lane] { value } else { tied };
                after[lane] = if a[lane] > b[lane] { value } else { tied };
            }
        }
    }
}

#[inline(always)]
fn expected_signs(open: f64, group: TiedGroup<'_>, pairs: &[(u32, u32)], out: &mut [TiedLanes]) {
    let TiedGroup { starts, weights, .. } = group;
    for (&(i, j), out) in pairs.iter().zip(out) {
        let (i, j) = (i as usize, j as usize);
        let (a, b, p, q) = (&starts[i], &starts[j], &weights[i], &weights[j]);
        for lane in 0..LANES {
            let sign = if b[lane] == open { p[lane] } else { 1.0 };
            let turned = if a[lane] == open { q[lane] } else { 1.0 };
            let turned = if a[lane] > b[lane] { -turned } else { 0.0 };
            out[lane] = if a[lane] < b[lane] { sign } else { turned };
        }
    }
}
