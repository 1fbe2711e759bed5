//! Computes one pair of columns at a time. If the columns have few distinct values, counts come from a table of these
//! values. Otherwise they come from sums over a permutation.

use super::CountPairs;
use super::sides::ColumnSide;
use crate::error::Error;
use crate::gram::cost::CELLS_AN_ITEM;
use crate::gram::tiles::TileShape;
use crate::memory;
use crate::pair::incomplete::{Need, TiedWorkspace};
use crate::pair::observed::{ColumnLevels, LevelTable, Observed, by_sorting};
use crate::parallel::{Cancel, Poll};
use crate::simd::Isa;
use crate::weight::kinds::PairWeight;

pub(super) struct ObservedPairs<'a> {
    /// `None` if neither vector instructions nor tables are used.
    pub(super) isa: Option<Isa>,
    pub(super) x: &'a ColumnSide<'a>,
    pub(super) y: &'a ColumnSide<'a>,
}

/// Memory for one thread.
pub(super) struct Room {
    workspace: TiedWorkspace,
    table: LevelTable,
    /// The levels of the rows and of the columns of a tile.
    levels: [(usize, Vec<ColumnLevels>); 2],
}

impl CountPairs for ObservedPairs<'_> {
    type Scratch = Room;

    fn scratch(&self, cancel: &Cancel) -> Result<Room, Error> {
        let weight = &PairWeight::Count { top: None };
        let need = Need { weight, signed: true, unknown: true, most_cells: 0 };
        let workspace = TiedWorkspace::new(need, self.x.set.items(), self.isa, cancel)?;
        Ok(Room { workspace, table: LevelTable::default(), levels: [(0, Vec::new()), (0, Vec::new())] })
    }

    fn prepare(&self, shape: &TileShape, room: &mut Room, poll: &mut Poll<'_>) -> Result<bool, Error> {
        if self.isa.is_none() {
            return Ok(true);
        }
        let sides = [(self.x, &shape.rows), (self.y, &shape.columns)];
        for ((side, places), (first, levels)) in sides.into_iter().zip(&mut room.levels) {
            *first = places.start;
            levels.clear();
            memory::reserve(levels, places.len())?;
            for place in places.clone() {
                if poll.is_cancelled() {
                    return Ok(false);
                }
                levels.push(ColumnLevels::of(side.column(place))?);
            }
        }
        Ok(true)
    }

    fn observed(&self, row: usize, column: usize, room: &mut Room) -> Result<Observed, Error> {
        let Room { workspace, table, levels: [(row_from, of_rows), (column_from, of_columns)] } = room;
        if self.isa.is_some() {
            let max = CELLS_AN_ITEM * self.x.set.items();
            let (s, t) = (&of_rows[row - *row_from], &of_columns[column - *column_from]);
            if let Some(found) = table.count(s, t, max)? {
                return Ok(found);
            }
        }
        Ok(by_sorting(self.x.column(row), self.y.column(column), workspace))
    }
}
