//! Fills tiles row by row. The lists of the columns are indexed by item, so that the items of a row lead to the columns
//! that have them too. All other values of the row follow from quantities of the single lists.

use super::setting::ListSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::lists::{ListWorkspace, Listed};
use crate::memory;
use crate::parallel::{Cancel, Poll};
use crate::rankings::lists::List;
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
    index: Index,
}

/// The lists that have an item, and its positions in them.
#[derive(Default)]
struct Index {
    /// Item, list and position in the list, sorted in this order.
    entries: Vec<[u32; 3]>,
    /// For each list the items that the row also has, by their positions in both.
    common: Vec<Vec<[u32; 2]>>,
}

impl Index {
    /// Indexes these lists.
    fn fill<'a>(&mut self, lists: impl ExactSizeIterator<Item = List<'a>>) -> Result<(), Error> {
        self.entries.clear();
        self.common.resize_with(lists.len(), Vec::new);
        for (number, list) in (0..).zip(lists) {
            let count = self.entries.len() + list.len();
            memory::reserve(&mut self.entries, count)?;
            self.entries.extend((0..).zip(list).map(|(place, &[item, _])| [item, number, place]));
        }
        self.entries.sort_unstable();
        Ok(())
    }

    /// Finds the items that a list has in common with each of the indexed lists.
    fn find(&mut self, list: List<'_>) -> Result<(), Error> {
        self.common.iter_mut().for_each(Vec::clear);
        let mut rest = &self.entries[..];
        for (place, &[item, _]) in (0..).zip(list) {
            rest = &rest[rest.partition_point(|entry| entry[0] < item)..];
            while let [[found, number, other], others @ ..] = rest
                && *found == item
            {
                memory::push(&mut self.common[*number as usize], [place, *other])?;
                rest = others;
            }
        }
        Ok(())
    }
}

impl Fill for ListPairs<'_> {
    type Scratch = ListScratch;

    fn scratch(&self, cancel: &Cancel) -> Result<ListScratch, Error> {
        Ok(ListScratch { memory: self.setting.memory(self.isa, cancel)?, index: Index::default() })
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
        let begin = |row: usize, index: &mut Index| {
            let list = setting.x.row(row);
            index.find(list)?;
            setting.listed(list).map(|listed| (row, listed))
        };
        let mut failed = None;
        let mut value = |row: usize, column: usize| {
            if of_row.as_ref().is_none_or(|(known, _)| *known != row) {
                of_row = Some(begin(row, index)?);
            }
            let Some((_, s)) = &mut of_row else { return Ok(0.0) };
            let place = column - columns.start;
            let (t, common) = (&mut of_columns[place], &index.common[place]);
            let sum = if common.is_empty() { sums.disjoint(s, t)? } else { sums.of_common(s, t, common, memory)? };
            Ok(setting.finished(setting.value_from_sum(sum), row, column))
        };
        tile.fill_while(self.interval, poll, |row, column| {
            value(row, column).map_err(|error| failed = Some(error)).ok()
        });
        failed.map_or(Ok(()), Err)
    }
}
