//! Turns rankings and a kernel into the function of an order that is maximised.

use super::bounds;
use super::places::Placing;
use super::terms::{Component, LaterTerms, ObjectiveTerms, Signs, TensorTerms};
use crate::balance::{Balance, Ranked};
use crate::embedding;
use crate::error::Error;
use crate::measure::MeanWeight;
use crate::memory;
use crate::parallel::{self, RunOptions, Watch, Workers};
use crate::rankings::RankingSet;
use crate::weight::kinds::{PairWeight, TensorWeight};

/// The weighted sum of kernels between an order and the rankings, as a function of the order: `constant + factor *
/// terms`.
pub(crate) struct Objective {
    pub(crate) constant: f64,
    pub(crate) factor: f64,
    pub(crate) terms: ObjectiveTerms,
    /// An upper bound of the terms, if it is already known.
    pub(crate) most: Option<f64>,
}

impl Objective {
    /// The objective for an unnormalized kernel of order 2.
    pub(crate) fn new<R: RankingSet>(
        (weight, signed): (MeanWeight<'_>, bool),
        rankings: &R,
        coefficients: &[f64],
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        let ranked = Ranked::of(rankings);
        match weight {
            MeanWeight::Pairs(weight @ PairWeight::Count { top: None }) => {
                of_signs(weight, signed, ranked, coefficients, threads, watch)
            }
            _ if ranked.has_unknown() => Err(Error::UnknownPlaces),
            MeanWeight::Pairs(PairWeight::Average) => of_later(signed, ranked, coefficients, threads, watch),
            MeanWeight::Pairs(_) | MeanWeight::Tensors(_) => {
                of_tensors(weight, signed, rankings, coefficients, threads, watch)
            }
        }
    }
}

/// The objective if all pairs have weight 1. If the coefficients are whole numbers, the margins are whole numbers too.
fn of_signs(
    weight: &PairWeight,
    signed: bool,
    ranked: Ranked<'_>,
    coefficients: &[f64],
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<Objective, Error> {
    let items = ranked.items();
    let balance = Balance::new(ranked, coefficients, weight, || Ok(Vec::new()))?;
    let mut margins = memory::filled(items * items, 0.0)?;
    let ns = Balance::pair_ns() * (ranked.rows() * items) as f64;
    let jobs = memory::collect(margins.chunks_mut(items.max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(parallel::threads_for(ns * items as f64, threads), ns),
        watch,
        |_| memory::filled(items, 0.0),
        |(item, row): (usize, &mut [f64]), part, poll| {
            balance.item(item, &mut row[item + 1..], &mut part[item + 1..], poll);
            Ok(())
        },
    )?;
    for first in 0..items {
        for second in first + 1..items {
            margins[second * items + first] = -margins[first * items + second];
        }
    }
    let pairs = (items * items.saturating_sub(1)) as f64 / 2.0;
    let all = coefficients.iter().sum::<f64>();
    let (constant, factor) = if signed { (0.0, 1.0) } else { (all * pairs / 2.0, 0.5) };
    Ok(Objective { constant, factor, terms: ObjectiveTerms::Signs(Signs { items, margins }), most: None })
}

/// The objective if the weight of a pair depends on the later position.
fn of_later(
    signed: bool,
    ranked: Ranked<'_>,
    coefficients: &[f64],
    threads: Option<usize>,
    mut watch: Option<Watch<'_>>,
) -> Result<Objective, Error> {
    let n = ranked.items();
    let size = n.checked_mul(n).and_then(|square| square.checked_mul(n));
    let size = size.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
    // For each later item, rank of this item, and earlier item: the sum of the coefficients of the rankings with this
    // combination.
    let mut numbers = memory::filled(size, 0.0)?;
    let ns = (ranked.rows() * n) as f64;
    let jobs = memory::collect(numbers.chunks_mut((n * n).max(1)).enumerate())?;
    parallel::run(
        jobs,
        Workers::new(parallel::threads_for(ns * n as f64, threads), ns),
        parallel::share(&mut watch),
        |_| Ok(()),
        |(later, sums): (usize, &mut [f64]), (), poll| {
            for (row, &coefficient) in coefficients.iter().enumerate() {
                if poll.is_cancelled() {
                    break;
                }
                add_ranks(ranked.starts(row), later, coefficient, sums);
            }
            Ok(())
        },
    )?;
    let ns = 20.0 * size as f64;
    let (numbers, most) = parallel::run_one(ns, watch, move |cancel| {
        let most = bounds::of_tops(&mut numbers, n, signed, cancel)?;
        Ok((numbers, most))
    })?;
    let terms = ObjectiveTerms::Later(LaterTerms { items: n, numbers });
    Ok(Objective { constant: 0.0, factor: 1.0, terms, most: Some(most) })
}

/// For an item, adds the probability of each rank together with each item before it.
fn add_ranks(starts: &[u32], later: usize, coefficient: f64, sums: &mut [f64]) {
    let own = starts[later];
    let size = starts.iter().filter(|&&start| start == own).count();
    for (within, rank) in (own as usize..own as usize + size).enumerate() {
        let split = coefficient / size as f64;
        let tied = if size > 1 { coefficient * within as f64 / (size * (size - 1)) as f64 } else { 0.0 };
        for (sum, &start) in sums[rank * starts.len()..].iter_mut().zip(starts) {
            let (before, with) = (f64::from(i32::from(start < own)), f64::from(i32::from(start == own)));
            *sum += split * before + tied * with;
        }
        sums[rank * starts.len() + later] = 0.0;
    }
}

/// The objective if the weight of a pair is a product of two factors, one of the ranks in each ranking, or a sum of
/// such products.
fn of_tensors<R: RankingSet>(
    weight: MeanWeight<'_>,
    signed: bool,
    rankings: &R,
    coefficients: &[f64],
    threads: Option<usize>,
    mut watch: Option<Watch<'_>>,
) -> Result<Objective, Error> {
    let n = rankings.items();
    let mut terms = TensorTerms { items: n, ..TensorTerms::default() };
    let (mut constant, mut most) = (0.0, None);
    for index in 0..members(weight, n) {
        let mut places = matrix_of(weight, n, index)?;
        if signed {
            antisymmetric(&mut places, n, 1.0);
        }
        let run = RunOptions { threads, watch: parallel::share(&mut watch) };
        let of_items = embedding::combine(rankings, coefficients, 2, &places, run)?;
        terms.placing = match weight {
            MeanWeight::Pairs(PairWeight::Count { top }) => {
                let k = top.unwrap_or(n);
                most = Some(bounds::of_top(&of_items, n, k)?);
                let counts = memory::collect((0..n).map(|place| if place < k { 1.0 } else { 0.0 }))?;
                Placing::LaterPlace(counts, memory::collect(of_items.iter().copied())?)
            }
            MeanWeight::Pairs(PairWeight::Sums(u)) => {
                Placing::SumOfPlaces(memory::collect(u.iter().copied())?, memory::collect(of_items.iter().copied())?)
            }
            MeanWeight::Pairs(PairWeight::Products(_) | PairWeight::Average) | MeanWeight::Tensors(_) => Placing::Both,
        };
        constant += split(&mut terms, of_items, places, signed)?;
    }
    let known = bounds::of_tensors(&terms)?;
    let terms = ObjectiveTerms::Tensors(terms);
    Ok(Objective {
        constant,
        factor: 1.0,
        terms,
        most: Some(most.map_or(known, |most: f64| known.min(most - constant))),
    })
}

/// The number of tensors.
pub(crate) fn members(weight: MeanWeight<'_>, items: usize) -> usize {
    match weight {
        MeanWeight::Tensors(TensorWeight::Tensor { entries, .. }) => entries.len() / (items * items).max(1),
        MeanWeight::Tensors(TensorWeight::Factors { .. }) | MeanWeight::Pairs(_) => 1,
    }
}

/// The weights of all pairs of positions.
pub(crate) fn matrix_of(weight: MeanWeight<'_>, items: usize, index: usize) -> Result<Vec<f64>, Error> {
    let size = items * items;
    let mut matrix = memory::filled(size, 0.0)?;
    let mut fill = |limit: usize, number: &dyn Fn(usize, usize) -> f64| {
        for first in 0..limit {
            for second in first + 1..limit {
                matrix[first * items + second] = number(first, second);
            }
        }
    };
    match weight {
        MeanWeight::Pairs(PairWeight::Count { top }) => fill(top.unwrap_or(items).min(items), &|_, _| 1.0),
        MeanWeight::Pairs(PairWeight::Sums(u)) => fill(items, &|first, second| u[first] + u[second]),
        MeanWeight::Pairs(PairWeight::Products(u)) => fill(items, &|first, second| u[first] * u[second]),
        MeanWeight::Tensors(TensorWeight::Tensor { entries, .. }) => {
            matrix.copy_from_slice(&entries[index * size..][..size]);
        }
        MeanWeight::Tensors(TensorWeight::Factors { vectors, .. }) => {
            for term in vectors.chunks_exact((2 * items).max(1)) {
                let (rows, columns) = term.split_at(items);
                for (row, &first) in matrix.chunks_exact_mut(items).zip(rows) {
                    row.iter_mut().zip(columns).for_each(|(cell, second)| *cell += first * second);
                }
            }
        }
        MeanWeight::Pairs(PairWeight::Average) => return Err(Error::PairsOnly),
    }
    Ok(matrix)
}

/// Subtracts its transpose from a matrix, and multiplies the result by a factor. The diagonal becomes 0.
fn antisymmetric(matrix: &mut [f64], items: usize, factor: f64) {
    for first in 0..items {
        matrix[first * items + first] = 0.0;
        for second in first + 1..items {
            let half = factor * (matrix[first * items + second] - matrix[second * items + first]);
            matrix[first * items + second] = half;
            matrix[second * items + first] = -half;
        }
    }
}

/// Adds its transpose to a matrix, and multiplies the result by a factor. The diagonal becomes 0.
fn symmetric(matrix: &mut [f64], items: usize, factor: f64) {
    for first in 0..items {
        matrix[first * items + first] = 0.0;
        for second in first + 1..items {
            let half = factor * (matrix[first * items + second] + matrix[second * items + first]);
            matrix[first * items + second] = half;
            matrix[second * items + first] = half;
        }
    }
}

/// Adds the components of the product of two matrices to `terms`. Returns the part of the value that is the same for
/// all orders.
fn split(terms: &mut TensorTerms, of_items: Vec<f64>, of_places: Vec<f64>, signed: bool) -> Result<f64, Error> {
    let n = terms.items;
    let own = |matrix: &[f64], index: usize| matrix[index * n + index];
    if (0..n).any(|place| own(&of_places, place) != 0.0) {
        memory::resize(&mut terms.own, n * n, 0.0)?;
        for (cell, number) in terms.own.iter_mut().zip(0..) {
            *cell += own(&of_items, number / n) * own(&of_places, number % n);
        }
    }
    if signed {
        // Both matrices are antisymmetric, and each pair is counted once.
        memory::push(&mut terms.components, Component { symmetric: false, of_items, of_places })?;
        return Ok(0.0);
    }
    let mut parts = [memory::collect(of_items.iter().copied())?, memory::collect(of_places.iter().copied())?];
    antisymmetric(&mut parts[0], n, 1.0);
    antisymmetric(&mut parts[1], n, 0.5);
    let [items_part, places_part] = parts;
    add_component(terms, Component { symmetric: false, of_items: items_part, of_places: places_part })?;
    let (mut of_items, mut of_places) = (of_items, of_places);
    symmetric(&mut of_items, n, 1.0);
    symmetric(&mut of_places, n, 0.5);
    let first = of_places.get(1).copied().unwrap_or(0.0);
    let even = (0..n).all(|a| (a + 1..n).all(|b| of_places[a * n + b] == first));
    if even {
        return Ok(first * of_items.iter().sum::<f64>() / 2.0);
    }
    add_component(terms, Component { symmetric: true, of_items, of_places })?;
    Ok(0.0)
}

fn add_component(terms: &mut TensorTerms, component: Component) -> Result<(), Error> {
    if component.of_places.iter().all(|&number| number == 0.0) {
        return Ok(());
    }
    memory::push(&mut terms.components, component)
}
