//! Gram matrices of lists out of a large catalogue.
//!
//! ```text
//! mod           finds self-similarities where they are needed, then fills the tiles
//! correlation   weighted correlations, made of two kernels
//! pairs         one row of a tile at a time: only the pairs of lists that have an item in common are looked at closely
//! setting       what is computed, of which lists
//! ```

mod correlation;
mod pairs;
mod setting;

use crate::error::Error;
use crate::gram::cost::{self, ASK_EVERY_NS};
use crate::gram::plan::{Plan, Representation, Strategy, Task};
use crate::gram::tiles::Pieces;
use crate::gram::{Element, Options, run};
use crate::measure::Measure;
use crate::memory;
use crate::parallel::{self, Crew, Watch};
use crate::rankings::Lists;
use correlation::correlations;
use pairs::ListPairs;
use setting::Setting;

/// The kind of these rankings; refuses a measure that has no mean over complete rankings.
pub(in crate::gram) fn representation_of(measure: &Measure, x: &Lists, y: &Lists) -> Result<Representation, Error> {
    measure.mean()?;
    let rows = (x.rows() + y.rows()).max(1);
    Ok(Representation::Lists { length: (x.entries() + y.entries()).div_ceil(rows) })
}

/// The measure of each list and itself.
pub(in crate::gram) fn diagonal(
    measure: &Measure,
    x: &Lists,
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<Vec<f64>, Error> {
    let mut watch = watch;
    if measure.is_correlation() {
        return correlations(measure, |kernel| diagonal(kernel, x, threads, parallel::share(&mut watch)));
    }
    Setting::new(measure, x, x, parallel::share(&mut watch))?.diagonal(threads, watch)
}

pub(in crate::gram) fn fill<T: Element>(
    task: Task<'_>,
    plan: Plan,
    x: &Lists,
    y: Option<&Lists>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    if !task.measure.is_correlation() {
        return fill_kernel(task, plan, x, y, out, options);
    }
    let Options { threads, tile, backend, mut watch } = options;
    let values = correlations(task.measure, |measure| {
        let mut values = memory::filled(out.len(), 0.0)?;
        let options = Options { threads, tile, backend, watch: parallel::share(&mut watch) };
        fill_kernel(Task { measure, ..task }, plan, x, y, &mut values, options)?;
        Ok(values)
    })?;
    out.iter_mut().zip(values).for_each(|(cell, value)| *cell = T::from_f64(value));
    Ok(())
}

fn fill_kernel<T: Element>(
    Task { measure, .. }: Task<'_>,
    Plan { strategy, isa, tile, threads, pair_ns, .. }: Plan,
    x: &Lists,
    y: Option<&Lists>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let columns = y.unwrap_or(x);
    let mut watch = options.watch;
    let mut setting = Setting::new(measure, x, columns, parallel::share(&mut watch))?;
    if setting.needs_roots() {
        setting.find_roots(options.threads, parallel::share(&mut watch))?;
    }
    let mut pieces = Pieces::new(out, columns.rows(), tile)?;
    let tiles = if y.is_none() { pieces.symmetric()? } else { pieces.rectangular()? };
    let isa = (strategy == Strategy::Pairs).then_some(isa);
    let longest = cost::lists_pair_ns(measure, x.longest().max(columns.longest()));
    let pairs = ListPairs { setting: &setting, isa, interval: (ASK_EVERY_NS / pair_ns) as usize };
    run(&pairs, tiles, Crew::new(threads, longest), watch)
}
