//! The strategy for the average kernel of few items with ties. It uses bits of predecessors, and a table of the terms
//! of the later item of a pair.
//!
//! The term of a pair depends on the two blocks of its later item, and on where the pair is tied: in neither ranking,
//! in the first, in the second, or in both. Each item has bits for the items before it, and bits for the items tied
//! with it. For two rankings, this gives four counts of common bits. The four counts are multiplied by four numbers
//! from the table, and added up: this is the sum over all pairs with this later item.

use std::ops::Range;

use super::setting::TiedSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::memory;
use crate::pair::tops::top_block;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::tops::{Four, PackedItem, in_tops_of, sum_later};

pub(super) struct TiedLater<'a> {
    setting: &'a TiedSetting<'a>,
    isa: Isa,
    /// For each first rank and size, the index of the block, if this block occurs.
    numbers: Vec<u32>,
    /// The number of blocks that occur.
    blocks: usize,
    /// The four numbers for every two blocks, row by row.
    table: Vec<Four>,
}

/// Memory for one thread: the items of the rankings of a tile.
#[derive(Default)]
pub(super) struct LaterPanels {
    rows: Vec<PackedItem>,
    columns: Vec<PackedItem>,
}

impl<'a> TiedLater<'a> {
    /// The strategy for at most 64 items.
    pub(super) fn new(setting: &'a TiedSetting<'a>, isa: Isa) -> Result<Self, Error> {
        let items = setting.x.items();
        let mut numbers = memory::filled(items * (items + 1), u32::MAX)?;
        let mut found = Vec::new();
        for set in [Some(setting.x), setting.other()].into_iter().flatten() {
            for block in (0..set.rows()).flat_map(|row| set.row(row).ranges()) {
                let number = &mut numbers[block.start * (items + 1) + block.len()];
                if *number == u32::MAX {
                    *number = found.len() as u32;
                    memory::push(&mut found, top_block(&block))?;
                }
            }
        }
        let mut table = memory::with_capacity(found.len() * found.len())?;
        for &block in &found {
            in_tops_of(isa, items, block, &found, &mut table);
        }
        Ok(Self { setting, isa, numbers, blocks: found.len(), table })
    }

    /// Packs the items of rankings; the indices of their blocks are multiplied by a factor.
    fn pack(
        &self,
        set: &Incomplete,
        rows: Range<usize>,
        (factor, planes): (usize, [usize; 4]),
        out: &mut Vec<PackedItem>,
    ) -> Result<(), Error> {
        let items = set.items();
        out.clear();
        memory::resize(out, rows.len() * items, PackedItem::default())?;
        for (row, out) in rows.zip(out.chunks_exact_mut(items.max(1))) {
            let blocks = set.row(row);
            let mut before = 0;
            for block in blocks.ranges() {
                let number = self.numbers[block.start * (items + 1) + block.len()] as usize;
                let members = blocks.order[block].iter().fold(0, |bits, &item| bits | 1_u64 << item);
                let mut left = members;
                while left != 0 {
                    let item = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let of_item = [before, members & !(1 << item)];
                    out[item] = PackedItem { planes: planes.map(|plane| of_item[plane]), block: number * factor };
                }
                before |= members;
            }
        }
        Ok(())
    }
}

impl Fill for TiedLater<'_> {
    type Scratch = LaterPanels;

    fn scratch(&self, _: &Cancel) -> Result<LaterPanels, Error> {
        Ok(LaterPanels::default())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        LaterPanels { rows: left, columns: right }: &mut LaterPanels,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let (setting, items) = (self.setting, self.setting.x.items());
        let (rows, columns) = (tile.rows(), tile.columns());
        self.pack(setting.x, rows.clone(), (self.blocks, [0, 1, 0, 1]), left)?;
        self.pack(setting.y, columns.clone(), (1, [0, 0, 1, 1]), right)?;
        let mut values = memory::filled(columns.len(), 0.0)?;
        let mut last = usize::MAX;
        tile.fill(|row, column| {
            if row != last {
                if poll.is_cancelled() {
                    return None;
                }
                last = row;
                let s = &left[(row - rows.start) * items..][..items];
                let first = column - columns.start;
                sum_later(self.isa, s, &right[first * items..], &self.table, &mut values[first..]);
                for value in &mut values[first..] {
                    *value /= items.max(1) as f64;
                }
                setting.finish_row(self.isa, row, column, &mut values[first..]);
            }
            Some(values[column - columns.start])
        });
        Ok(())
    }
}
