//! Gram matrices of lists out of a large catalogue.
//!
//! ```text
//! mod           computes self-similarities if needed, then fills the tiles
//! index         lists by item, to find the most similar ones
//! pairs         one row of a tile at a time; only pairs of lists with a common item need a closer look
//! setting       the measure and the lists
//! weighed       a weight with its means for lists
//! ```

mod index;
mod pairs;
mod setting;
mod weighed;

use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost::{self, STOP_CHECK_INTERVAL_NS};
use crate::gram::plan::{GramTask, Plan, Representation, Strategy};
use crate::gram::target::{Target, Tiling};
use crate::measure::KendallMeasure;
use crate::parallel::{self, RunOptions, Workers};
use crate::rankings::Lists;
pub use index::ListIndex;
use pairs::ListPairs;
use setting::{ListSetting, mean_of};

/// The kind of these rankings, with the numbers that the plan needs.
///
/// # Errors
/// Returns an error when the measure has no mean over complete rankings.
pub(in crate::gram) fn representation_of(
    measure: &KendallMeasure,
    x: &Lists,
    y: &Lists,
) -> Result<Representation, Error> {
    mean_of(measure)?;
    let rows = (x.rows() + y.rows()).max(1);
    Ok(Representation::Lists { length: (x.entries() + y.entries()).div_ceil(rows) })
}

/// The measure of each list and itself.
pub(in crate::gram) fn diagonal(
    measure: &KendallMeasure,
    x: &Lists,
    mut run: RunOptions<'_>,
) -> Result<Vec<f64>, Error> {
    ListSetting::new(measure, x, x, parallel::share(&mut run.watch))?.diagonal(run)
}

pub(in crate::gram) fn fill(
    GramTask { measure, rows, columns: width, .. }: GramTask<'_>,
    Plan { strategy, isa, tile, threads, pair_ns, .. }: Plan,
    x: &Lists,
    y: Option<&Lists>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    let columns = y.unwrap_or(x);
    let mut run = options.run();
    let mut setting = ListSetting::new(measure, x, columns, parallel::share(&mut run.watch))?;
    if setting.needs_roots() {
        setting.find_roots(run.again())?;
    }
    let tiling = Tiling { rows, columns: width, tile, symmetric: y.is_none() };
    let isa = (strategy == Strategy::Pairs).then_some(isa);
    let longest = cost::lists_pair_ns(measure, x.longest().max(columns.longest()));
    let pairs = ListPairs { setting: &setting, isa, interval: (STOP_CHECK_INTERVAL_NS / pair_ns) as usize };
    target.run(tiling, &pairs, Workers::new(threads, longest), run.watch)
}
