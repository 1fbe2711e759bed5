//! The strategy for incomplete rankings of few items: a matrix product of features, made block by block.

use std::ops::Range;

use super::setting::Setting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::anywhere::expected_signs;
use crate::kappa::pairs_of;
use crate::memory;
use crate::parallel::{Proceed, Stop};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{Real, Row};
use crate::weight::means::Means;

/// Rankings side by side in a product.
const G: usize = 24;
/// Features in a block, as for complete rankings.
const BLOCK: usize = 112;

/// A matrix product of what pairs of items have in each ranking.
pub(in crate::gram) struct Features<'a> {
    setting: &'a Setting<'a>,
    isa: Isa,
    pairs: Vec<(u32, u32)>,
}

/// Memory for one thread.
#[derive(Default)]
pub(in crate::gram) struct TiedPanels {
    rows: Vec<Row<f64, G>>,
    columns: Vec<Row<f64, G>>,
    sums: Vec<Square<G>>,
}

/// What the features of a ranking are made of.
enum Source {
    Means(Means),
    ExpectedSigns(Vec<f64>),
}

impl<'a> Features<'a> {
    pub(in crate::gram) fn new(setting: &'a Setting<'a>, isa: Isa) -> Result<Self, Error> {
        Ok(Self { setting, isa, pairs: all_pairs(setting.x.items())? })
    }

    fn sources(&self, set: &Incomplete, range: Range<usize>) -> Result<Vec<Source>, Error> {
        let mut sources = memory::with_capacity(range.len())?;
        for row in range {
            sources.push(if self.setting.unknown {
                let mut of_items = memory::with_capacity(set.items())?;
                expected_signs(set.row(row), &mut of_items);
                Source::ExpectedSigns(of_items)
            } else {
                Source::Means(self.setting.means(set, row)?)
            });
        }
        Ok(sources)
    }

    /// Makes the features of some pairs of items for rankings from `first` on, in groups, one group after the other.
    fn make(
        &self,
        set: &Incomplete,
        first: usize,
        sources: &[Source],
        pairs: &[(u32, u32)],
        panel: &mut Vec<Row<f64, G>>,
    ) -> Result<(), Error> {
        let each = if self.setting.is_skew() { 1 } else { 2 };
        let length = pairs.len() * each;
        panel.clear();
        memory::resize(panel, sources.len().div_ceil(G) * length, Row([0.0; G]))?;
        for (index, source) in sources.iter().enumerate() {
            let (group, lane) = (index / G, index % G);
            let features = panel[group * length..][..length].chunks_exact_mut(each);
            let blocks = set.row(first + index);
            for (&(i, j), out) in pairs.iter().zip(features) {
                let (a, b) = (blocks.starts[i as usize], blocks.starts[j as usize]);
                match source {
                    Source::ExpectedSigns(expected_signs) => {
                        let (i, j) = (expected_signs[i as usize], expected_signs[j as usize]);
                        let placed = blocks.placed as u32;
                        out[0][lane] = match (a < placed, b < placed) {
                            (true, true) => f64::from(u8::from(a < b)) - f64::from(u8::from(a > b)),
                            (true, false) => i,
                            (false, true) => -j,
                            (false, false) => 0.0,
                        };
                    }
                    Source::Means(means) => {
                        let (before, after) = means.of_pair(self.setting.weight, a, b);
                        match out {
                            [one] => one[lane] = before - after,
                            [one, other] => (one[lane], other[lane]) = (before, after),
                            _ => {}
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Fill for Features<'_> {
    type Scratch = TiedPanels;

    fn scratch(&self, _: &Stop) -> Result<TiedPanels, Error> {
        Ok(TiedPanels::default())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        panels: &mut TiedPanels,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let of_rows = self.sources(setting.x, rows.clone())?;
        let of_columns = self.sources(setting.y, columns.clone())?;
        let squares: Vec<(usize, usize)> = memory::collect(tile.squares::<G>())?;
        let TiedPanels { rows: left, columns: right, sums } = panels;
        sums.clear();
        memory::resize(sums, squares.len(), [[0.0; G]; G])?;
        for pairs in self.pairs.chunks(if setting.is_skew() { BLOCK } else { BLOCK / 2 }) {
            if !proceed() {
                return Ok(());
            }
            self.make(setting.x, rows.start, &of_rows, pairs, left)?;
            self.make(setting.y, columns.start, &of_columns, pairs, right)?;
            let length = pairs.len() * if setting.is_skew() { 1 } else { 2 };
            for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                let (row, column) = (&left[row * length..][..length], &right[column * length..][..length]);
                f64::multiply(self.isa, row, column, true, sums);
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
            for (row, sums) in (rows.start + row * G..rows.end).zip(sums) {
                for sum in &mut *sums {
                    *sum = setting.of_sum(*sum);
                }
                setting.finish_row(self.isa, row, columns.start + column * G, sums);
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
