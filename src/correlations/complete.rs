//! Columns without missing observations. They are rankings with ties, and their Gram matrix has the numbers of
//! concordant minus discordant pairs.

use std::ops::ControlFlow;

use super::Coefficient;
use super::finish::Finish;
use crate::error::Error;
use crate::gram::cost::{FINISH_JOB, FINISH_NS, PVALUE_NS};
use crate::gram::{FinishPair, Options, gram_into};
use crate::measure::Measure;
use crate::memory;
use crate::pair::observed::{Observed, TieSums};
use crate::pair::pairs_of;
use crate::parallel::{self, Progress, Watch, Workers};
use crate::rankings::Incomplete;
use crate::weight::Weight;

/// Fills the correlations, and the p-values if they are requested.
pub(super) fn fill(
    finish: &Finish,
    (x, y): (&Incomplete, Option<&Incomplete>),
    (statistic, pvalue): (&mut [f64], Option<&mut [f64]>),
    Options { threads, tile, backend, watch }: Options<'_>,
) -> Result<(), Error> {
    let mut ignore = |_| ControlFlow::Continue(());
    let watch = watch.unwrap_or(&mut ignore);
    let mut reached = Progress { done: 0, total: 1 };
    let mut count = |progress| {
        reached = progress;
        watch(progress)
    };
    // Without ties, the normalized signed kernel is tau.
    let items = x.items();
    let is_tau = pvalue.is_none()
        && matches!(finish.coefficient, Coefficient::TauA | Coefficient::TauB | Coefficient::Somers)
        && items >= 2
        && items >= finish.least();
    let options = Options { threads, tile, backend, watch: Some(&mut count) };
    if count_pairs((x, y), is_tau, statistic, options)? {
        return Ok(());
    }
    let ties = |set: &Incomplete| memory::collect((0..set.rows()).map(|row| TieSums::among(set.row(row), |_| true)));
    let (of_rows, of_columns) = (ties(x)?, y.map(ties).transpose()?);
    let finishing = Finishing { finish, items: items as u64, columns: of_columns.as_ref().unwrap_or(&of_rows) };
    // This takes little time and shows no progress.
    let mut look = |_| watch(reached);
    finishing.run(&of_rows, statistic, pvalue, threads, &mut look)
}

/// Fills `out` with the balances of all pairs of columns. If the columns have no ties and tau is wanted, fills `out`
/// with tau. Returns whether it is tau.
fn count_pairs(
    (x, y): (&Incomplete, Option<&Incomplete>),
    as_tau: bool,
    out: &mut [f64],
    Options { threads, tile, backend, mut watch }: Options<'_>,
) -> Result<bool, Error> {
    let signed = Measure::kernel(&Weight::Standard, x.items())?.signed()?;
    let untied = |set: &Incomplete, watch: &mut Option<Watch<'_>>| {
        let mut begun =
            |_| watch.as_mut().map_or(ControlFlow::Continue(()), |watch| watch(Progress { done: 0, total: 1 }));
        set.try_complete(Some(&mut begun))
    };
    if !y.unwrap_or(x).is_complete() || !x.is_complete() {
        gram_into(&signed, x, y, out, Options { threads, tile, backend, watch })?;
        return Ok(false);
    }
    let (of_x, of_y) = (untied(x, &mut watch)?, y.map(|y| untied(y, &mut watch)).transpose()?.flatten());
    let Some(of_x) = of_x else { return Err(Error::Changed) };
    let measure = if as_tau { signed.normalized() } else { signed };
    gram_into(&measure, &of_x, of_y.as_ref(), out, Options { threads, tile, backend, watch })?;
    Ok(as_tau)
}

/// Computes correlations from balances.
struct Finishing<'a> {
    finish: &'a Finish,
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
        threads: Option<usize>,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        let width = self.columns.len();
        let at_once = (FINISH_JOB / width.max(1)).max(1);
        let size = (at_once * width).max(1);
        let each = if pvalue.is_some() { PVALUE_NS } else { FINISH_NS };
        let threads = parallel::threads_for(each * statistic.len() as f64, threads);
        let mut pvalues = pvalue.map(|pvalue| pvalue.chunks_mut(size));
        let chunks = rows.chunks(at_once).zip(statistic.chunks_mut(size));
        let jobs = chunks.map(|job| (job, pvalues.as_mut().and_then(Iterator::next)));
        parallel::run(
            memory::collect(jobs)?,
            Workers::new(threads, 0.0),
            Some(watch),
            |_| Ok(()),
            |((rows, statistic), pvalue), (), poll| {
                let mut pvalues = pvalue.map(|pvalue| pvalue.chunks_mut(width.max(1)));
                for (&ties, statistic) in rows.iter().zip(statistic.chunks_mut(width.max(1))) {
                    if poll.is_cancelled() {
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
            let found = self.finish.value(*value, all as f64, decided, (all - other.pairs) as f64);
            *value = if enough { found } else { f64::NAN };
        }
    }

    fn row_with_pvalues(&self, ties: TieSums, statistic: &mut [f64], pvalue: &mut [f64]) {
        for ((value, pvalue), &other) in statistic.iter_mut().zip(pvalue).zip(self.columns) {
            let observed = Observed { observations: self.items, balance: *value as i64, ties: [ties, other] };
            (*value, *pvalue) = self.finish.finish(&observed);
        }
    }
}
