//! Gram matrices of incomplete rankings: one pair of rankings at a time, or for few items a matrix product of features.

use std::ops::Range;

use super::distinct::{self, Distinct};
use super::plan::Strategy;
use super::tiles::{self, Tile};
use super::{Element, Fill, Options, fill};
use crate::error::Error;
use crate::incomplete::Incomplete;
use crate::kappa::incomplete::{self as sums, Means, Memory, Side, leans};
use crate::kappa::{own, pairs_of};
use crate::measure::{Mean, Measure};
use crate::parallel::{self, Proceed, Watch};
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{Real, Row};
use crate::weight::ValidWeight;

/// Rankings side by side in a product.
const G: usize = 24;
/// Features in a block, as for complete rankings.
const BLOCK: usize = 112;
/// Rows and columns of a tile of products, and of one of pairs.
const WIDE: usize = 240;
const NARROW: usize = 16;
/// Nanoseconds of a product for each feature, and of a pair for each item and at all (72 rankings of 100 to 7129 items, with ties,
/// one core of a Xeon with AVX-512 at 2.3 GHz).
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
    super::check_range::<T>(measure)?;
    let find = |set: &Incomplete| Distinct::find(set.rows(), |row| set.row(row).starts);
    match (find(x), y.map(find)) {
        (None, None | Some(None)) => fill_all(measure, x, y, out, options),
        (rows, of_columns) => {
            let rows = rows.unwrap_or_else(|| Distinct::all(x.rows()));
            let of_columns = of_columns.map(|found| found.unwrap_or_else(|| Distinct::all(columns.rows())));
            let (few_x, few_y) =
                (x.select(rows.firsts()), of_columns.as_ref().map(|found| columns.select(found.firsts())));
            distinct::fill_distinct(&rows, of_columns.as_ref(), out, options, |values, options| {
                fill_all(measure, &few_x, few_y.as_ref(), values, options)
            })
        }
    }
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
    Setting::plain(measure, x, x)?.own_values(x, threads, watch)
}

fn fill_all<T: Element>(
    measure: &Measure,
    x: &Incomplete,
    y: Option<&Incomplete>,
    out: &mut [T],
    options: Options<'_>,
) -> Result<(), Error> {
    let columns = y.unwrap_or(x);
    let setting = Setting::new(measure, x, columns, options.threads)?;
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
    let tiles = match y {
        None => tiles::symmetric(out, x.rows(), tile.max(1)),
        Some(_) => tiles::rectangular(out, columns.rows(), tile.max(1)),
    };
    if product {
        return fill(
            &Features { setting: &setting, isa, pairs: all_pairs(measure.items()) },
            tiles,
            threads,
            options.watch,
        );
    }
    let isa = (strategy == Strategy::Pairs).then_some(isa);
    fill(&Pairs { setting: &setting, isa, interval: (ASK_EVERY_NS / pair_ns) as usize }, tiles, threads, options.watch)
}

/// What is computed, of which rankings.
struct Setting<'a> {
    x: &'a Incomplete,
    y: &'a Incomplete,
    weight: &'a ValidWeight,
    mean: Mean,
    /// Whether items can be anywhere.
    unknown: bool,
    /// The root of the self-similarity of each row and of each column, where it is needed: where values are divided by it, and where it
    /// can be 0 although its terms are not.
    roots: Option<(Vec<f64>, Vec<f64>)>,
    normalized: bool,
}

impl<'a> Setting<'a> {
    /// Without the roots of self-similarities.
    fn plain(measure: &'a Measure, x: &'a Incomplete, y: &'a Incomplete) -> Result<Self, Error> {
        let (weight, mean) = measure.mean().ok_or(Error::IncompleteMeasure)?;
        let unknown = x.has_unknown() || y.has_unknown();
        if unknown && *weight != ValidWeight::Standard {
            return Err(Error::UnknownPlaces);
        }
        Ok(Self { x, y, weight, mean, unknown, roots: None, normalized: measure.is_normalized() })
    }

    fn new(measure: &'a Measure, x: &'a Incomplete, y: &'a Incomplete, threads: Option<usize>) -> Result<Self, Error> {
        let plain = Self::plain(measure, x, y)?;
        let is_kernel = plain.mean != Mean::Discordant;
        if !is_kernel || !(plain.normalized || plain.weight.without_signs().is_some()) {
            return Ok(plain);
        }
        let roots = |set: &Incomplete| -> Result<Vec<f64>, Error> {
            Ok(plain.own_values(set, threads, None)?.into_iter().map(|own| own.max(0.0).sqrt()).collect())
        };
        let of_rows = roots(x)?;
        let of_columns = if std::ptr::eq(x, y) { of_rows.clone() } else { roots(y)? };
        Ok(Self { roots: Some((of_rows, of_columns)), ..plain })
    }

    /// The value of each ranking and itself, before it is divided by anything.
    fn own_values(
        &self,
        set: &Incomplete,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Vec<f64>, Error> {
        let without_signs = self.weight.without_signs();
        let mut values = vec![0.0; set.rows()];
        let rows = ((ASK_EVERY_NS / self.pair_ns()) as usize).max(1);
        let threads = parallel::threads_for(self.pair_ns() * set.rows() as f64, threads);
        let jobs = values.chunks_mut(rows).enumerate().collect();
        parallel::run(
            jobs,
            threads,
            watch,
            || Memory::new(set.items(), Some(Isa::widest())),
            |(index, values): (usize, &mut [f64]), memory, proceed| {
                if !proceed() {
                    return;
                }
                for (row, value) in (index * rows..).zip(values) {
                    *value = self.own_value(set, row, without_signs.as_ref(), memory);
                }
            },
        )?;
        Ok(values)
    }

    /// The value of a ranking and itself; of a kernel, 0 if it may be rounding, by the rule in [`own`].
    fn own_value(&self, set: &Incomplete, row: usize, without_signs: Option<&ValidWeight>, memory: &mut Memory) -> f64 {
        let mut own = |weight| {
            let setting = Setting { weight, roots: None, ..*self };
            let means = setting.means(set, row);
            setting.value((set, row, &means), (set, row, &means), memory)
        };
        let value = own(self.weight);
        match without_signs {
            Some(weight) => own::unless_rounding(value, own(weight)),
            None => value,
        }
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

    fn means(&self, set: &Incomplete, row: usize) -> Means {
        if self.unknown { Means::default() } else { Means::of(self.weight, set.row(row)) }
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
    fn finished(&self, value: f64, row: usize, column: usize) -> f64 {
        let Some((of_rows, of_columns)) = &self.roots else { return value };
        let unit = of_rows[row] * of_columns[column];
        match (unit == 0.0, self.normalized) {
            (true, _) => 0.0,
            (false, true) => (value / unit).clamp(-1.0, 1.0),
            (false, false) => value,
        }
    }

    /// Whether the sum is one of products of features.
    fn has_features(&self) -> bool {
        *self.weight != ValidWeight::Average
    }

    /// Whether a pair of items has one feature, its order, and not two.
    fn is_skew(&self) -> bool {
        self.unknown || self.mean == Mean::Signed
    }

    fn features(&self) -> usize {
        pairs_of(self.x.items() as u64) as usize * if self.is_skew() { 1 } else { 2 }
    }

    /// The value for a sum of products of features.
    fn of_sum(&self, sum: f64) -> f64 {
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

    fn scratch(&self) -> Memory {
        Memory::new(self.setting.x.items(), self.isa)
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, memory: &mut Memory, proceed: Proceed<'_>) {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let of_rows: Vec<Means> = rows.clone().map(|row| setting.means(setting.x, row)).collect();
        let of_columns: Vec<Means> = columns.clone().map(|column| setting.means(setting.y, column)).collect();
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
    }
}

/// A matrix product of what pairs of items have in each ranking.
struct Features<'a> {
    setting: &'a Setting<'a>,
    isa: Isa,
    pairs: Vec<(u32, u32)>,
}

/// Memory for one thread.
#[derive(Default)]
struct Panels {
    rows: Vec<Row<f64, G>>,
    columns: Vec<Row<f64, G>>,
    sums: Vec<Square<G>>,
}

/// What the features of a ranking are made of.
enum Source {
    Means(Means),
    Leans(Vec<f64>),
}

impl Features<'_> {
    fn sources(&self, set: &Incomplete, range: Range<usize>) -> Vec<Source> {
        range
            .map(|row| {
                if self.setting.unknown {
                    Source::Leans(leans(set.row(row)))
                } else {
                    Source::Means(self.setting.means(set, row))
                }
            })
            .collect()
    }

    /// Makes the features of some pairs of items for rankings from `first` on, in groups, one group after the other.
    fn make(
        &self,
        set: &Incomplete,
        first: usize,
        sources: &[Source],
        pairs: &[(u32, u32)],
        panel: &mut Vec<Row<f64, G>>,
    ) {
        let each = if self.setting.is_skew() { 1 } else { 2 };
        let length = pairs.len() * each;
        panel.clear();
        panel.resize(sources.len().div_ceil(G) * length, Row([0.0; G]));
        for (index, source) in sources.iter().enumerate() {
            let (group, lane) = (index / G, index % G);
            let features = panel[group * length..][..length].chunks_exact_mut(each);
            let blocks = set.row(first + index);
            for (&(i, j), out) in pairs.iter().zip(features) {
                let (a, b) = (blocks.starts[i as usize], blocks.starts[j as usize]);
                match source {
                    Source::Leans(leans) => {
                        let (i, j) = (leans[i as usize], leans[j as usize]);
                        let placed = blocks.placed as u32;
                        out[0][lane] = match (a < placed, b < placed) {
                            (true, true) => f64::from(u8::from(a < b)) - f64::from(u8::from(a > b)),
                            (true, false) => i,
                            (false, true) => -j,
                            (false, false) => 0.0,
                        };
                    }
                    Source::Means(means) => {
                        let (before, after) = means.of_pair(self.setting.weight, a, b);
                        match out {
                            [one] => one[lane] = before - after,
                            [one, other] => (one[lane], other[lane]) = (before, after),
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

impl Fill for Features<'_> {
    type Scratch = Panels;

    fn scratch(&self) -> Panels {
        Panels::default()
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, panels: &mut Panels, proceed: Proceed<'_>) {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let (of_rows, of_columns) = (self.sources(setting.x, rows.clone()), self.sources(setting.y, columns.clone()));
        let squares: Vec<(usize, usize)> = tile.squares::<G>().collect();
        let Panels { rows: left, columns: right, sums } = panels;
        sums.clear();
        sums.resize(squares.len(), [[0.0; G]; G]);
        for pairs in self.pairs.chunks(if setting.is_skew() { BLOCK } else { BLOCK / 2 }) {
            if !proceed() {
                return;
            }
            self.make(setting.x, rows.start, &of_rows, pairs, left);
            self.make(setting.y, columns.start, &of_columns, pairs, right);
            let length = pairs.len() * if setting.is_skew() { 1 } else { 2 };
            for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                let (row, column) = (&left[row * length..][..length], &right[column * length..][..length]);
                f64::multiply(self.isa, row, column, true, sums);
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
            for (row, sums) in (rows.start + row * G..rows.end).zip(sums) {
                for (column, sum) in (columns.start + column * G..columns.end).zip(sums) {
                    *sum = setting.finished(setting.of_sum(*sum), row, column);
                }
            }
        }
        tile.store(self.isa, sums);
    }
}

fn all_pairs(items: usize) -> Vec<(u32, u32)> {
    (0..items as u32).flat_map(|j| (0..j).map(move |i| (i, j))).collect()
}
