//! Columns that lack no observation are rankings with ties: their Gram matrix counts the pairs.

use super::finish::TauB;
use crate::error::Error;
use crate::gram::{Finish, Options, gram_into};
use crate::kappa::observed::{Observed, TieSums};
use crate::kappa::pairs_of;
use crate::measure::Measure;
use crate::memory;
use crate::parallel::{self, Crew};
use crate::rankings::Incomplete;
use crate::weight::Weight;

/// Finishing a value without its p-value, and with it.
const FINISH_NS: f64 = 4.0;
const PVALUE_NS: f64 = 100.0;
/// Values of a job, in a few milliseconds at most.
const JOB: usize = 1 << 15;

/// Fills the correlations, and the p-values where they are wanted.
pub(super) fn fill(
    finish: &TauB,
    (x, y): (&Incomplete, Option<&Incomplete>),
    (statistic, pvalue): (&mut [f64], Option<&mut [f64]>),
    mut options: Options<'_>,
) -> Result<(), Error> {
    let items = x.items();
    let signed = Measure::kernel(&Weight::Standard, items)?.signed()?;
    let threads = options.threads;
    if !x.is_complete() || !y.unwrap_or(x).is_complete() {
        gram_into(&signed, x, y, statistic, Options { watch: parallel::share(&mut options.watch), ..options })?;
    } else if let Some(of_x) = x.try_complete(parallel::share(&mut options.watch))? {
        let of_y = y.map(|y| y.try_complete(parallel::share(&mut options.watch))).transpose()?.flatten();
        // Without ties the normalized kernel is tau.
        let done = pvalue.is_none() && items >= 2 && items >= finish.least();
        let measure = if done { signed.normalized() } else { signed };
        let watch = parallel::share(&mut options.watch);
        gram_into(&measure, &of_x, of_y.as_ref(), statistic, Options { watch, ..options })?;
        if done {
            return Ok(());
        }
    }
    let ties = |set: &Incomplete| memory::collect((0..set.rows()).map(|row| TieSums::among(set.row(row), |_| true)));
    let (of_rows, of_columns) = (ties(x)?, y.map(ties).transpose()?);
    let finishing = Finishing { finish, items: items as u64, columns: of_columns.as_ref().unwrap_or(&of_rows) };
    finishing.run(&of_rows, statistic, pvalue, Options { threads, ..options })
}

/// From balances to correlations.
struct Finishing<'a> {
    finish: &'a TauB,
    items: u64,
    /// The ties of each column of the result.
    columns: &'a [TieSums],
}

impl Finishing<'_> {
    fn run(
        &self,
        rows: &[TieSums],
        statistic: &mut [f64],
        pvalue: Option<&mut [f64]>,
        options: Options<'_>,
    ) -> Result<(), Error> {
        let width = self.columns.len();
        let at_once = (JOB / width.max(1)).max(1);
        let size = (at_once * width).max(1);
        let each = if pvalue.is_some() { PVALUE_NS } else { FINISH_NS };
        let threads = parallel::threads_for(each * statistic.len() as f64, options.threads);
        let mut pvalues = pvalue.map(|pvalue| pvalue.chunks_mut(size));
        let chunks = rows.chunks(at_once).zip(statistic.chunks_mut(size));
        let jobs = chunks.map(|job| (job, pvalues.as_mut().and_then(Iterator::next)));
        parallel::run(
            memory::collect(jobs)?,
            Crew::new(threads, 0.0),
            options.watch,
            |_| Ok(()),
            |((rows, statistic), pvalue), (), proceed| {
                let mut pvalues = pvalue.map(|pvalue| pvalue.chunks_mut(width.max(1)));
                for (&ties, statistic) in rows.iter().zip(statistic.chunks_mut(width.max(1))) {
                    if !proceed() {
                        break;
                    }
                    match pvalues.as_mut().and_then(Iterator::next) {
                        Some(pvalue) => self.row_with_pvalues(ties, statistic, pvalue),
                        None => self.row(ties, statistic),
                    }
                }
                Ok(())
            },
        )
    }

    fn row(&self, ties: TieSums, statistic: &mut [f64]) {
        let all = pairs_of(self.items);
        let enough = self.items >= self.finish.least() as u64;
        let decided = (all - ties.pairs) as f64;
        for (value, other) in statistic.iter_mut().zip(self.columns) {
            let tau = TauB::tau(*value, decided, (all - other.pairs) as f64);
            *value = if enough { tau } else { f64::NAN };
        }
    }

    fn row_with_pvalues(&self, ties: TieSums, statistic: &mut [f64], pvalue: &mut [f64]) {
        for ((value, pvalue), &other) in statistic.iter_mut().zip(pvalue).zip(self.columns) {
            let observed = Observed { observations: self.items, balance: *value as i64, ties: [ties, other] };
            (*value, *pvalue) = self.finish.finish(&observed);
        }
    }
}
