//! Expands lists to rankings of all items, if the measure needs it, or if rankings of all items are compared faster
//! than the lists.

use super::Options;
use super::plan::{GramTask, Representation, cost};
use crate::error::Error;
use crate::measure::KendallMeasure;
use crate::memory;
use crate::rankings::{Incomplete, Lists};

/// Two sets of rankings: the rows and the columns. The second set is `None` if the columns are the rows.
pub(crate) type Expanded = (Incomplete, Option<Incomplete>);

/// Approximate number of lists whose blocks are counted.
const SAMPLE: usize = 64;

/// Lists expanded to rankings of all items, if the measure cannot be computed from lists.
pub(super) fn if_needed(measure: &KendallMeasure, x: &Lists, y: Option<&Lists>) -> Result<Option<Expanded>, Error> {
    if !measure.needs_all_items() {
        return Ok(None);
    }
    // Returns an error for a measure without a mean, before any work is done.
    measure.mean()?;
    all_items(x, y).map(Some)
}

/// The same as [`if_needed`], and also expands lists if rankings of all items are compared faster.
pub(super) fn if_needed_or_faster(
    measure: &KendallMeasure,
    x: &Lists,
    y: Option<&Lists>,
    options: &Options<'_>,
) -> Result<Option<Expanded>, Error> {
    match if_needed(measure, x, y)? {
        None => if_faster(measure, x, y, options),
        found => Ok(found),
    }
}

/// Lists expanded to rankings of all items.
pub(super) fn all_items(x: &Lists, y: Option<&Lists>) -> Result<Expanded, Error> {
    Ok((x.to_incomplete()?, y.map(Lists::to_incomplete).transpose()?))
}

/// Lists expanded to rankings of all items, if these are compared faster and there is memory for them.
pub(crate) fn if_faster(
    measure: &KendallMeasure,
    x: &Lists,
    y: Option<&Lists>,
    options: &Options<'_>,
) -> Result<Option<Expanded>, Error> {
    if !is_faster(measure, x, y.unwrap_or(x), options)? {
        return Ok(None);
    }
    match all_items(x, y) {
        Err(Error::OutOfMemory { .. }) => Ok(None),
        found => found.map(Some),
    }
}

/// Whether rankings of all items are compared faster than these lists. The answer does not depend on the order of the
/// two sets, or on whether `y` is `x` or a copy of `x`.
fn is_faster(measure: &KendallMeasure, x: &Lists, y: &Lists, options: &Options<'_>) -> Result<bool, Error> {
    if options.backend.strategy().is_some() || measure.is_ordered() {
        return Ok(false);
    }
    let (rows, columns, items) = (x.rows(), y.rows(), x.items());
    let length = (x.entries() + y.entries()) / (rows + columns).max(1);
    let (pairs, cells) = (rows as f64 * columns as f64, (rows + columns) as f64 * items as f64);
    if length < items / cost::SHORT_LISTS
        || cells > cost::MAX_EXPANDED
        || pairs * cost::lists_pair_ns(measure, length) < cost::WORTH_EXPANDING_NS
    {
        return Ok(false);
    }
    let blocks = usual_blocks(x)? * usual_blocks(y)?;
    let representation = Representation::Tied { unknown: false, cells: blocks };
    let task = GramTask { measure, representation, single: false, rows, columns };
    let of_all = task.fastest_ns(options.backend)? + cost::EXPAND_NS * cells / pairs;
    Ok(of_all < cost::lists_common_ns(measure, length, mean_common(x, y)?))
}

/// The mean number of items that a list of `x` and a list of `y` have in common.
fn mean_common(x: &Lists, y: &Lists) -> Result<f64, Error> {
    let counts = |lists: &Lists| {
        let mut counts = memory::filled(lists.items(), 0_u32)?;
        for row in 0..lists.rows() {
            for &[item, _] in lists.row(row) {
                counts[item as usize] += 1;
            }
        }
        Ok::<_, Error>(counts)
    };
    let common: f64 =
        counts(x)?.into_iter().zip(counts(y)?).map(|(one, other)| f64::from(one) * f64::from(other)).sum();
    Ok(common / (x.rows() as f64 * y.rows() as f64).max(1.0))
}

/// The approximate number of blocks of a list, the unlisted items included.
fn usual_blocks(lists: &Lists) -> Result<usize, Error> {
    let sample = (0..lists.rows()).step_by(lists.rows().div_ceil(SAMPLE).max(1));
    let (mut blocks, count) = (0, sample.len().max(1));
    for row in sample {
        let list = lists.row(row);
        let mut starts = memory::filled(list.len(), false)?;
        for &[_, start] in list {
            starts[start as usize] = true;
        }
        blocks += 1 + starts.into_iter().filter(|&is_start| is_start).count();
    }
    Ok(blocks.div_ceil(count))
}
