//! One pair of columns at a time: every coefficient, with weights and intervals, of dense and sparse columns.

use super::detail::{Details, Estimate};
use super::finish::{Counts, Finish};
use super::normal::{quantile, student_quantile};
use super::sparse::Lookup;
use super::{Coefficient, Columns, CorrelationSettings, Correlations, Kind, Levels};
use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost::STOP_CHECK_INTERVAL_NS;
use crate::memory;
use crate::pair::incomplete::{Need, TiedWorkspace};
use crate::pair::observed::by_sorting;
use crate::parallel::{self, Cancel, Workers};
use crate::weight::kinds::PairWeight;

/// The result for a pair of columns: the coefficient, its p-value, and the ends of its interval.
type Entry = [f64; 4];

/// The entry of a pair without a correlation.
const NONE: Entry = [f64::NAN; 4];

pub(super) struct ByPairs<'a> {
    x: &'a Columns,
    y: &'a Columns,
    settings: &'a CorrelationSettings<'a>,
    finish: Finish,
    /// The half width of an interval, in standard errors.
    width: f64,
}

/// The memory of one thread.
struct Room {
    cancel: Cancel,
    workspace: TiedWorkspace,
    lookup: Lookup,
    details: Details,
    /// The levels of the column that was used last, for the rows and for the columns of the matrix.
    levels: [(Option<usize>, Levels); 2],
    /// Weights of levels, and numbers of observations.
    counts: Vec<u64>,
    ranks: Vec<i64>,
}

impl<'a> ByPairs<'a> {
    pub(super) fn new(x: &'a Columns, y: &'a Columns, settings: &'a CorrelationSettings<'a>, finish: Finish) -> Self {
        let width = settings.confidence.map_or(0.0, |confidence| quantile(0.5 - confidence / 2.0));
        Self { x, y, settings, finish, width }
    }

    /// Fills a matrix.
    pub(super) fn matrix(&self, symmetric: bool, out: &mut Correlations, options: Options<'_>) -> Result<(), Error> {
        let (rows, columns) = (self.x.columns(), self.y.columns());
        let half = symmetric && self.settings.coefficient != Coefficient::Somers;
        let pair = |place: usize| (place / columns, place % columns);
        self.run(
            rows * columns,
            |place| Some(pair(place)).filter(|(row, column)| !half || row <= column),
            out,
            options,
        )?;
        if half {
            let Correlations { statistic, pvalue, low, high } = out;
            for matrix in [Some(statistic), pvalue.as_mut(), low.as_mut(), high.as_mut()].into_iter().flatten() {
                for row in 1..rows {
                    for column in 0..row {
                        matrix[row * columns + column] = matrix[column * columns + row];
                    }
                }
            }
        }
        Ok(())
    }

    /// Fills the results for some pairs.
    pub(super) fn chosen(
        &self,
        pairs: &[(usize, usize)],
        out: &mut Correlations,
        options: Options<'_>,
    ) -> Result<(), Error> {
        // Pairs are computed in the order of their columns, so that each column is prepared only once.
        let mut order = memory::collect(0..pairs.len())?;
        order.sort_unstable_by_key(|&place| pairs[place]);
        self.run(pairs.len(), |place| Some(pairs[order[place]]), out, options)?;
        let mut sorted = memory::filled(pairs.len(), 0.0)?;
        let Correlations { statistic, pvalue, low, high } = out;
        for values in [Some(statistic), pvalue.as_mut(), low.as_mut(), high.as_mut()].into_iter().flatten() {
            sorted.copy_from_slice(values);
            for (&place, &value) in order.iter().zip(&sorted) {
                values[place] = value;
            }
        }
        Ok(())
    }

    /// The coefficient of the two first columns, and, for each observation, the coefficient without it.
    pub(super) fn without_each(&self, options: Options<'_>) -> Result<(f64, Vec<f64>), Error> {
        let mut without = memory::filled(self.x.observations(), f64::NAN)?;
        let statistic = parallel::run_one(self.pair_ns(), options.watch, |cancel| {
            let mut room = self.room(cancel)?;
            let found = self.estimate(0, 0, &mut room)?;
            for (observation, value) in room.details.without() {
                without[observation] = value;
            }
            Ok(found.statistic)
        })?;
        Ok((statistic, without))
    }

    /// Approximate time for a pair of columns.
    fn pair_ns(&self) -> f64 {
        match &self.x.0 {
            Kind::Sparse(_) if !self.settings.needs_detail() => 1000.0,
            _ => 100.0 * self.x.observations() as f64,
        }
    }

    /// Fills the results of `count` places. Each place has a pair of columns or none.
    fn run(
        &self,
        count: usize,
        pair: impl Fn(usize) -> Option<(usize, usize)> + Sync,
        out: &mut Correlations,
        options: Options<'_>,
    ) -> Result<(), Error> {
        let pair_ns = self.pair_ns();
        let threads = parallel::threads_for(pair_ns * count as f64, options.threads);
        let at_once = ((STOP_CHECK_INTERVAL_NS / pair_ns) as usize).clamp(1, 1024);
        let Correlations { statistic, pvalue, low, high } = out;
        let outputs = [Some(statistic), pvalue.as_mut(), low.as_mut(), high.as_mut()];
        let mut chunks = outputs.map(|values| values.map(|values| values.chunks_mut(at_once)));
        let mut jobs = memory::with_capacity(count.div_ceil(at_once))?;
        for start in (0..count).step_by(at_once) {
            jobs.push((start, chunks.each_mut().map(|chunks| chunks.as_mut().and_then(Iterator::next))));
        }
        parallel::run(
            jobs,
            Workers::new(threads, pair_ns),
            options.watch,
            |cancel| self.room(cancel),
            |(start, mut outputs): (usize, [Option<&mut [f64]>; 4]), room, poll| {
                for place in start..count.min(start + at_once) {
                    let Some((row, column)) = pair(place) else { continue };
                    if poll.is_cancelled() {
                        break;
                    }
                    let entry = self.entry(row, column, room)?;
                    for (output, value) in outputs.iter_mut().zip(entry) {
                        if let Some(output) = output {
                            output[place - start] = value;
                        }
                    }
                }
                Ok(())
            },
        )
    }

    fn room(&self, cancel: &Cancel) -> Result<Room, Error> {
        let weight = &PairWeight::Count { top: None };
        let need = Need { weight, signed: true, unknown: true, most_cells: 0 };
        let dense = matches!((&self.x.0, &self.y.0), (Kind::Dense(_), Kind::Dense(_)));
        let counts = !self.settings.needs_detail() || self.tests_counts();
        let items = if dense && counts { self.x.observations() } else { 0 };
        Ok(Room {
            cancel: cancel.clone(),
            workspace: TiedWorkspace::new(need, items, Some(crate::simd::Isa::widest()), cancel)?,
            lookup: Lookup::default(),
            details: Details::default(),
            levels: Default::default(),
            counts: Vec::new(),
            ranks: Vec::new(),
        })
    }

    fn entry(&self, row: usize, column: usize, room: &mut Room) -> Result<Entry, Error> {
        let spearman = self.settings.coefficient == Coefficient::Spearman;
        if self.settings.needs_detail() {
            let found = self.estimate(row, column, room)?;
            let mut entry = self.finished(&found);
            if self.tests_counts() && !entry[0].is_nan() {
                entry[1] = self.finish.of_counts(&self.count(row, column, room)?).1;
            }
            return Ok(entry);
        }
        let enough = self.x.observations() >= self.finish.least();
        let (value, pvalue) = match (&self.x.0, &self.y.0) {
            (Kind::Sparse(_), Kind::Sparse(_)) if spearman && !enough => (f64::NAN, f64::NAN),
            (Kind::Sparse(x), Kind::Sparse(y)) if spearman => (room.lookup.spearman(x, row, y, column)?, f64::NAN),
            _ if spearman => {
                self.find_levels(row, column, room)?;
                (room.spearman(self.finish.least())?, f64::NAN)
            }
            _ => self.finish.of_counts(&self.count(row, column, room)?),
        };
        Ok([value, pvalue, f64::NAN, f64::NAN])
    }

    /// Whether p-values are computed from the numbers of concordant and discordant pairs.
    fn tests_counts(&self) -> bool {
        let CorrelationSettings { coefficient, alternative, weights, .. } = self.settings;
        let counted = !matches!(coefficient, Coefficient::Somers | Coefficient::Spearman);
        counted && alternative.is_some() && weights.is_none()
    }

    fn count(&self, row: usize, column: usize, room: &mut Room) -> Result<Counts, Error> {
        match (&self.x.0, &self.y.0) {
            (Kind::Sparse(x), Kind::Sparse(y)) => room.lookup.count(x, row, y, column),
            (Kind::Dense(x), Kind::Dense(y)) => {
                let observed = by_sorting(x.row(row), y.row(column), &mut room.workspace);
                self.find_levels(row, column, room)?;
                let (joint, levels) = room.joint_ties()?;
                Ok(Counts { observed, joint, levels })
            }
            _ => Ok(Counts::default()), // one of them sparse: refused before
        }
    }

    fn find_levels(&self, row: usize, column: usize, room: &mut Room) -> Result<(), Error> {
        for ((columns, wanted), (kept, levels)) in [(self.x, row), (self.y, column)].into_iter().zip(&mut room.levels) {
            if *kept != Some(wanted) {
                columns.levels(wanted, levels)?;
                *kept = Some(wanted);
            }
        }
        Ok(())
    }

    fn estimate(&self, row: usize, column: usize, room: &mut Room) -> Result<Estimate, Error> {
        self.find_levels(row, column, room)?;
        let Room { details, levels: [(_, x), (_, y)], cancel, .. } = room;
        details.estimate(self.settings.coefficient, x, y, self.settings.weights, cancel)?.ok_or(Error::Interrupted)
    }

    /// The coefficient with its p-value and interval.
    fn finished(&self, found: &Estimate) -> Entry {
        let Estimate { statistic, error, transformed, null_error, balance, observations } = *found;
        if statistic.is_nan() || observations < self.finish.least() {
            return NONE;
        }
        let deviation = match self.settings.coefficient {
            Coefficient::Somers if self.settings.weights.is_none() => balance / null_error,
            _ => statistic / error,
        };
        // The deviation is 0 / 0 if nothing varies and nothing deviates. The error is NaN if some coefficient without
        // an observation does not exist.
        let nothing = deviation.is_nan() && !error.is_nan();
        let pvalue = self.finish.tail(if nothing { 0.0 } else { deviation });
        if error.is_nan() {
            return [statistic, pvalue, f64::NAN, f64::NAN];
        }
        if statistic.abs() >= 1.0 || error == 0.0 {
            return [statistic, pvalue, statistic, statistic];
        }
        let (middle, half) = (statistic.atanh(), student_quantile(self.width, transformed.1) * transformed.0);
        [statistic, pvalue, (middle - half).tanh(), (middle + half).tanh()]
    }
}

impl Room {
    /// The number of pairs that are tied in both columns, and the smaller of the two numbers of distinct values. Only
    /// common observations are used.
    fn joint_ties(&mut self) -> Result<(u64, usize), Error> {
        let Self { levels: [(_, x), (_, y)], counts, ranks, .. } = self;
        counts.clear();
        memory::resize(counts, y.count, 0)?;
        ranks.clear();
        memory::resize(ranks, y.count, 0)?;
        let (mut joint, mut of_x) = (0, 0);
        for block in x.order.chunk_by(|&one, &other| x.of_items[one as usize] == x.of_items[other as usize]) {
            let common = block.iter().map(|&item| y.of_items[item as usize]).filter(|&level| level != Levels::MISSING);
            let mut found = false;
            for level in common.clone() {
                // The pairs of this observation with the observations before it.
                joint += counts[level as usize];
                counts[level as usize] += 1;
                ranks[level as usize] = 1;
                found = true;
            }
            for level in common {
                counts[level as usize] = 0;
            }
            of_x += usize::from(found);
        }
        Ok((joint, of_x.min(ranks.iter().filter(|&&seen| seen > 0).count())))
    }

    /// Spearman's correlation of the common observations.
    fn spearman(&mut self, least: usize) -> Result<f64, Error> {
        let Self { levels: [(_, x), (_, y)], ranks, .. } = self;
        ranks.clear();
        memory::resize(ranks, x.of_items.len(), 0)?;
        let mut squares = [0_u128; 2];
        let mut count = 0;
        let mut sum = 0_i128;
        for (side, (own, other)) in [(&*x, &*y), (&*y, &*x)].into_iter().enumerate() {
            let is_common = |&&item: &&u32| other.of_items[item as usize] != Levels::MISSING;
            count = own.order.iter().filter(is_common).count() as i64;
            let mut before = 0;
            for block in own.order.chunk_by(|&one, &other| own.of_items[one as usize] == own.of_items[other as usize]) {
                let size = block.iter().filter(is_common).count() as i64;
                let rank = before - (count - before - size);
                for &item in block.iter().filter(is_common) {
                    if side == 0 {
                        ranks[item as usize] = rank;
                    } else {
                        sum += i128::from(ranks[item as usize]) * i128::from(rank);
                    }
                }
                squares[side] += u128::from(size.unsigned_abs()) * u128::from(rank.unsigned_abs()).pow(2);
                before += size;
            }
        }
        let unit = (squares[0] as f64 * squares[1] as f64).sqrt();
        let enough = count >= least as i64 && unit > 0.0;
        Ok(if enough { (sum as f64 / unit).clamp(-1.0, 1.0) } else { f64::NAN })
    }
}
