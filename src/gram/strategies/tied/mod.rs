//! Gram matrices of rankings with ties and missing items: runs the planned strategy.
//!
//! ```text
//! mod           computes self-similarities if needed, then runs the strategy; one pair of rankings at a time
//! bits          two bits for each pair of items, for measures that are counts
//! later         bits for the average kernel of few items
//! product       for few items, a matrix product of features
//! tensor        general weights: products of mean tensors
//! setting       the measure and the rankings
//! expanded      general weights as tensors, and self-similarities
//! ```

mod bits;
mod expanded;
mod later;
mod product;
mod setting;
mod tensor;

use std::ops::Range;

use crate::error::Error;
use crate::gram::cost::{self, STOP_CHECK_INTERVAL_NS};
use crate::gram::plan::{GramTask, Plan, Strategy};
use crate::gram::target::{Target, Tiling};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill, Options};
use crate::measure::{KendallMeasure, Mean, MeanWeight};
use crate::memory;
use crate::pair::incomplete::TiedWorkspace;
use crate::parallel::{self, Cancel, Phases, Poll, RunOptions, Watch, Workers};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::weight::kinds::{PairWeight, TensorWeight};
use bits::bits;
use expanded::Tensors;
use later::TiedLater;
use product::Features;
use setting::{Ready, TiedSetting, TiedWeight};
use tensor::TiedTensors;

pub(in crate::gram) use setting::representation_of;

/// The value of a kernel for each ranking with itself, before division.
pub(crate) fn own_values(measure: &KendallMeasure, x: &Incomplete, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
    match measure.mean()? {
        (MeanWeight::Pairs(weight), mean) => {
            PairWeight::own_values(&TiedSetting::new(measure, (weight, mean), x, x)?, x, run)
        }
        (MeanWeight::Tensors(weight), mean) => {
            TensorWeight::own_values(&TiedSetting::new(measure, (weight, mean), x, x)?, x, run)
        }
    }
}

/// The measure of each ranking and itself.
pub(in crate::gram) fn diagonal(
    measure: &KendallMeasure,
    x: &Incomplete,
    run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    match measure.mean()? {
        (MeanWeight::Pairs(weight), mean) => TiedSetting::new(measure, (weight, mean), x, x)?.diagonal(run),
        (MeanWeight::Tensors(weight), mean) => TiedSetting::new(measure, (weight, mean), x, x)?.diagonal(run),
    }
}

pub(in crate::gram) fn fill(
    task: GramTask<'_>,
    plan: Plan,
    x: &Incomplete,
    y: Option<&Incomplete>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    match task.measure.mean()? {
        (MeanWeight::Pairs(weight), mean) => fill_pairs((weight, mean), task, plan, x, y, target, options),
        (MeanWeight::Tensors(weight), mean) => fill_tensors((weight, mean), task, plan, x, y, target, options),
    }
}

/// Computes the divisors of values if they are needed, then runs the strategy.
fn with_roots<'a, W: TiedWeight>(
    mut setting: TiedSetting<'a, W>,
    jobs: usize,
    options: Options<'_>,
    run: impl FnOnce(&TiedSetting<'a, W>, Option<Watch<'_>>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut phases = Phases::new(options.watch, jobs + setting.jobs_of_roots());
    if setting.needs_roots() {
        setting.find_roots(options.threads, &mut phases)?;
    }
    phases.run(jobs, |watch| run(&setting, watch))
}

fn fill_tensors(
    weight: (&TensorWeight, Mean),
    GramTask { measure, rows, columns, .. }: GramTask<'_>,
    Plan { strategy, isa, tile, threads, .. }: Plan,
    x: &Incomplete,
    y: Option<&Incomplete>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    let setting = TiedSetting::new(measure, weight, x, y.unwrap_or(x))?;
    let tiling = Tiling { rows, columns, tile, symmetric: y.is_none() };
    with_roots(setting, target.jobs(tiling), options, |setting, mut watch| {
        let isa = (strategy == Strategy::Product).then_some(isa);
        let tensors = Tensors::new(setting.weight, x.items(), &mut watch)?;
        let workers = Workers::new(threads, (x.items() * x.items()) as f64);
        target.run(tiling, &TiedTensors { setting, tensors, isa }, workers, watch)
    })
}

fn fill_pairs(
    weight: (&PairWeight, Mean),
    GramTask { measure, rows, columns, .. }: GramTask<'_>,
    Plan { strategy, isa, tile, threads, parts, pair_ns }: Plan,
    x: &Incomplete,
    y: Option<&Incomplete>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    let setting = TiedSetting::new(measure, weight, x, y.unwrap_or(x))?;
    let tiling = Tiling { rows, columns, tile, symmetric: y.is_none() };
    with_roots(setting, target.jobs(tiling), options, |setting, mut watch| match strategy {
        Strategy::Bits if setting.weight.is_later() => {
            target.run(tiling, &TiedLater::new(setting, isa)?, Workers::new(threads, 0.0), watch)
        }
        Strategy::Bits => {
            let ns = cost::COPY_NS * x.items() as f64 * (rows + columns) as f64;
            let bits = parallel::run_one(ns, parallel::share(&mut watch), |cancel| bits(isa, setting, cancel))?;
            let workers = Workers::new(threads, 0.0);
            if parts > 1 {
                target.run_in_parts(tiling, &bits, parts, workers, watch)
            } else {
                target.run(tiling, &bits, workers, watch)
            }
        }
        Strategy::Product => target.run(tiling, &Features::new(setting, isa)?, Workers::new(threads, 0.0), watch),
        Strategy::Pairs | Strategy::Partition => {
            let isa = (strategy == Strategy::Pairs).then_some(isa);
            let pairs = TiedPairs { setting, isa, interval: (STOP_CHECK_INTERVAL_NS / pair_ns) as usize };
            target.run(tiling, &pairs, Workers::new(threads, cost::tied_pair_ns(measure)), watch)
        }
    })
}

/// One pair of rankings at a time.
struct TiedPairs<'a> {
    setting: &'a TiedSetting<'a>,
    isa: Option<Isa>,
    interval: usize,
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
