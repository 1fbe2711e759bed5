//! Fills tiles row by row. The lists of the columns are indexed by item. For each item of a row, the index gives the
//! columns that also have this item. The row and any other column have no common item; these values follow from numbers
//! of the single lists.

use super::setting::ListSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::memory;
use crate::pair::lists::{CommonItems, ListWorkspace, Listed};
use crate::parallel::{Cancel, Poll};
use crate::simd::Isa;

/// One pair of lists at a time.
pub(super) struct ListPairs<'a> {
    pub(super) setting: &'a ListSetting<'a>,
    pub(super) isa: Option<Isa>,
    pub(super) interval: usize,
}

/// Memory for one thread.
pub(super) struct ListScratch {
    memory: ListWorkspace,
    index: CommonItems,
}

impl Fill for ListPairs<'_> {
    type Scratch = ListScratch;

    fn scratch(&self, cancel: &Cancel) -> Result<ListScratch, Error> {
        Ok(ListScratch { memory: self.setting.memory(self.isa, cancel)?, index: CommonItems::default() })
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        ListScratch { memory, index }: &mut ListScratch,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let sums = setting.sums();
        let columns = tile.columns();
        index.fill(columns.clone().map(|column| setting.y.row(column)))?;
        let mut of_columns = memory::with_capacity(columns.len())?;
        for column in columns.clone() {
            of_columns.push(setting.listed(setting.y.row(column))?);
        }
        let mut of_row: Option<(usize, Listed<'_>)> = None;
        let begin = |row: usize, index: &mut CommonItems| {
            let list = setting.x.row(row);
            index.find(list);
            setting.listed(list).map(|listed| (row, listed))
        };
        let mut failed = None;
        let mut value = |row: usize, column: usize| {
            if of_row.as_ref().is_none_or(|(known, _)| *known != row) {
                of_row = Some(begin(row, index)?);
            }
            let Some((_, s)) = &mut of_row else { return Ok(0.0) };
            let place = column - columns.start;
            let (t, common) = (&mut of_columns[place], index.with(place));
            let sum = if common.is_empty() { sums.disjoint(s, t)? } else { sums.of_common(s, t, common, memory)? };
            Ok(setting.finished(setting.value_from_sum(sum), row, column))
        };
        tile.fill_while(self.interval, poll, |row, column| {
            value(row, column).map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(Ok(()), Err)
    }
}
