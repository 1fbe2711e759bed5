//! Gram matrices of complete rankings: runs the planned strategy.
//!
//! ```text
//! mod        runs the strategy; one pair of rankings at a time, for every measure
//! bits       packed signs, for measures that are counts
//! product    matrix products of features, for weighted sums of few items
//! factored   the same for tensors of weights given as products of vectors
//! ```

mod bits;
mod factored;
pub(in crate::gram) mod product;

use crate::error::Error;
use crate::gram::cost;
use crate::gram::plan::{GramTask, Plan, Strategy};
use crate::gram::target::{Target, Tiling};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill, Options};
use crate::measure::KendallMeasure;
use crate::pair::Workspace;
use crate::parallel::{self, Cancel, Poll, Workers};
use crate::rankings::Rankings;
use crate::simd::Isa;
use crate::weight::kinds::{TensorWeight, WeightKind};
use bits::bits;
use factored::Factored;
use product::Product;

pub(in crate::gram) fn fill(
    GramTask { measure, single, rows, columns, .. }: GramTask<'_>,
    Plan { strategy, isa, tile, threads, parts, .. }: Plan,
    x: &Rankings,
    y: Option<&Rankings>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    let tiling = Tiling { rows, columns, tile, symmetric: y.is_none() && measure.is_symmetric() };
    let y_or_x = y.unwrap_or(x);
    let mut watch = options.watch;
    let workers = Workers::new(threads, 0.0);
    match strategy {
        Strategy::Bits => {
            let ns = cost::COPY_NS * x.items() as f64 * (rows + columns) as f64;
            let bits = parallel::run_one(ns, parallel::share(&mut watch), |cancel| bits(isa, measure, x, y, cancel))?;
            if parts > 1 {
                return target.run_in_parts(tiling, &bits, parts, workers, watch);
            }
            target.run(tiling, &bits, workers, watch)
        }
        Strategy::Product => match (measure.weight(), single) {
            (WeightKind::Tensors(TensorWeight::Factors { .. }), true) => {
                target.run(tiling, &Factored::<f32, 48>::new(isa, measure, x, y_or_x)?, workers, watch)
            }
            (WeightKind::Tensors(TensorWeight::Factors { .. }), false) => {
                target.run(tiling, &Factored::<f64, 24>::new(isa, measure, x, y_or_x)?, workers, watch)
            }
            // `Product::new` refuses weights without features of pairs or tuples of items.
            (WeightKind::Pairs(_) | WeightKind::Tensors(_) | WeightKind::Quadruples(_), single) => {
                if single {
                    target.run(tiling, &Product::<f32, 48>::new(isa, measure, x, y_or_x)?, workers, watch)
                } else {
                    target.run(tiling, &Product::<f64, 24>::new(isa, measure, x, y_or_x)?, workers, watch)
                }
            }
        },
        Strategy::Pairs | Strategy::Partition => {
            let isa = (strategy == Strategy::Pairs).then_some(isa);
            let workers = Workers::new(threads, cost::partition_ns(measure));
            target.run(tiling, &Pairs::new(isa, measure, x, y_or_x), workers, watch)
        }
    }
}

/// A strategy that computes one pair of rankings at a time, for every measure and any n. It uses the partition
/// algorithm, or a grid of positions and values with vector instructions.
struct Pairs<'a> {
    measure: &'a KendallMeasure,
    x: &'a Rankings,
    y: &'a Rankings,
    /// The instruction set for grids, or `None` for the partition algorithm.
    isa: Option<Isa>,
    /// The number of pairs between two checks for cancellation.
    interval: usize,
}

impl<'a> Pairs<'a> {
    /// The strategy for rankings that have as many items as the measure.
    fn new(isa: Option<Isa>, measure: &'a KendallMeasure, x: &'a Rankings, y: &'a Rankings) -> Self {
        Self { measure, x, y, isa, interval: (cost::STOP_CHECK_INTERVAL_NS / cost::partition_ns(measure)) as usize }
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
