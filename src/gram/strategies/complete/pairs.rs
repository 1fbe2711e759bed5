//! The strategies that compute pairs of rankings one by one, for every measure and any n: the partition algorithm, or a
//! grid of positions and values with vector instructions.

use crate::error::Error;
use crate::gram::plan::cost::{STOP_CHECK_INTERVAL_NS, partition_ns};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::Workspace;
use crate::measure::KendallMeasure;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Rankings;
use crate::simd::Isa;

pub(in crate::gram) struct Pairs<'a> {
    measure: &'a KendallMeasure,
    x: &'a Rankings,
    y: &'a Rankings,
    /// The instruction set for grids, or `None` for the partition algorithm.
    isa: Option<Isa>,
    /// The number of pairs between two checks for cancellation.
    interval: usize,
}

impl<'a> Pairs<'a> {
    /// For rankings of as many items as the measure has.
    pub(in crate::gram) fn new(
        isa: Option<Isa>,
        measure: &'a KendallMeasure,
        x: &'a Rankings,
        y: &'a Rankings,
    ) -> Self {
        Self { measure, x, y, isa, interval: (STOP_CHECK_INTERVAL_NS / partition_ns(measure)) as usize }
    }
}

impl Fill for Pairs<'_> {
    type Scratch = Workspace;

    fn scratch(&self, cancel: &Cancel) -> Result<Workspace, Error> {
        let mut workspace = Workspace::for_run(self.isa, cancel);
        self.measure.prepare(&mut workspace)?;
        Ok(workspace)
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Workspace,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        tile.fill_while(self.interval, poll, |row, column| {
            Some(self.measure.between_trusted(self.x.row(row), self.y.row(column), scratch))
        });
        Ok(())
    }
}
