//! A measure and lists. The value of two lists is the mean over all complete rankings that agree with them.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::weighed::{KnownWeight, Weighed};
use crate::error::Error;
use crate::gram::cost;
use crate::gram::strategies::own::{OwnCost, Roots, each_ranking};
use crate::measure::{KendallMeasure, Mean, MeanWeight};
use crate::memory;
use crate::pair::lists::{ListSums, ListWorkspace, Listed};
use crate::pair::pairs_of;
use crate::parallel::{self, Cancel, Progress, RunOptions, Watch};
use crate::rankings::Lists;
use crate::rankings::lists::List;
use crate::simd::Isa;
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;
use crate::weight::own;

/// The weight of the measure, and the sum that is averaged.
///
/// # Errors
/// Returns an error when the measure is not available for lists.
pub(super) fn mean_of(measure: &KendallMeasure) -> Result<(&PairWeight, Mean), Error> {
    if let (1, true, Some(weight)) = (measure.order(), measure.is_concordant(), measure.weight().pairs()) {
        return Ok((weight, Mean::Concordant));
    }
    match measure.mean()? {
        (MeanWeight::Pairs(weight), mean) => Ok((weight, mean)),
        (MeanWeight::Tensors(_), _) => Err(Error::ListMeasure),
    }
}

/// The weight of the measure, and the sum that is computed.
fn summed_of(measure: &KendallMeasure) -> Result<(&PairWeight, Mean), Error> {
    let (weight, mean) = mean_of(measure)?;
    // Signed sums are used here, because the difference of two distances of about N^2 / 4 would lose digits.
    let signed = measure.rate().is_some() && measure.is_normalized();
    Ok((weight, if signed { Mean::Signed } else { mean }))
}

/// The measure and the lists.
pub(super) struct ListSetting<'a> {
    measure: &'a KendallMeasure,
    pub(super) x: &'a Lists,
    pub(super) y: &'a Lists,
    mean: Mean,
    sums: Weighed<'a>,
    /// The means that an index keeps of the weight, if they are enough for these lists.
    known: Option<&'a KnownWeight>,
    longest: usize,
    /// The divisors of values. They are needed if values are normalized, or if values can be 0 although their terms are
    /// not 0. For the Mallows kernel, they are a quarter of the sum of the squared signs of each list.
    roots: Option<Roots<'a>>,
}

impl<'a> ListSetting<'a> {
    /// The setting of a measure, without the divisors.
    pub(super) fn new(
        measure: &'a KendallMeasure,
        x: &'a Lists,
        y: &'a Lists,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let longest = x.longest().max(y.longest());
        let (weight, mean) = summed_of(measure)?;
        let sums = Weighed::new(weight, mean == Mean::Signed, x.items(), longest, watch)?;
        let sums = sums.over(measure.order() == 1);
        Ok(Self { measure, x, y, mean, sums, known: None, longest, roots: None })
    }

    /// The same setting, with the means that an index for this measure keeps. A list of `y` must not be longer than
    /// both the longest list of the index and the longest list of `x`. A pass over all weights is needed only if a list
    /// of `x` is very long.
    pub(super) fn with_known(
        measure: &'a KendallMeasure,
        x: &'a Lists,
        y: &'a Lists,
        known: &'a KnownWeight,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let longest = x.longest().max(known.longest());
        let (weight, mean) = summed_of(measure)?;
        let (signed, items) = (mean == Mean::Signed, x.items());
        let known = known.suffices(longest).then_some(known);
        let sums = match known {
            Some(known) => known.weighed(weight, signed, items)?,
            None => Weighed::new(weight, signed, items, longest, watch)?,
        };
        Ok(Self { measure, x, y, mean, sums, known, longest, roots: None })
    }

    /// The sums of the measure.
    pub(super) fn sums(&self) -> ListSums<'_> {
        self.sums.sums()
    }

    /// Whether values are divided by the roots, or can be 0 because of them.
    pub(super) fn needs_roots(&self) -> bool {
        match self.mean {
            Mean::Concordant | Mean::Signed => self.measure.is_normalized() || self.sums.weight.has_negative(),
            Mean::Discordant => false,
        }
    }

    /// Computes the divisors of values.
    pub(super) fn find_roots(&mut self, mut run: RunOptions<'_>) -> Result<(), Error> {
        let of_rows = self.roots_of(self.x, run.again())?;
        let same = std::ptr::eq(self.x, self.y);
        let of_columns = if same { None } else { Some(self.roots_of(self.y, run)?.into()) };
        self.set_roots(of_rows.into(), of_columns);
        Ok(())
    }

    /// Sets the divisors of values.
    pub(super) fn set_roots(&mut self, of_rows: Cow<'a, [f64]>, of_columns: Option<Cow<'a, [f64]>>) {
        self.roots = Some(Roots::new(of_rows, of_columns));
    }

    /// The divisors of the values of these lists.
    pub(super) fn roots_of(&self, set: &Lists, mut run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        // Most of the time is spent on the matrix.
        let mut begun = |_| match &mut run.watch {
            Some(watch) => watch(Progress { done: 0, total: 1 }),
            None => ControlFlow::Continue(()),
        };
        let mut values = self.own_values(set, RunOptions { threads: run.threads, watch: Some(&mut begun) })?;
        for value in &mut values {
            *value = if self.measure.rate().is_some() { *value / 4.0 } else { value.max(0.0).sqrt() };
        }
        Ok(values)
    }

    /// The value of each list with itself, after division.
    pub(super) fn diagonal(&self, run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        let mut values = self.own_values(self.x, run)?;
        for value in &mut values {
            *value = match (self.measure.rate(), self.measure.is_normalized()) {
                (Some(_), true) => 1.0,
                (Some(rate), false) => (-rate * *value).exp(),
                (None, true) if self.mean != Mean::Discordant => f64::from(u8::from(*value > 0.0)),
                (None, _) => *value,
            };
        }
        Ok(values)
    }

    /// The value of each list with itself, before division; for a Mallows kernel the mean distance.
    fn own_values(&self, set: &Lists, mut run: RunOptions<'_>) -> Result<Vec<f64>, Error> {
        let Weighed { weight, signed, items, single, .. } = self.sums;
        let made;
        let without_signs = if let Some(known) = self.known {
            known.without_signs(signed, items)?
        } else {
            made = weight.without_signs()?;
            let weighed = |weight| Weighed::new(weight, signed, items, self.longest, parallel::share(&mut run.watch));
            made.as_ref().map(weighed).transpose()?.map(|weighed| weighed.over(single))
        };
        let cost = OwnCost {
            usual: cost::lists_pair_ns(self.measure, set.entries().div_ceil(set.rows().max(1))),
            longest: cost::lists_pair_ns(self.measure, self.longest),
        };
        each_ranking(
            set.rows(),
            &cost,
            run,
            |cancel| Ok((self.memory(Some(Isa::widest()), cancel)?, Vec::new())),
            |row, (memory, common)| self.own_value(set.row(row), without_signs.as_ref(), memory, common),
        )
    }

    /// The value of a list with itself; for a kernel, 0 if it may be a rounding error, by the rule in [`own`].
    fn own_value(
        &self,
        list: List<'_>,
        without_signs: Option<&Weighed<'_>>,
        memory: &mut ListWorkspace,
        common: &mut Vec<[u32; 2]>,
    ) -> Result<f64, Error> {
        common.clear();
        memory::reserve(common, list.len())?;
        common.extend((0..list.len() as u32).map(|place| [place; 2]));
        let mut power = 0;
        let mut own = |weighed: &Weighed<'_>, power_of: &mut dyn FnMut(&Means) -> i32| {
            let sums = weighed.sums();
            let [mut one, mut other] = [sums.listed(list, &mut *power_of)?, sums.listed(list, &mut *power_of)?];
            let sum = sums.of_common(&mut one, &mut other, common, memory)?;
            Ok::<_, Error>(self.value_from_sum(sum))
        };
        let value = own(&self.sums, &mut |means| {
            power = self.power(means);
            power
        })?;
        match without_signs {
            Some(weighed) => Ok(own::unless_rounding(value, own(weighed, &mut |_| power)?)),
            None => Ok(value),
        }
    }

    /// Memory for pairs of lists.
    pub(super) fn memory(&self, isa: Option<Isa>, cancel: &Cancel) -> Result<ListWorkspace, Error> {
        ListWorkspace::new(self.longest, isa, cancel)
    }

    /// Prepares a list.
    pub(super) fn listed<'b>(&self, list: List<'b>) -> Result<Listed<'b>, Error> {
        self.sums().listed(list, |means| self.power(means))
    }

    /// The power of two by which the numbers of a list are multiplied, if values are divided by the roots.
    fn power(&self, means: &Means) -> i32 {
        if self.measure.is_normalized() && !self.sums.single {
            means.power(self.sums.weight, self.sums.signed)
        } else {
            0
        }
    }

    /// The value for a sum, before division; for a Mallows kernel the mean distance.
    pub(super) fn value_from_sum(&self, sum: f64) -> f64 {
        match self.mean {
            // Correlations are computed from two kernels, so they do not occur here.
            Mean::Concordant | Mean::Signed => sum,
            Mean::Discordant => pairs_of(self.sums.items as u64) as f64 - sum,
        }
    }

    /// The Mallows kernel of two lists with this mean distance. If the kernel is divided by the square roots of both
    /// self-similarities, the exponent has `|s - t|^2 / 4` in place of the distance, where s and t are the signs of all
    /// pairs. `value` is then the signed sum. No quotient is computed that could underflow.
    fn similarity(&self, rate: f64, value: f64, row: usize, column: usize) -> f64 {
        let Some(roots) = &self.roots else { return (-rate * value).exp() };
        (-rate * (roots.sum(row, column) - value / 2.0).max(0.0)).exp()
    }

    /// Reads a list of the columns and its divisor, and returns anything that depends on them.
    pub(super) fn fetch(&self, column: usize) -> u32 {
        let list = self.y.row(column);
        let ends = list.first().map_or(0, |entry| entry[0]) ^ list.last().map_or(0, |entry| entry[0]);
        let root = self.roots.as_ref().map_or(0.0, |roots| roots.all().1[column]);
        ends ^ root.to_bits() as u32
    }

    /// The value after division.
    pub(super) fn finished(&self, value: f64, row: usize, column: usize) -> f64 {
        if let Some(rate) = self.measure.rate() {
            return self.similarity(rate, value, row, column);
        }
        let Some(roots) = &self.roots else { return value };
        let same = || self.x.row(row) == self.y.row(column);
        roots.finish(value, (row, column), self.measure.is_normalized(), same)
    }
}
