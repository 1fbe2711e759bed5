//! Gram matrices of complete rankings: runs the planned strategy.
//!
//! ```text
//! mod        runs the strategy
//! bits       packed signs, for measures that are counts
//! product    matrix products of features, for weighted sums of few items
//! factored   the same for tensors of weights given as products of vectors
//! pairs      one pair of rankings at a time, for every measure
//! ```

mod bits;
mod factored;
mod pairs;
pub(in crate::gram) mod product;

use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost;
use crate::gram::plan::{GramTask, Plan, Strategy};
use crate::gram::target::{Target, Tiling};
use crate::parallel::{self, Workers};
use crate::rankings::Rankings;
use crate::weight::kinds::{TensorWeight, WeightKind};
use bits::bits;
use factored::Factored;
use pairs::Pairs;
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
