//! The strategy that takes the pairs of rankings one by one: the partition algorithm, for every measure and any n.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Element;
use super::tiles::Tile;
use crate::kappa::Workspace;
use crate::measure::Measure;
use crate::ranking::Rankings;

pub(super) struct Pairs<'a> {
    measure: &'a Measure,
    x: &'a Rankings,
    y: &'a Rankings,
}

impl<'a> Pairs<'a> {
    /// For rankings of as many items as the measure has.
    pub(super) fn new(measure: &'a Measure, x: &'a Rankings, y: &'a Rankings) -> Self {
        Self { measure, x, y }
    }

    /// What a thread needs for itself.
    pub(super) fn scratch(&self) -> Workspace {
        Workspace::new(self.measure.items())
    }

    /// Fills a tile; leaves it half done when `stop` is set.
    pub(super) fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, scratch: &mut Workspace, stop: &AtomicBool) {
        tile.fill(
            || !stop.load(Ordering::Relaxed),
            |row, column| self.measure.between_trusted(self.x.row(row), self.y.row(column), scratch),
        );
    }
}
