//! The strategy for incomplete rankings of few items: a matrix product of features, computed block by block.

use std::ops::Range;

use super::setting::TiedSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::memory;
use crate::pair::anywhere::expected_signs;
use crate::pair::pairs_of;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{GroupRow, Real};
use crate::simd::tied::{LANES, TiedGroup, TiedJoin, TiedLanes, tied_features};
use crate::weight::kinds::PairWeight;

/// The number of features in a block, the same as for complete rankings.
const BLOCK: usize = 112;

/// A matrix product of the numbers of pairs of items in each ranking.
pub(in crate::gram) struct Features<'a> {
    setting: &'a TiedSetting<'a>,
    isa: Isa,
    join: TiedJoin,
    pairs: Vec<(u32, u32)>,
}

/// Memory for one thread.
#[derive(Default)]
pub(in crate::gram) struct TiedPanels {
    rows: TiedPanel,
    columns: TiedPanel,
    sums: Vec<Square<LANES>>,
}

/// Groups of rankings, item by item, and the features of a block of pairs.
#[derive(Default)]
struct TiedPanel {
    starts: Vec<TiedLanes>,
    weights: Vec<TiedLanes>,
    tied: Vec<TiedLanes>,
    features: Vec<TiedLanes>,
}

impl<'a> Features<'a> {
    pub(in crate::gram) fn new(setting: &'a TiedSetting<'a>, isa: Isa) -> Result<Self, Error> {
        let items = setting.x.items();
        let join = match setting.weight {
            PairWeight::Count { top: None } if setting.unknown => TiedJoin::Sign(items as f64),
            PairWeight::Sums(_) => TiedJoin::Sum,
            PairWeight::Count { .. } | PairWeight::Products(_) => TiedJoin::Product,
            PairWeight::Average => {
                return Err(Error::CannotCompute { name: "product".to_owned() });
            }
        };
        Ok(Self { setting, isa, join, pairs: all_pairs(items)? })
    }

    /// Arranges rankings side by side, one group after another.
    fn load(&self, set: &Incomplete, range: Range<usize>, panel: &mut TiedPanel) -> Result<(), Error> {
        let items = set.items();
        let TiedPanel { starts, weights, tied, .. } = panel;
        for lanes in [&mut *starts, weights, tied] {
            lanes.clear();
            memory::resize(lanes, range.len().div_ceil(LANES) * items, GroupRow([0.0; LANES]))?;
        }
        let mut of_items = memory::with_capacity(items)?;
        for (index, row) in range.enumerate() {
            let (first, lane) = (index / LANES * items, index % LANES);
            let blocks = set.row(row);
            if self.setting.unknown {
                expected_signs(blocks, &mut of_items);
            }
            let means = self.setting.means(set, row)?;
            for (item, &start) in blocks.starts.iter().enumerate() {
                let at = first + item;
                starts[at][lane] = start.into();
                if self.setting.unknown {
                    weights[at][lane] = of_items[item];
                } else {
                    weights[at][lane] = means.of_block[start as usize];
                    tied[at][lane] = means.of_tied[start as usize];
                }
            }
        }
        Ok(())
    }

    /// Computes the features of some pairs of items in all groups, `each` features for a pair.
    fn make(&self, pairs: &[(u32, u32)], each: usize, panel: &mut TiedPanel) -> Result<(), Error> {
        let TiedPanel { starts, weights, tied, features } = panel;
        let (items, length) = (self.setting.x.items().max(1), pairs.len() * each);
        features.clear();
        memory::resize(features, starts.len() / items * length, GroupRow([0.0; LANES]))?;
        let groups = starts.chunks_exact(items).zip(weights.chunks_exact(items)).zip(tied.chunks_exact(items));
        for (((starts, weights), tied), features) in groups.zip(features.chunks_exact_mut(length.max(1))) {
            tied_features(self.isa, self.join, TiedGroup { starts, weights, tied }, pairs, features);
        }
        Ok(())
    }
}

impl Fill for Features<'_> {
    type Scratch = TiedPanels;

    fn scratch(&self, _: &Cancel) -> Result<TiedPanels, Error> {
        Ok(TiedPanels::default())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        panels: &mut TiedPanels,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let TiedPanels { rows: left, columns: right, sums } = panels;
        self.load(setting.x, rows.clone(), left)?;
        self.load(setting.y, columns.clone(), right)?;
        let squares: Vec<(usize, usize)> = memory::collect(tile.squares::<LANES>())?;
        sums.clear();
        memory::resize(sums, squares.len(), [[0.0; LANES]; LANES])?;
        let each = if setting.is_skew() { 1 } else { 2 };
        for (index, pairs) in self.pairs.chunks(BLOCK / each).enumerate() {
            if poll.is_cancelled() {
                return Ok(());
            }
            self.make(pairs, each, left)?;
            self.make(pairs, each, right)?;
            let length = pairs.len() * each;
            for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                let (row, column) = (&left.features[row * length..], &right.features[column * length..]);
                f64::multiply(self.isa, &row[..length], &column[..length], index > 0, sums);
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
            for (row, sums) in (rows.start + row * LANES..rows.end).zip(sums) {
                for sum in &mut *sums {
                    *sum = setting.value_from_sum(*sum);
                }
                setting.finish_row(self.isa, row, columns.start + column * LANES, sums);
            }
        }
        tile.store(self.isa, sums);
        Ok(())
    }
}

fn all_pairs(items: usize) -> Result<Vec<(u32, u32)>, Error> {
    let mut pairs = memory::with_capacity(pairs_of(items as u64) as usize)?;
    for j in 0..items as u32 {
        pairs.extend((0..j).map(|i| (i, j)));
    }
    Ok(pairs)
}
