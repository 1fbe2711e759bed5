//! Concordant and discordant pairs of rankings with items that can be anywhere.

use super::concordant_of;
use super::incomplete::{Reversed, TiedWorkspace, place, split_pairs};
use crate::rankings::tied::Blocks;
use crate::weight::pair::Terms;

/// The mean number of concordant pairs minus the mean number of discordant pairs, if items without a position can be
/// anywhere.
///
/// In one ranking, let e be the probability that i comes before j, minus the probability that i comes after j. Let e'
/// be the same number in the other ranking. The pair (i, j) adds e e'. Suppose that k items have a position, that i is
/// one of them, and that j has no position. Then e is 1 - 2 r / (k + 1), where r is the mean rank of the block of i,
/// from 1. For two items without positions, e is 0.
pub(crate) fn anywhere(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> f64 {
    let items = s.starts.len();
    let has = |blocks: Blocks<'_>, item: usize| (blocks.starts[item] as usize) < blocks.placed;
    let mut sum = 0.0;
    // Both items have positions in both rankings.
    let mut common = std::mem::take(&mut memory.common);
    for (blocks, kept) in [s, t].into_iter().zip(&mut common) {
        keep(blocks, |item| has(s, item) && has(t, item), &mut memory.numbers, kept);
    }
    sum += balance_of_common(&common, memory);
    memory.common = common;
    if memory.workspace.is_stopped() {
        return sum;
    }
    let [in_s, in_t] = &mut memory.expected_signs;
    expected_signs(s, in_s);
    expected_signs(t, in_t);
    let (in_s, in_t) = (&*in_s, &*in_t);
    // One item has a position in both rankings. The other item has a position in only one ranking.
    for (own, other, of_other) in [(s, t, in_t), (t, s, in_s)] {
        let alone = |item: usize| has(own, item) && !has(other, item);
        let all = (0..items).filter(|&item| alone(item)).count() as f64;
        let mut before = 0.0;
        for block in own.ranges() {
            let within = own.order[block.clone()].iter().filter(|&&item| alone(item as usize)).count() as f64;
            for &item in &own.order[block] {
                if has(other, item as usize) {
                    let after = all - before - within;
                    sum += of_other[item as usize] * (after - before);
                }
            }
            before += within;
        }
    }
    // One item has positions in both rankings and the other item in none. Or each item has a position in only one
    // ranking, and these rankings differ.
    let (mut products, mut nowhere, mut alone) = (0.0, 0.0, (0.0, 0.0));
    for item in 0..items {
        match (has(s, item), has(t, item)) {
            (true, true) => products += in_s[item] * in_t[item],
            (true, false) => alone.0 += in_s[item],
            (false, true) => alone.1 += in_t[item],
            (false, false) => nowhere += 1.0,
        }
    }
    sum += nowhere * products - alone.0 * alone.1;
    sum
}

/// For each item with a position, the probability that it comes before an item without a position, minus the
/// probability that it comes after that item.
pub(crate) fn expected_signs(blocks: Blocks<'_>, expected_signs: &mut Vec<f64>) {
    expected_signs.clear();
    expected_signs.resize(blocks.starts.len(), 0.0);
    for block in blocks.ranges() {
        let mean = (block.start + block.end + 1) as f64 / 2.0;
        for &item in &blocks.order[block] {
            expected_signs[item as usize] = 1.0 - 2.0 * mean / (blocks.placed as f64 + 1.0);
        }
    }
}

/// The number of concordant pairs minus the number of discordant pairs, for two rankings of the same few items.
fn balance_of_common([s, t]: &[Reversed; 2], memory: &mut TiedWorkspace) -> f64 {
    let (s, t) = (s.blocks(), t.blocks());
    if !place(s, t, memory) {
        return 0.0;
    }
    2.0 * concordant_of(Terms::Ones, &mut memory.workspace) - split_pairs(s, t, &memory.other_at) as f64
}

/// A ranking restricted to some of the items, which are renumbered.
pub(super) fn keep(blocks: Blocks<'_>, kept: impl Fn(usize) -> bool, numbers: &mut Vec<u32>, into: &mut Reversed) {
    numbers.clear();
    numbers.resize(blocks.starts.len(), u32::MAX);
    let mut count = 0;
    for (item, number) in numbers.iter_mut().enumerate() {
        if kept(item) {
            *number = count;
            count += 1;
        }
    }
    into.starts.resize(count as usize, 0);
    into.order.clear();
    for block in blocks.ranges() {
        let start = into.order.len() as u32;
        for &item in &blocks.order[block] {
            let number = numbers[item as usize];
            if number != u32::MAX {
                into.starts[number as usize] = start;
                into.order.push(number);
            }
        }
    }
    into.complete();
}
