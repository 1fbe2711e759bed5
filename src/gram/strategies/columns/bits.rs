//! Columns as bits. Each pair of observations has three bits: the order of the pair, whether it is decided (not tied),
//! and whether both observations are present.
//!
//! Let o, d and p be these three bits, and n the number of common observations. Then
//!
//! ```text
//! balance             = ones in (d & d' & !(o ^ o')) - ones in (d & d' & (o ^ o'))
//! pairs tied in a row = n (n - 1) / 2 - ones in (d & p')
//! ```
//!
//! The last count is needed only if one column has ties and the other column has missing observations. Without ties and
//! missing observations, the first bit is enough.

use std::ops::Range;

use super::CountPairs;
use super::sides::{ColumnSide, Needs};
use crate::error::Error;
use crate::gram::strategies::packed::{BitBlock, Ranks, blocks_of_pairs, interleave};
use crate::gram::tiles::TileShape;
use crate::memory;
use crate::pair::observed::{Observed, TieSums};
use crate::pair::pairs_of;
use crate::parallel::{Cancel, Poll};
use crate::simd::Isa;
use crate::simd::bits::{self, GROUP};
use crate::simd::observed::{self, PLANES};

/// All columns, ready to be converted to bits.
pub(super) struct ObservedBits<'a> {
    isa: Isa,
    x: BitSide<'a>,
    /// The columns of the result. `None` if they are the rows of the result.
    y: Option<BitSide<'a>>,
    blocks: Vec<BitBlock>,
    items: usize,
    /// Whether sums over triples of tied observations are needed.
    triples: bool,
}

struct BitSide<'a> {
    side: &'a ColumnSide<'a>,
    ranks: Ranks,
    /// For each column, a bit for each observation: whether it is present.
    present: Vec<u64>,
}

/// Which bits are needed for two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Planes {
    #[default]
    Order,
    Decided,
    Present,
}

impl Planes {
    /// The bits that pairs of columns with these needs require.
    fn of(rows: Needs, columns: Needs) -> Self {
        if rows.ties && columns.gaps || rows.gaps && columns.ties {
            Self::Present
        } else if rows != Needs::default() || columns != Needs::default() {
            Self::Decided
        } else {
            Self::Order
        }
    }

    fn count(self) -> usize {
        match self {
            Self::Order => 1,
            Self::Decided => 2,
            Self::Present => PLANES,
        }
    }

    /// The number of counts for each pair of columns.
    fn counts(self) -> usize {
        if self == Self::Present { PLANES } else { 1 }
    }
}

/// Memory for one thread.
#[derive(Default)]
pub(super) struct ObservedPanels {
    rows: Vec<u64>,
    columns: Vec<u64>,
    one: Vec<u64>,
    counts: Vec<u64>,
    planes: Planes,
    first: (usize, usize),
    width: usize,
}

impl<'a> ObservedBits<'a> {
    pub(super) fn new(
        isa: Isa,
        x: &'a ColumnSide<'a>,
        y: Option<&'a ColumnSide<'a>>,
        triples: bool,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let items = x.set.items();
        let side = |side| BitSide::new(side, cancel);
        Ok(Self { isa, x: side(x)?, y: y.map(side).transpose()?, blocks: blocks_of_pairs(items)?, items, triples })
    }

    fn columns(&self) -> &BitSide<'a> {
        self.y.as_ref().unwrap_or(&self.x)
    }

    fn pack(
        &self,
        side: &BitSide<'_>,
        places: Range<usize>,
        (block, planes): (&BitBlock, Planes),
        out: &mut Vec<u64>,
    ) -> Result<(), Error> {
        out.clear();
        memory::reserve(out, places.len() * planes.count() * block.words)?;
        for place in places {
            let (ranks, later) = (side.ranks.row(place), block.items.clone());
            match planes {
                Planes::Order => bits::pack_signs(self.isa, ranks, later, out),
                Planes::Decided | Planes::Present => {
                    observed::pack_observed(self.isa, ranks, later, self.items as u16, planes.count(), out);
                }
            }
        }
        Ok(())
    }

    /// The ties of one of two columns among their common observations; `tied` is the number of tied pairs.
    fn ties(&self, (side, place): (&BitSide<'_>, usize), other: (&BitSide<'_>, usize), tied: u64) -> TieSums {
        if !side.side.needs(place).ties || !other.0.side.needs(other.1).gaps {
            return side.side.ties[place];
        }
        if !self.triples {
            return TieSums { pairs: tied, triples: 0.0 };
        }
        let present = other.0.present_at(other.1, self.items);
        TieSums::among(side.side.column(place), |item| present[item / 64] >> (item % 64) & 1 == 1)
    }
}

impl<'a> BitSide<'a> {
    fn new(side: &'a ColumnSide<'a>, cancel: &Cancel) -> Result<Self, Error> {
        let items = side.set.items();
        let ranks = Ranks::new((side.len(), items), |place| side.column(place).starts, cancel)?;
        let words = items.div_ceil(64);
        let mut present = memory::filled(side.len() * words, 0)?;
        for (place, present) in present.chunks_exact_mut(words.max(1)).enumerate() {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            let column = side.column(place);
            for &item in &column.order[..column.placed] {
                present[item as usize / 64] |= 1 << (item % 64);
            }
        }
        Ok(Self { side, ranks, present })
    }

    fn present_at(&self, place: usize, items: usize) -> &[u64] {
        let words = items.div_ceil(64);
        &self.present[place * words..(place + 1) * words]
    }
}

impl CountPairs for ObservedBits<'_> {
    type Scratch = ObservedPanels;

    fn scratch(&self, _: &Cancel) -> Result<ObservedPanels, Error> {
        Ok(ObservedPanels::default())
    }

    fn prepare(&self, shape: &TileShape, panels: &mut ObservedPanels, poll: &mut Poll<'_>) -> Result<bool, Error> {
        let TileShape { rows: of_rows, columns: of_columns, diagonal } = shape;
        let side = self.columns();
        let planes = Planes::of(self.x.side.needs_of(of_rows.clone()), side.side.needs_of(of_columns.clone()));
        panels.planes = planes;
        panels.first = (of_rows.start, of_columns.start);
        panels.width = of_columns.len().next_multiple_of(GROUP);
        let ObservedPanels { rows, columns, one, counts, width, .. } = panels;
        counts.clear();
        memory::resize(counts, of_rows.len() * planes.counts() * *width, 0)?;
        for block in &self.blocks {
            if poll.is_cancelled() {
                return Ok(false);
            }
            let length = planes.count() * block.words;
            self.pack(&self.x, of_rows.clone(), (block, planes), rows)?;
            if *diagonal {
                interleave(length, rows.chunks_exact(length), columns)?;
            } else {
                self.pack(side, of_columns.clone(), (block, planes), one)?;
                interleave(length, one.chunks_exact(length), columns)?;
            }
            match planes {
                Planes::Order => bits::count_differing(self.isa, block.words, *diagonal, rows, columns, counts),
                Planes::Decided => bits::count_balance(self.isa, block.words, *diagonal, rows, columns, counts),
                Planes::Present => observed::count_observed(self.isa, block.words, *diagonal, rows, columns, counts),
            }
        }
        Ok(true)
    }

    fn observed(&self, row: usize, column: usize, panels: &mut ObservedPanels) -> Result<Observed, Error> {
        let (side, width) = (self.columns(), panels.width);
        let at = (row - panels.first.0) * panels.planes.counts() * width + column - panels.first.1;
        let gaps = self.x.side.needs(row).gaps || side.side.needs(column).gaps;
        let observations = if gaps {
            let both = self.x.present_at(row, self.items).iter().zip(side.present_at(column, self.items));
            both.map(|(one, other)| u64::from((one & other).count_ones())).sum()
        } else {
            self.items as u64
        };
        let all = pairs_of(observations);
        let count = panels.counts[at];
        if panels.planes == Planes::Order {
            let balance = all.cast_signed() - 2 * count.cast_signed();
            return Ok(Observed { observations, balance, ties: [TieSums::default(); 2] });
        }
        let tied = |line: usize| panels.counts.get(at + line * width).map_or(0, |&decided| all.wrapping_sub(decided));
        let (of_row, of_column) = ((&self.x, row), (side, column));
        let ties = [self.ties(of_row, of_column, tied(1)), self.ties(of_column, of_row, tied(2))];
        Ok(Observed { observations, balance: count.cast_signed(), ties })
    }
}
