//! A measure and rankings with ties. The value of two rankings is the mean over all complete rankings that agree with
//! them.

use super::expanded::Tensors;
use crate::error::Error;
use crate::gram::cost;
use crate::gram::plan::Representation;
use crate::gram::strategies::own::{OwnCost, Roots, each_ranking, rows_a_job};
use crate::measure::{KendallMeasure, Mean, MeanWeight};
use crate::pair::anywhere::anywhere;
use crate::pair::incomplete::{self as sums, Need, TiedRanking, TiedWorkspace};
use crate::pair::table::Levels;
use crate::pair::{pairs_of, tops};
use crate::parallel::{Cancel, Phases, RunOptions};
use crate::rankings::Incomplete;
use crate::simd::{Isa, vectors};
use crate::weight::kinds::{PairWeight, TensorWeight};
use crate::weight::means::Means;
use crate::weight::own;

/// The kind of these rankings, with the numbers that the plan needs.
///
/// # Errors
/// Returns an error when the measure has no mean over complete rankings.
pub(in crate::gram) fn representation_of(
    measure: &KendallMeasure,
    x: &Incomplete,
    y: &Incomplete,
) -> Result<Representation, Error> {
    let (weight, _) = measure.mean()?;
    let unknown = x.has_unknown() || y.has_unknown();
    if unknown && !matches!(weight, MeanWeight::Pairs(PairWeight::Count { top: None })) {
        return Err(Error::UnknownPlaces);
    }
    Ok(Representation::Tied { unknown, cells: x.usual_blocks() * y.usual_blocks() })
}

/// A ranking that is prepared for comparisons with other rankings.
#[derive(Default)]
pub(super) struct Ready {
    means: Means,
    levels: Option<Levels>,
}

/// A weight that has means for rankings with ties.
pub(super) trait TiedWeight: Sized {
    /// Whether values can be 0 although their terms are not 0.
    fn can_cancel(&self) -> bool;

    /// The value of each ranking of a set with itself, before division.
    fn own_values(setting: &TiedSetting<'_, Self>, set: &Incomplete, run: RunOptions<'_>) -> Result<Vec<f64>, Error>;
}

/// The measure and the rankings.
pub(super) struct TiedSetting<'a, W = PairWeight> {
    measure: &'a KendallMeasure,
    pub(super) x: &'a Incomplete,
    pub(super) y: &'a Incomplete,
    pub(super) weight: &'a W,
    pub(super) mean: Mean,
    /// Whether items can be anywhere.
    pub(super) unknown: bool,
    /// The divisors of values. They are needed if values are normalized, or if values can be 0 although their terms are
    /// not 0. For the Mallows kernel, they are half of the mean distance of each ranking from itself.
    roots: Option<Roots<'a>>,
}

impl<'a, W: TiedWeight> TiedSetting<'a, W> {
    /// The setting of a measure with this weight, without the divisors.
    pub(super) fn new(
        measure: &'a KendallMeasure,
        (weight, mean): (&'a W, Mean),
        x: &'a Incomplete,
        y: &'a Incomplete,
    ) -> Result<Self, Error> {
        let unknown = matches!(representation_of(measure, x, y)?, Representation::Tied { unknown: true, .. });
        Ok(Self { measure, x, y, weight, mean, unknown, roots: None })
    }

    /// The sets with separate roots: the rows, and the columns if they differ.
    fn sets(&self) -> impl Iterator<Item = &'a Incomplete> + use<'a, W> {
        let same = std::ptr::eq(self.x, self.y);
        [self.x, self.y].into_iter().take(if same { 1 } else { 2 })
    }

    /// Whether values are divided by the roots, or can be 0 because of them.
    pub(super) fn needs_roots(&self) -> bool {
        match self.mean {
            Mean::Concordant | Mean::Signed => self.measure.is_normalized() || self.weight.can_cancel(),
            Mean::Discordant => self.measure.is_normalized(),
        }
    }

    /// The number of jobs to compute the roots.
    pub(super) fn jobs_of_roots(&self) -> usize {
        let jobs = self.sets().map(|set| set.rows().div_ceil(self.rows_a_job())).sum();
        if self.needs_roots() { jobs } else { 0 }
    }

    /// Computes the divisors of values.
    pub(super) fn find_roots(&mut self, threads: Option<usize>, phases: &mut Phases<'_>) -> Result<(), Error> {
        let roots = |set: &Incomplete| {
            let jobs = set.rows().div_ceil(self.rows_a_job());
            let mut values = phases.run(jobs, |watch| W::own_values(self, set, RunOptions { threads, watch }))?;
            for value in &mut values {
                *value = if self.measure.rate().is_some() { *value / 2.0 } else { value.max(0.0).sqrt() };
            }
            Ok(values)
        };
        self.roots = Some(Roots::find(self.x, self.y, roots)?);
        Ok(())
    }

    /// The number of rankings that a job compares with themselves.
    fn rows_a_job(&self) -> usize {
        rows_a_job(cost::tied_pair_ns(self.measure))
    }

    /// The Mallows kernel of two rankings with this mean distance. If it is divided by the square roots of both
    /// self-similarities, the exponent has another distance: the distance minus the mean of both self-distances. No
    /// quotient is computed that could underflow.
    fn similarity(&self, rate: f64, distance: f64, row: usize, column: usize) -> f64 {
        let Some(roots) = &self.roots else { return (-rate * distance).exp() };
        if self.x.row(row).starts == self.y.row(column).starts {
            return 1.0;
        }
        (-rate * (distance - roots.sum(row, column)).max(0.0)).exp()
    }

    /// The value of each ranking with itself, after division.
    pub(super) fn diagonal(&self, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        let mut values = W::own_values(self, self.x, run)?;
        for value in &mut values {
            *value = match (self.measure.rate(), self.measure.is_normalized()) {
                (Some(_), true) => 1.0,
                (Some(rate), false) => (-rate * *value).exp(),
                (None, true) => f64::from(u8::from(*value > 0.0)),
                (None, false) => *value,
            };
        }
        Ok(values)
    }

    /// The value after division.
    pub(super) fn finished(&self, value: f64, row: usize, column: usize) -> f64 {
        if let Some(rate) = self.measure.rate() {
            return self.similarity(rate, value, row, column);
        }
        let Some(roots) = &self.roots else { return value };
        let same = || self.x.row(row).starts == self.y.row(column).starts;
        roots.finish(value, (row, column), self.measure.is_normalized(), same)
    }

    /// The rankings of the columns, if they are not the rankings of the rows.
    pub(super) fn other(&self) -> Option<&'a Incomplete> {
        (!std::ptr::eq(self.x, self.y)).then_some(self.y)
    }

    /// Divides the values of a row of the result, from a column on. Some values may be padding and belong to no row or
    /// column.
    pub(super) fn finish_row(&self, isa: Isa, row: usize, column: usize, values: &mut [f64]) {
        if let Some(rate) = self.measure.rate() {
            let columns = column..self.y.rows().max(column);
            if row < self.x.rows() {
                columns.zip(values).for_each(|(column, value)| *value = self.similarity(rate, *value, row, column));
            }
            return;
        }
        let Some((of_rows, of_columns)) = self.roots.as_ref().map(Roots::all) else { return };
        let Some(&of_row) = of_rows.get(row) else { return };
        let of_columns = &of_columns[column..];
        let length = values.len().min(of_columns.len());
        let (values, of_columns) = (&mut values[..length], &of_columns[..length]);
        if !self.measure.is_normalized() {
            for (value, &of_column) in values.iter_mut().zip(of_columns) {
                *value = if of_row == 0.0 && of_column == 0.0 { 0.0 } else { *value };
            }
        } else if vectors::divide(isa, values, of_row, of_columns) {
            for (column, value) in (column..).zip(values) {
                if *value > 0.99 && self.x.row(row).starts == self.y.row(column).starts {
                    *value = 1.0;
                }
            }
        }
    }

    /// Whether the value depends on the two rankings only through their sum.
    pub(super) fn depends_on_sum_alone(&self) -> bool {
        self.roots.is_none() && !self.measure.is_normalized()
    }
}

impl TiedWeight for TensorWeight {
    fn can_cancel(&self) -> bool {
        false
    }

    fn own_values(
        setting: &TiedSetting<'_, Self>,
        set: &Incomplete,
        mut run: RunOptions<'_>,
    ) -> Result<Vec<f64>, Error> {
        Tensors::new(setting.weight, set.items(), &mut run.watch)?.own_values(set, run)
    }
}

impl TiedWeight for PairWeight {
    fn can_cancel(&self) -> bool {
        self.has_negative()
    }

    fn own_values(setting: &TiedSetting<'_, Self>, set: &Incomplete, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        let without_signs = setting.weight.without_signs()?;
        let ns = cost::tied_pair_ns(setting.measure);
        each_ranking(
            set.rows(),
            &OwnCost { usual: ns, longest: ns },
            run,
            |cancel| setting.memory(Some(Isa::widest()), cancel),
            |row, memory| setting.own_value(set, row, without_signs.as_ref(), memory),
        )
    }
}

impl TiedSetting<'_> {
    /// The value of a ranking with itself; for a kernel, 0 if it may be a rounding error, by the rule in [`own`].
    fn own_value(
        &self,
        set: &Incomplete,
        row: usize,
        without_signs: Option<&PairWeight>,
        memory: &mut TiedWorkspace,
    ) -> Result<f64, Error> {
        let blocks = set.row(row);
        if self.unknown {
            let ready = Ready::default();
            return Ok(self.value((set, row, &ready), (set, row, &ready), memory));
        }
        let signed = self.mean == Mean::Signed;
        let own = |weight: &PairWeight, means: &Means| {
            let own = if weight.is_later() { tops::own(blocks, signed) } else { means.own(weight, blocks, signed) };
            if self.mean == Mean::Discordant { pairs_of(blocks.starts.len() as u64) as f64 - own } else { own }
        };
        let (means, power) = self.scaled_means(set, row)?;
        let value = own(self.weight, &means);
        let Some(weight) = without_signs else { return Ok(value) };
        let mut means = Means::of(weight, blocks)?;
        means.rescale(power, signed);
        Ok(own::unless_rounding(value, own(weight, &means)))
    }

    /// Memory for pairs of rankings.
    pub(super) fn memory(&self, isa: Option<Isa>, cancel: &Cancel) -> Result<TiedWorkspace, Error> {
        let most_cells = cost::CELLS_AN_ITEM * self.x.items();
        let signed = self.mean == Mean::Signed;
        let need = Need { weight: self.weight, signed, unknown: self.unknown, most_cells };
        TiedWorkspace::new(need, self.x.items(), isa, cancel)
    }

    pub(super) fn means(&self, set: &Incomplete, row: usize) -> Result<Means, Error> {
        Ok(self.scaled_means(set, row)?.0)
    }

    /// A ranking that is prepared for comparisons with other rankings.
    pub(super) fn ready(&self, set: &Incomplete, row: usize) -> Result<Ready, Error> {
        let means = self.means(set, row)?;
        let levels = if self.unknown { None } else { Some(Levels::of(self.weight, set.row(row), &means)?) };
        Ok(Ready { means, levels })
    }

    /// The block means of the weights for a ranking. If values are divided by the roots, the means are scaled; the
    /// second result is the power of two.
    fn scaled_means(&self, set: &Incomplete, row: usize) -> Result<(Means, i32), Error> {
        if self.unknown {
            return Ok((Means::default(), 0));
        }
        let mut means = Means::of(self.weight, set.row(row))?;
        let signed = self.mean == Mean::Signed;
        let power = if self.measure.is_normalized() { means.power(self.weight, signed) } else { 0 };
        means.rescale(power, signed);
        Ok((means, power))
    }

    /// The value for two rankings, before division; for a Mallows kernel the mean distance.
    pub(super) fn value(
        &self,
        s: (&Incomplete, usize, &Ready),
        t: (&Incomplete, usize, &Ready),
        memory: &mut TiedWorkspace,
    ) -> f64 {
        let [s, t] = [s, t].map(|(set, row, Ready { means, levels })| TiedRanking {
            blocks: set.row(row),
            means,
            levels: levels.as_ref(),
        });
        // The order of the two rankings is fixed here, because sums over a permutation and over its inverse are rounded
        // differently.
        let (s, t) = if s.blocks.starts <= t.blocks.starts { (s, t) } else { (t, s) };
        if self.unknown {
            return self.of_balance(anywhere(s.blocks, t.blocks, memory));
        }
        match self.mean {
            Mean::Concordant => sums::concordant(self.weight, s, t, memory),
            Mean::Discordant => {
                pairs_of(s.blocks.starts.len() as u64) as f64 - sums::concordant(self.weight, s, t, memory)
            }
            Mean::Signed => sums::signed(self.weight, s, t, memory),
        }
    }

    /// For a measure that counts pairs, the value for a balance: the number of pairs of items in the same order in both
    /// rankings minus the number in opposite order.
    pub(super) fn of_balance(&self, balance: f64) -> f64 {
        let all = pairs_of(self.x.items() as u64) as f64;
        match self.mean {
            Mean::Signed => balance,
            Mean::Concordant => f64::midpoint(all, balance),
            Mean::Discordant => f64::midpoint(all, -balance),
        }
    }

    /// Whether a pair of items has only one feature, its order. Otherwise it has two features.
    pub(super) fn is_skew(&self) -> bool {
        self.unknown || self.mean == Mean::Signed
    }

    /// The value for a sum of products of features.
    pub(super) fn value_from_sum(&self, sum: f64) -> f64 {
        let all = pairs_of(self.x.items() as u64) as f64;
        let concordant = if self.unknown { f64::midpoint(all, sum) } else { sum };
        match self.mean {
            Mean::Signed => sum,
            Mean::Concordant => concordant,
            Mean::Discordant => all - concordant,
        }
    }
}
