//! The strategies that compute pairs of rankings with ties one by one.

use std::ops::Range;

use super::setting::{Ready, TiedSetting};
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::incomplete::TiedWorkspace;
use crate::memory;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Incomplete;
use crate::simd::Isa;

/// One pair of rankings at a time.
pub(super) struct TiedPairs<'a> {
    pub(super) setting: &'a TiedSetting<'a>,
    pub(super) isa: Option<Isa>,
    pub(super) interval: usize,
}

impl Fill for TiedPairs<'_> {
    type Scratch = TiedWorkspace;

    fn scratch(&self, cancel: &Cancel) -> Result<TiedWorkspace, Error> {
        self.setting.memory(self.isa, cancel)
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        memory: &mut TiedWorkspace,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let ready = |set: &Incomplete, rows: Range<usize>| -> Result<Vec<Ready>, Error> {
            let mut all = memory::with_capacity(rows.len())?;
            for row in rows {
                all.push(setting.ready(set, row)?);
            }
            Ok(all)
        };
        let (of_rows, of_columns) = (ready(setting.x, rows.clone())?, ready(setting.y, columns.clone())?);
        tile.fill_while(self.interval, poll, |row, column| {
            let s = (setting.x, row, &of_rows[row - rows.start]);
            let t = (setting.y, column, &of_columns[column - columns.start]);
            Some(setting.finished(setting.value(s, t, memory), row, column))
        });
        Ok(())
    }
}
