//! Two columns, observation by observation: for weights of observations, and for how much each observation changes a
//! coefficient.
//!
//! An observation o has these numbers. The sums are over the observations b that both columns have, with weights w:
//!
//! ```text
//! h(o) = sum of w(b) sgn(x(o) - x(b)) sgn(y(o) - y(b))     concordant minus discordant
//! r(o) = sum of w(b) sgn(x(o) - x(b))                      twice the rank in x, centred; q(o) in y
//! a(o) = sum of w(b) over x(b) != x(o)                     not tied in x; b(o) in y, g(o) in neither
//! ```
//!
//! Multiply these numbers by w(o), and add them up over o: the coefficients are functions of these sums. The sums
//! without observation k follow from the numbers of k, because each pair of k occurs twice in a sum. So all
//! coefficients that leave out one observation take O(n). Their spread gives the jackknife variance.

use std::ops::Range;

use super::{Coefficient, Levels};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::tree::{add_at, sum_up_to};

/// The number of observations between two checks for cancellation.
const STOP_CHECK_INTERVAL: usize = 1 << 16;

/// A coefficient, and numbers that follow from the coefficients without each observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) statistic: f64,
    /// The jackknife standard error.
    pub(super) error: f64,
    /// The standard error on the scale of Fisher's transformation, and 1 divided by its degrees of freedom.
    pub(super) transformed: (f64, f64),
    /// The standard deviation of the balance if the columns are independent, as estimated for Somers' D.
    pub(super) null_error: f64,
    /// Concordant minus discordant, where each pair counts in both orders.
    pub(super) balance: f64,
    /// The number of common observations with a positive weight.
    pub(super) observations: usize,
}

/// Memory for one thread.
#[derive(Debug, Default)]
pub(super) struct Details {
    /// The common observations in the order of x, and the blocks of observations with equal x.
    common: Vec<u32>,
    blocks: Vec<Range<usize>>,
    /// The numbers of each observation, in the order of `common`.
    all: Vec<Numbers>,
    /// Sums over the levels of y, as a binary indexed tree and as plain sums.
    tree: Vec<f64>,
    by_level: Vec<[f64; 2]>,
    /// The coefficient without each observation, in the order of `common`.
    without: Vec<f64>,
}

/// The numbers of an observation.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    weight: f64,
    level: u32,
    h: f64,
    r: f64,
    q: f64,
    a: f64,
    b: f64,
    /// The weight of the observations that equal this one in both columns.
    joint: f64,
    /// Four sums over b, of w(b) q(b) sgn(x(b) - x(o)), w(b) r(b) sgn(y(b) - y(o)), w(b) r(b) sgn(x(b) - x(o)) and w(b)
    /// q(b) sgn(y(b) - y(o)).
    moved: [f64; 4],
}

/// Sums over all observations.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    total: f64,
    squares: f64,
    h: f64,
    a: f64,
    b: f64,
    g: f64,
    rq: f64,
    rr: f64,
    qq: f64,
    /// The smaller of the two numbers of distinct values.
    levels: f64,
}

impl Sums {
    fn coefficient(&self, coefficient: Coefficient) -> f64 {
        // In one column, all observations are equal, so there is no coefficient.
        if self.a <= 0.0 || self.b <= 0.0 {
            return f64::NAN;
        }
        let found = match coefficient {
            Coefficient::TauA => self.h / (self.total * self.total - self.squares),
            Coefficient::TauB => self.h / (self.a * self.b).sqrt(),
            Coefficient::TauC => self.h * self.levels / (self.total * self.total * (self.levels - 1.0)),
            Coefficient::Gamma => self.h / self.g,
            Coefficient::Somers => self.h / self.a,
            Coefficient::Spearman => self.rq / (self.rr * self.qq).sqrt(),
        };
        found.clamp(-1.0, 1.0)
    }

    /// The sums without one observation.
    fn without(&self, one: &Numbers) -> Self {
        let w = one.weight;
        let [x_by_q, y_by_r, x_by_r, y_by_q] = one.moved;
        Self {
            total: self.total - w,
            squares: self.squares - w * w,
            h: self.h - 2.0 * w * one.h,
            a: self.a - 2.0 * w * one.a,
            b: self.b - 2.0 * w * one.b,
            g: self.g - 2.0 * w * one.g(self.total),
            rq: self.rq - w * one.r * one.q - w * (x_by_q + y_by_r) + w * w * one.h,
            rr: self.rr - w * one.r * one.r - 2.0 * w * x_by_r + w * w * one.a,
            qq: self.qq - w * one.q * one.q - 2.0 * w * y_by_q + w * w * one.b,
            levels: self.levels,
        }
    }
}

impl Numbers {
    /// The weight of the observations that differ from this one in both columns.
    fn g(&self, total: f64) -> f64 {
        self.a + self.b - total + self.joint
    }
}

impl Details {
    /// The coefficient of two columns and its error; `None` if the run is cancelled.
    pub(super) fn estimate(
        &mut self,
        coefficient: Coefficient,
        x: &Levels,
        y: &Levels,
        weights: Option<&[f64]>,
        cancel: &Cancel,
    ) -> Result<Option<Estimate>, Error> {
        self.gather(x, y, weights)?;
        let of_y = self.sum_levels(y.count)?;
        if !self.sum_before(y.count, cancel)? {
            return Ok(None);
        }
        self.move_sums();
        let mut sums = Sums { levels: self.blocks.len().min(of_y) as f64, ..Sums::default() };
        for one in &self.all {
            sums.total += one.weight;
            sums.squares += one.weight * one.weight;
        }
        let mut squares = 0.0;
        for one in &self.all {
            let w = one.weight;
            sums.h += w * one.h;
            sums.a += w * one.a;
            sums.b += w * one.b;
            sums.g += w * one.g(sums.total);
            sums.rq += w * one.r * one.q;
            sums.rr += w * one.r * one.r;
            sums.qq += w * one.q * one.q;
            squares += w * one.h * one.h;
        }
        self.without.clear();
        memory::reserve(&mut self.without, self.all.len())?;
        self.without.extend(self.all.iter().map(|one| sums.without(one).coefficient(coefficient)));
        let statistic = sums.coefficient(coefficient);
        let (error, _) = jackknife(self.without.iter().copied());
        let mut transformed = (error / (1.0 - statistic * statistic), 0.0);
        if coefficient == Coefficient::Spearman {
            // A few observations can determine the standard error of Spearman's rho. The intervals of the other
            // coefficients have enough coverage without this correction.
            let (error, excess) = jackknife(self.without.iter().map(|value| value.atanh()));
            if error.is_finite() {
                transformed = (error, (excess / (2.0 * self.all.len() as f64)).min(1.0 / 3.0));
            }
        }
        Ok(Some(Estimate {
            statistic,
            error,
            transformed,
            null_error: 2.0 * (squares - sums.h * sums.h / sums.total).max(0.0).sqrt(),
            balance: sums.h,
            observations: self.all.len(),
        }))
    }

    /// The number of each observation, and the coefficient without it. Call it after `estimate`.
    pub(super) fn without(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.common.iter().map(|&item| item as usize).zip(self.without.iter().copied())
    }

    /// Finds the common observations, their weights, and the blocks of x.
    fn gather(&mut self, x: &Levels, y: &Levels, weights: Option<&[f64]>) -> Result<(), Error> {
        let Self { common, blocks, all, .. } = self;
        common.clear();
        blocks.clear();
        all.clear();
        memory::reserve(common, x.order.len())?;
        memory::reserve(all, x.order.len())?;
        let mut last = None;
        for &item in &x.order {
            let (level, weight) = (y.of_items[item as usize], weights.map_or(1.0, |weights| weights[item as usize]));
            if level == Levels::MISSING || weight == 0.0 {
                continue;
            }
            let own = x.of_items[item as usize];
            if last != Some(own) {
                memory::push(blocks, common.len()..common.len())?;
                last = Some(own);
            }
            common.push(item);
            all.push(Numbers { weight, level, ..Numbers::default() });
            if let Some(block) = blocks.last_mut() {
                block.end = common.len();
            }
        }
        Ok(())
    }

    /// Finds r, q, a and b; returns the number of levels of y.
    fn sum_levels(&mut self, levels: usize) -> Result<usize, Error> {
        let Self { blocks, all, by_level, .. } = self;
        let total: f64 = all.iter().map(|one| one.weight).sum();
        let mut before = 0.0;
        for block in &*blocks {
            let own: f64 = all[block.clone()].iter().map(|one| one.weight).sum();
            for one in &mut all[block.clone()] {
                one.r = before - (total - before - own);
                one.a = total - own;
            }
            before += own;
        }
        by_level.clear();
        memory::resize(by_level, levels, [0.0; 2])?;
        for one in &*all {
            by_level[one.level as usize][0] += one.weight;
        }
        let (mut before, mut found) = (0.0, 0);
        for [own, earlier] in &mut *by_level {
            *earlier = before;
            before += *own;
            found += usize::from(*own > 0.0);
        }
        for one in all {
            let [own, earlier] = by_level[one.level as usize];
            one.q = earlier - (total - earlier - own);
            one.b = total - own;
        }
        Ok(found)
    }

    /// Finds h and the joint weights. For this, adds the blocks of x to a tree over the levels of y. Returns false if
    /// the run was cancelled.
    fn sum_before(&mut self, levels: usize, cancel: &Cancel) -> Result<bool, Error> {
        let Self { blocks, all, tree, .. } = self;
        tree.clear();
        memory::resize(tree, levels + 1, 0.0)?;
        let (mut added, mut next) = (0.0, STOP_CHECK_INTERVAL);
        let mut sorted = Vec::new();
        for block in &*blocks {
            if block.end >= next {
                next = block.end + STOP_CHECK_INTERVAL;
                if cancel.is_cancelled() {
                    return Ok(false);
                }
            }
            sorted.clear();
            memory::reserve(&mut sorted, block.len())?;
            sorted.extend(block.clone().map(|place| (all[place].level, place)));
            sorted.sort_unstable();
            let own: f64 = all[block.clone()].iter().map(|one| one.weight).sum();
            let mut before = 0.0;
            for run in sorted.chunk_by(|one, other| one.0 == other.0) {
                let level = run[0].0 as usize;
                let joint: f64 = run.iter().map(|&(_, place)| all[place].weight).sum();
                let (below, up_to) = (sum_up_to(tree, level), sum_up_to(tree, level + 1));
                // The weight in earlier blocks of x, and the weight in the same block.
                let earlier = below - (added - up_to);
                let tied = before - (own - before - joint);
                for &(_, place) in run {
                    all[place].h = 2.0 * earlier + tied - all[place].q;
                    all[place].joint = joint;
                }
                before += joint;
            }
            for run in sorted.chunk_by(|one, other| one.0 == other.0) {
                add_at(tree, run[0].0 as usize, run.iter().map(|&(_, place)| all[place].weight).sum());
            }
            added += own;
        }
        Ok(true)
    }

    /// Finds the sums `moved`.
    fn move_sums(&mut self) {
        let Self { blocks, all, by_level, .. } = self;
        let totals = all.iter().fold([0.0; 2], |[r, q], one| [r + one.weight * one.r, q + one.weight * one.q]);
        let mut before = [0.0; 2];
        for block in &*blocks {
            let own = all[block.clone()]
                .iter()
                .fold([0.0; 2], |[r, q], one| [r + one.weight * one.r, q + one.weight * one.q]);
            for one in &mut all[block.clone()] {
                // The sum over the observations after this one, minus the sum over the observations before it.
                one.moved[0] = totals[1] - 2.0 * before[1] - own[1];
                one.moved[2] = totals[0] - 2.0 * before[0] - own[0];
            }
            before = [before[0] + own[0], before[1] + own[1]];
        }
        by_level.fill([0.0; 2]);
        for one in &*all {
            let [r, q] = &mut by_level[one.level as usize];
            *r += one.weight * one.r;
            *q += one.weight * one.q;
        }
        let mut before = [0.0; 2];
        for sums in &mut *by_level {
            let own = *sums;
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum = totals[k] - 2.0 * before[k] - own[k];
            }
            before = [before[0] + own[0], before[1] + own[1]];
        }
        for one in all {
            let [r, q] = by_level[one.level as usize];
            (one.moved[1], one.moved[3]) = (r, q);
        }
    }
}

/// The jackknife standard error, computed from the values without each observation, and the excess kurtosis of these
/// values.
fn jackknife(without: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = without.clone().count() as f64;
    let mean = without.clone().sum::<f64>() / count;
    let (mut second, mut fourth) = (0.0, 0.0);
    for value in without {
        let square = (value - mean) * (value - mean);
        second += square;
        fourth += square * square;
    }
    ((second * (count - 1.0) / count).sqrt(), (count * fourth / (second * second) - 3.0).max(0.0))
}
