//! Gram matrices of incomplete rankings: one pair of rankings at a time, or for few items a matrix product of features.

use std::ops::Range;

use super::distinct::Few;
use super::features::{Features, G};
use super::plan::Strategy;
use super::tiles::{Pieces, Tile};
use super::{Element, Fill, Options, fill};
use crate::error::Error;
use crate::incomplete::Incomplete;
use crate::kappa::incomplete::{self as sums, Memory, Need, Side};
use crate::kappa::means::Means;
use crate::kappa::{own, pairs_of};
use crate::measure::{Mean, Measure};
use crate::memory;
use crate::parallel::{self, Crew, Proceed, Progress, Stop, Watch};
use crate::simd::Isa;
use crate::weight::ValidWeight;

/// Rows and columns of a tile of products, and of one of pairs.
const WIDE: usize = 240;
const NARROW: usize = 16;
/// Nanoseconds of a product for each feature, and of a pair for each item and at all (72 rankings of 100 to 7129 items, with ties,
/// one core of a Xeon at 2.3 GHz).
const FEATURE_NS: f64 = 0.08;
const ITEM_NS: f64 = 20.0;
const PAIR_NS: f64 = 300.0;
/// How long to work without asking whether to proceed.
const ASK_EVERY_NS: f64 = 2e5;

/// As [`gram_into`](crate::gram_into) for incomplete rankings: means over all complete rankings that agree with them, both
/// arguments independent of each other.
///
/// # Errors
/// As [`gram_into`](crate::gram_into), and when the measure is neither a kernel of order 2 with a named weight nor the distance; where
/// items can be anywhere, when the weight is not the standard one.
///
/// ```
/// use wkendall::{Incomplete, Measure, Missing, Options, Weight, gram_incomplete_into};
/// let x = Incomplete::from_ranks(2, 3, &[1.0, 2.0, 3.0, 1.0, f64::NAN, f64::NAN], Missing::Bottom)?;
/// let kernel = Measure::kernel(&Weight::Standard, 3)?;
/// let mut out = [0.0; 4];
/// gram_incomplete_into(&kernel, &x, None, &mut out, Options::default())?;
/// assert_eq!(out, [3.0, 2.5, 2.5, 2.5]);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn gram_incomplete_into<T: Element>(
    measure: &Measure,
    x: &Incomplete,
    y: Option<&Incomplete>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let columns = y.unwrap_or(x);
    measure.check_items(x.items())?;
    measure.check_items(columns.items())?;
    if x.rows().checked_mul(columns.rows()) != Some(out.len()) {
        return Err(Error::OutputLength { given: out.len(), rows: x.rows(), columns: columns.rows() });
    }
    let mut options = options;
    super::find_own(measure, &mut options)?;
    super::check_range::<T>(measure)?;
    let found = Few::find(x, y, parallel::share(&mut options.watch))?;
    // Without memory for the matrix of the distinct rankings all are computed; the strategy does not depend on their number.
    let Some((few, mut values)) = found.and_then(|few| few.matrix().map(|values| (few, values))) else {
        return fill_all(measure, x, y, out, options);
    };
    few.fill(&mut values, out, options, |x, y, values, options| fill_all(measure, x, y, values, options))
}

/// The measure of each incomplete ranking and itself: of two complete rankings, independent of each other, that agree with it.
///
/// # Errors
/// As [`gram_incomplete_into`].
pub fn diagonal_incomplete(measure: &Measure, x: &Incomplete, options: Options<'_>) -> Result<Vec<f64>, Error> {
    measure.check_items(x.items())?;
    let own = own_incomplete(measure, x, options.threads, options.watch)?;
    let finished = |own: f64| if measure.is_normalized() { f64::from(u8::from(own > 0.0)) } else { own };
    Ok(own.into_iter().map(finished).collect())
}

/// The value of a kernel for each incomplete ranking and itself, before it is divided by anything.
pub(crate) fn own_incomplete(
    measure: &Measure,
    x: &Incomplete,
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<Vec<f64>, Error> {
    Setting::new(measure, x, x)?.own_values(x, threads, watch)
}

fn fill_all<T: Element>(
    measure: &Measure,
    x: &Incomplete,
    y: Option<&Incomplete>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let columns = y.unwrap_or(x);
    let mut setting = Setting::new(measure, x, columns)?;
    let isa = options.backend.isa()?;
    let cells = out.len() as f64;
    let product_ns = FEATURE_NS * setting.features() as f64;
    let pair_ns = setting.pair_ns();
    let strategy = match options.backend.strategy() {
        Some(Strategy::Product) if setting.has_features() => Strategy::Product,
        Some(strategy @ (Strategy::Pairs | Strategy::Partition)) => strategy,
        Some(strategy) => return Err(Error::CannotCompute { name: strategy.to_string() }),
        None if setting.has_features() && product_ns < pair_ns => Strategy::Product,
        None => Strategy::Pairs,
    };
    let product = strategy == Strategy::Product;
    let threads = parallel::threads_for(cells * if product { product_ns } else { pair_ns }, options.threads);
    let tile = options.tile.unwrap_or(if product {
        let shared = (cells / (threads * 8) as f64).sqrt() as usize;
        if threads > 1 { shared.next_multiple_of(2 * G).min(WIDE) } else { WIDE }
    } else {
        NARROW
    });
    let mut pieces = Pieces::new(out, columns.rows(), tile)?;
    let tiles = if y.is_none() { pieces.symmetric()? } else { pieces.rectangular()? };
    let mut phases = Phases::new(options.watch, tiles.len() + setting.jobs_of_roots());
    if setting.needs_roots() {
        setting.find_roots(options.threads, &mut phases)?;
    }
    phases.run(tiles.len(), |watch| {
        if product {
            return fill(&Features::new(&setting, isa)?, tiles, Crew::new(threads, 0.0), watch);
        }
        let isa = (strategy == Strategy::Pairs).then_some(isa);
        let pairs = Pairs { setting: &setting, isa, interval: (ASK_EVERY_NS / pair_ns) as usize };
        fill(&pairs, tiles, Crew::new(threads, setting.longest_ns()), watch)
    })
}

/// Several runs whose jobs are counted together.
struct Phases<'a> {
    watch: Option<Watch<'a>>,
    done: usize,
    total: usize,
}

impl<'a> Phases<'a> {
    fn new(watch: Option<Watch<'a>>, total: usize) -> Self {
        Self { watch, done: 0, total }
    }

    /// Does a run of so many jobs.
    fn run<R>(&mut self, jobs: usize, run: impl FnOnce(Option<Watch<'_>>) -> Result<R, Error>) -> Result<R, Error> {
        let Self { watch, done, total } = self;
        let Some(watch) = watch else { return run(None) };
        let mut look = |progress: Progress| watch(Progress { done: *done + progress.done, total: *total });
        let result = run(Some(&mut look))?;
        *done += jobs;
        Ok(result)
    }
}

/// What is computed, of which rankings.
pub(super) struct Setting<'a> {
    pub(super) x: &'a Incomplete,
    pub(super) y: &'a Incomplete,
    pub(super) weight: &'a ValidWeight,
    mean: Mean,
    /// Whether items can be anywhere.
    pub(super) unknown: bool,
    /// The root of the self-similarity of each row and of each column, that of the row where there is none, where it is needed: where
    /// values are divided by it, and where it can be 0 although its terms are not.
    roots: Option<(Vec<f64>, Option<Vec<f64>>)>,
    normalized: bool,
}

impl<'a> Setting<'a> {
    /// That of a measure, but for the roots.
    fn new(measure: &'a Measure, x: &'a Incomplete, y: &'a Incomplete) -> Result<Self, Error> {
        let (weight, mean) = measure.mean().ok_or(Error::IncompleteMeasure)?;
        let unknown = x.has_unknown() || y.has_unknown();
        if unknown && *weight != ValidWeight::Standard {
            return Err(Error::UnknownPlaces);
        }
        Ok(Self { x, y, weight, mean, unknown, roots: None, normalized: measure.is_normalized() })
    }

    /// The sets that have roots of their own: the rows, and the columns unless these are the same.
    fn sets(&self) -> impl Iterator<Item = &'a Incomplete> + use<'a> {
        let same = std::ptr::eq(self.x, self.y);
        [self.x, self.y].into_iter().take(if same { 1 } else { 2 })
    }

    /// Whether values are divided by the roots, or can be 0 because of them.
    fn needs_roots(&self) -> bool {
        self.mean != Mean::Discordant && (self.normalized || self.weight.has_negative())
    }

    /// How many jobs it takes to find the roots.
    fn jobs_of_roots(&self) -> usize {
        let jobs = self.sets().map(|set| set.rows().div_ceil(self.rows_a_job())).sum();
        if self.needs_roots() { jobs } else { 0 }
    }

    /// Finds what values are divided by.
    fn find_roots(&mut self, threads: Option<usize>, phases: &mut Phases<'_>) -> Result<(), Error> {
        let mut roots = |set: &Incomplete| {
            let jobs = set.rows().div_ceil(self.rows_a_job());
            let mut values = phases.run(jobs, |watch| self.own_values(set, threads, watch))?;
            for value in &mut values {
                *value = value.max(0.0).sqrt();
            }
            Ok(values)
        };
        let mut of_sets = self.sets();
        let of_rows = of_sets.next().map_or(Ok(Vec::new()), &mut roots)?;
        let of_columns = of_sets.next().map(&mut roots).transpose()?;
        self.roots = Some((of_rows, of_columns));
        Ok(())
    }

    /// How many rankings are compared with themselves in a job.
    fn rows_a_job(&self) -> usize {
        ((ASK_EVERY_NS / self.pair_ns()) as usize).max(1)
    }

    /// The value of each ranking and itself, before it is divided by anything.
    fn own_values(
        &self,
        set: &Incomplete,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Vec<f64>, Error> {
        let without_signs = self.weight.without_signs()?;
        let mut values = memory::filled(set.rows(), 0.0)?;
        let rows = self.rows_a_job();
        let threads = parallel::threads_for(self.pair_ns() * set.rows() as f64, threads);
        let jobs = memory::collect(values.chunks_mut(rows).enumerate())?;
        parallel::run(
            jobs,
            Crew::new(threads, self.longest_ns()),
            watch,
            |stop| self.memory(Some(Isa::widest()), stop),
            |(index, values): (usize, &mut [f64]), memory, proceed| {
                for (row, value) in (index * rows..).zip(values) {
                    if !proceed() {
                        break;
                    }
                    *value = self.own_value(set, row, without_signs.as_ref(), memory)?;
                }
                Ok(())
            },
        )?;
        Ok(values)
    }

    /// The value of a ranking and itself; of a kernel, 0 if it may be rounding, by the rule in [`own`].
    fn own_value(
        &self,
        set: &Incomplete,
        row: usize,
        without_signs: Option<&ValidWeight>,
        memory: &mut Memory,
    ) -> Result<f64, Error> {
        let mut own = |weight, means: &Means| {
            let setting = Setting { weight, roots: None, ..*self };
            setting.value((set, row, means), (set, row, means), memory)
        };
        let (means, power) = self.scaled_means(set, row)?;
        let value = own(self.weight, &means);
        let Some(weight) = without_signs else { return Ok(value) };
        let mut means = Means::of(weight, set.row(row))?;
        means.rescale(power, self.mean == Mean::Signed);
        Ok(own::unless_rounding(value, own(weight, &means)))
    }

    /// Memory for pairs of rankings.
    fn memory(&self, isa: Option<Isa>, stop: &Stop) -> Result<Memory, Error> {
        let need = Need { weight: self.weight, signed: self.mean == Mean::Signed, unknown: self.unknown };
        Memory::new(need, self.x.items(), isa, stop)
    }

    /// How long one pair of rankings can take: with the average weight, ties take up to as many steps as there are pairs of items.
    fn longest_ns(&self) -> f64 {
        let items = self.x.items() as f64;
        let of_ties = if *self.weight == ValidWeight::Average { 3.0 * items * items } else { 0.0 };
        self.pair_ns().max(of_ties)
    }

    /// About how long one pair of rankings takes.
    fn pair_ns(&self) -> f64 {
        let items = self.x.items() as f64;
        let of_items = match (self.weight, self.mean) {
            (ValidWeight::Average, Mean::Signed) => 3.0 * items * items,
            (ValidWeight::Average, _) => 6.0 * ITEM_NS * items,
            _ => ITEM_NS * items,
        };
        PAIR_NS + of_items
    }

    pub(super) fn means(&self, set: &Incomplete, row: usize) -> Result<Means, Error> {
        Ok(self.scaled_means(set, row)?.0)
    }

    /// What the weights come to for a ranking, and the power of two in it where values are divided by the roots.
    fn scaled_means(&self, set: &Incomplete, row: usize) -> Result<(Means, i32), Error> {
        if self.unknown {
            return Ok((Means::default(), 0));
        }
        let mut means = Means::of(self.weight, set.row(row))?;
        let signed = self.mean == Mean::Signed;
        let power = if self.normalized { means.power(self.weight, signed) } else { 0 };
        means.rescale(power, signed);
        Ok((means, power))
    }

    /// The value for two rankings, before it is divided by anything.
    fn value(&self, s: (&Incomplete, usize, &Means), t: (&Incomplete, usize, &Means), memory: &mut Memory) -> f64 {
        let [s, t] = [s, t].map(|(set, row, means)| Side { blocks: set.row(row), means });
        // A sum taken the other way round would round differently.
        let (s, t) = if s.blocks.starts <= t.blocks.starts { (s, t) } else { (t, s) };
        let concordant = |memory: &mut Memory| {
            if self.unknown {
                sums::anywhere(s.blocks, t.blocks, memory)
            } else {
                sums::concordant(self.weight, s, t, memory)
            }
        };
        let all = pairs_of(s.blocks.starts.len() as u64) as f64;
        match self.mean {
            Mean::Concordant => concordant(memory),
            Mean::Discordant => all - concordant(memory),
            Mean::Signed if self.unknown => 2.0 * concordant(memory) - all,
            Mean::Signed => sums::signed(self.weight, s, t, memory),
        }
    }

    /// The value after it is divided by what there is to divide by.
    pub(super) fn finished(&self, value: f64, row: usize, column: usize) -> f64 {
        let Some((of_rows, of_columns)) = &self.roots else { return value };
        let (of_row, of_column) = (of_rows[row], of_columns.as_ref().unwrap_or(of_rows)[column]);
        let unit = of_row * of_column;
        match self.normalized {
            true if unit == 0.0 => 0.0,
            // Of equal rankings exactly 1, whatever is left of sums that cancel.
            true if value > 0.99 * unit && self.x.row(row).starts == self.y.row(column).starts => 1.0,
            true => (value / unit).clamp(-1.0, 1.0),
            // At most the root of the product of what both have, which is rounding. With one of them it can be more.
            false if of_row == 0.0 && of_column == 0.0 => 0.0,
            false => value,
        }
    }

    /// Whether the sum is one of products of features.
    fn has_features(&self) -> bool {
        *self.weight != ValidWeight::Average
    }

    /// Whether a pair of items has one feature, its order, and not two.
    pub(super) fn is_skew(&self) -> bool {
        self.unknown || self.mean == Mean::Signed
    }

    fn features(&self) -> usize {
        pairs_of(self.x.items() as u64) as usize * if self.is_skew() { 1 } else { 2 }
    }

    /// The value for a sum of products of features.
    pub(super) fn of_sum(&self, sum: f64) -> f64 {
        let all = pairs_of(self.x.items() as u64) as f64;
        let concordant = if self.unknown { f64::midpoint(all, sum) } else { sum };
        match self.mean {
            Mean::Signed => sum,
            Mean::Concordant => concordant,
            Mean::Discordant => all - concordant,
        }
    }
}

/// One pair of rankings at a time.
struct Pairs<'a> {
    setting: &'a Setting<'a>,
    isa: Option<Isa>,
    interval: usize,
}

impl Fill for Pairs<'_> {
    type Scratch = Memory;

    fn scratch(&self, stop: &Stop) -> Result<Memory, Error> {
        self.setting.memory(self.isa, stop)
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, memory: &mut Memory, proceed: Proceed<'_>) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let means = |set: &Incomplete, rows: Range<usize>| -> Result<Vec<Means>, Error> {
            let mut all = memory::room(rows.len())?;
            for row in rows {
                all.push(setting.means(set, row)?);
            }
            Ok(all)
        };
        let (of_rows, of_columns) = (means(setting.x, rows.clone())?, means(setting.y, columns.clone())?);
        let mut pairs = 0;
        tile.fill(|row, column| {
            pairs += 1;
            if pairs > self.interval {
                pairs = 0;
                if !proceed() {
                    return None;
                }
            }
            let s = (setting.x, row, &of_rows[row - rows.start]);
            let t = (setting.y, column, &of_columns[column - columns.start]);
            Some(setting.finished(setting.value(s, t, memory), row, column))
        });
        Ok(())
    }
}
