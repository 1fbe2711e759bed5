//! Random cases: rankings, kernels and how to compute them.

use proptest::prelude::*;
use wkendall::{Element, Error, Incomplete, Measure, Missing, Options, Rankings, Weight, gram_into};

use crate::naive::Naive;
use crate::naive::blocks::{self, Value};

/// What a case sums.
#[derive(Debug, Clone)]
pub enum Sum {
    Named { weight: Naive, order: usize, signed: bool },
    Tensors { order: usize, entries: Vec<f64> },
    Factors { order: usize, vectors: Vec<f64> },
    Quadruples(Vec<f64>),
}

#[derive(Debug, Clone)]
pub struct Case {
    pub items: usize,
    /// Ranks from 1, with ties and NaN in incomplete rankings.
    pub rows: Vec<Vec<f64>>,
    pub incomplete: bool,
    pub missing: Missing,
    pub sum: Sum,
    pub normalized: bool,
    pub tile: usize,
}

impl Case {
    fn numbers(&self) -> &[f64] {
        match &self.sum {
            Sum::Named { weight: Naive::Add(u) | Naive::Mult(u), .. } => u,
            Sum::Named { .. } => &[],
            Sum::Tensors { entries, .. } | Sum::Quadruples(entries) => entries,
            Sum::Factors { vectors, .. } => vectors,
        }
    }

    pub fn largest(&self) -> f64 {
        self.numbers().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
    }

    pub fn is_count(&self) -> bool {
        matches!(&self.sum, Sum::Named { weight, .. } if weight.is_count()) && !self.incomplete && !self.normalized
    }

    pub fn measure(&self) -> Result<Measure, Error> {
        let n = self.items;
        let measure = match &self.sum {
            Sum::Named { weight, order, signed } => {
                let kernel = Measure::kernel(&weight.weight(), n)?;
                if *signed { kernel.signed()? } else { kernel.with_order(*order)? }
            }
            Sum::Tensors { order, entries } => {
                Measure::kernel(&Weight::Tensor { order: *order, entries: entries.as_slice().into() }, n)?
            }
            Sum::Factors { order, vectors } => {
                Measure::kernel(&Weight::Factors { order: *order, vectors: vectors.as_slice().into() }, n)?
            }
            Sum::Quadruples(entries) => Measure::kernel(&Weight::Quadruples(entries.as_slice().into()), n)?,
        };
        if self.normalized { measure.try_normalized() } else { Ok(measure) }
    }

    /// The value before it is normalized, by definition.
    pub fn raw(&self, s: &[f64], t: &[f64]) -> Value {
        match &self.sum {
            Sum::Named { weight, order, .. } if *order != 2 => blocks::ordered(weight, *order, s, t),
            Sum::Named { signed, .. } if self.missing == Missing::Anywhere => blocks::anywhere(*signed, s, t),
            Sum::Named { weight, signed, .. } => blocks::mean(weight, *signed, s, t),
            Sum::Tensors { order, entries } => blocks::tensors(entries, *order, s, t),
            Sum::Factors { order, vectors } => blocks::factors(vectors, *order, s, t),
            Sum::Quadruples(entries) => blocks::quadruples(entries, s, t),
        }
    }

    /// The values for all pairs of rows before they are normalized, by definition.
    pub fn wanted(&self) -> Vec<Value> {
        self.rows.iter().flat_map(|s| self.rows.iter().map(|t| self.raw(s, t))).collect()
    }

    /// The matrix; `None` where the backend cannot compute it.
    pub fn gram<T: Element>(&self, backend: &str, threads: usize, tile: Option<usize>, copied: bool) -> Option<Vec<T>> {
        let (m, n) = (self.rows.len(), self.items);
        let options =
            || Options { backend: backend.parse().unwrap(), threads: Some(threads), tile, ..Options::default() };
        let measure = self.measure().unwrap();
        let mut out = vec![T::default(); m * m];
        let values = self.rows.concat();
        let done = if self.incomplete {
            let x = Incomplete::from_ranks(m, n, &values, self.missing).unwrap();
            gram_into(&measure, &x, copied.then(|| x.clone()).as_ref(), &mut out, options())
        } else {
            let x = Rankings::from_ranks(m, n, &values).unwrap();
            gram_into(&measure, &x, copied.then(|| x.clone()).as_ref(), &mut out, options())
        };
        match done {
            Ok(()) => Some(out),
            Err(Error::CannotCompute { .. } | Error::BeyondSingle { .. } | Error::BelowSingle { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Position weights and entries: plain, zero, of both signs, tiny, huge, steep, nearly cancelling.
fn numbers(count: usize) -> BoxedStrategy<Vec<f64>> {
    let plain = prop::sample::select(vec![0.0, 1.0, -1.0, 0.5, 2.0, 0.1, 0.2, -0.3, 1e-9]);
    let steep =
        (prop::sample::select(vec![-1.0, -5.0, -18.0, -45.0, -90.0]), any::<bool>()).prop_map(move |(end, up)| {
            let at = |i: usize| 10f64.powf(end * i as f64 / count.max(1) as f64);
            (0..count).map(|i| at(if up { count - i } else { i })).collect()
        });
    let nearly = prop::sample::select(vec![0.0, 1e-15, 1e-8]);
    let line = (0..count).map(|i| 1.0 - 2.0 * i as f64 / (count.max(2) - 1) as f64).collect::<Vec<f64>>();
    let cliff = prop::sample::select(vec![1e-9, 1e-30, 1e-90])
        .prop_map(move |low| (0..count).map(|i| if i == 0 { 1.0 } else { low }).collect::<Vec<f64>>());
    let balanced = prop::collection::vec(-1.0..1.0f64, count).prop_map(|mut values| {
        if let Some((last, others)) = values.split_last_mut() {
            *last = -others.iter().sum::<f64>();
        }
        values
    });
    let values = prop_oneof![
        cliff,
        balanced,
        prop::collection::vec(prop::sample::select(vec![0.0, 0.0, 0.0, 1.0]), count),
        prop::collection::vec(plain, count),
        prop::collection::vec(-1.0..1.0f64, count),
        prop::collection::vec(0.0..1.0f64, count),
        steep,
        nearly.prop_map(move |e| (0..count).map(|i| if i % 2 == 0 { 0.3 } else { -0.3 } + e).collect::<Vec<f64>>()),
        Just(line),
        Just(vec![0.0; count]),
    ];
    let scales = prop::sample::select(vec![1.0, 1.0, 1.0, 1.0, 1.0, 1e-160, 1e-90, 1e-20, 1e20, 1e60]);
    (values, scales).prop_map(|(values, scale)| values.iter().map(|value| value * scale).collect()).boxed()
}

fn named(n: usize, incomplete: bool) -> BoxedStrategy<Sum> {
    let weight = prop_oneof![
        Just(Naive::Standard),
        (1..=n.max(1)).prop_map(Naive::Top),
        numbers(n).prop_map(Naive::Add),
        numbers(n).prop_map(Naive::Mult),
        Just(Naive::Average),
    ];
    let orders = if incomplete { vec![2] } else { vec![2, 2, 2, 1, 3, 4, 5, n + 1] };
    (weight, prop::sample::select(orders), any::<bool>())
        .prop_map(|(weight, order, signed)| Sum::Named { weight, order: order.max(1), signed: signed && order == 2 })
        .boxed()
}

fn general(n: usize) -> BoxedStrategy<Sum> {
    let orders = if n <= 8 { 1..=3usize } else { 1..=2usize };
    let tensors = (orders.clone(), 1..=2usize).prop_flat_map(move |(order, count)| {
        numbers(count * n.pow(order as u32)).prop_map(move |entries| Sum::Tensors { order, entries })
    });
    let matrix = (numbers(n * n), any::<bool>()).prop_map(move |(mut entries, same)| {
        for i in 0..n {
            for j in 0..=i {
                let value = entries[i * n + j];
                entries[j * n + i] = if same { value } else { -value };
            }
        }
        Sum::Tensors { order: 2, entries }
    });
    let factors = (orders, 1..=3usize).prop_flat_map(move |(order, terms)| {
        numbers(order * terms * n).prop_map(move |vectors| Sum::Factors { order, vectors })
    });
    if n > 6 {
        return prop_oneof![tensors, matrix, factors].boxed();
    }
    let squares = prop::collection::vec(-1.0..1.0f64, n * n)
        .prop_map(|root| Sum::Quadruples(root.iter().flat_map(|a| root.iter().map(move |b| a * b)).collect()));
    prop_oneof![tensors, matrix, factors, squares].boxed()
}

fn rows(n: usize, incomplete: bool) -> BoxedStrategy<Vec<Vec<f64>>> {
    let complete = Just((1..=n).map(|rank| rank as f64).collect::<Vec<f64>>()).prop_shuffle();
    let level = prop::sample::select(vec![1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, f64::NAN]);
    let row = if incomplete {
        let blocks = (complete.clone(), 1..=n / 2 + 1)
            .prop_map(|(ranks, size)| ranks.iter().map(|rank| (rank / size as f64).ceil()).collect::<Vec<f64>>());
        let top = (complete.clone(), 0..=n).prop_map(|(ranks, listed)| {
            ranks.into_iter().map(|rank| if rank > listed as f64 { f64::NAN } else { rank }).collect::<Vec<f64>>()
        });
        prop_oneof![1 => complete, 3 => prop::collection::vec(level, n), 1 => blocks, 1 => top].boxed()
    } else {
        complete.boxed()
    };
    let most = if n <= 12 { 7 } else { 3 };
    // Some rankings come twice, or again but for two items.
    (prop::collection::vec(row, 0..=most), any::<[prop::sample::Index; 3]>(), 0..3u8)
        .prop_map(move |(mut rows, [of, i, j], again)| {
            if again > 0 && !rows.is_empty() {
                let mut row = rows[of.index(rows.len())].clone();
                if again > 1 && n > 1 {
                    row.swap(i.index(n), j.index(n));
                }
                rows.push(row);
            }
            rows
        })
        .boxed()
}

/// Cases of every kind.
pub fn cases() -> BoxedStrategy<Case> {
    let items = prop_oneof![6 => 0..=12usize, 1 => prop::sample::select(vec![33usize, 64, 65])];
    let tiles = prop::sample::select(vec![1usize, 2, 3, 16, 1000]);
    let kinds = prop::sample::select(vec!["complete", "incomplete", "anywhere", "general"]);
    (items, kinds, any::<bool>(), tiles, any::<bool>())
        .prop_flat_map(|(items, kind, normalized, tile, signed)| {
            let sum = match kind {
                "general" => general(items),
                "anywhere" => Just(Sum::Named { weight: Naive::Standard, order: 2, signed }).boxed(),
                _ => named(items, kind == "incomplete"),
            };
            let missing = if kind == "anywhere" { Missing::Anywhere } else { Missing::Bottom };
            let incomplete = matches!(kind, "incomplete" | "anywhere");
            (rows(items, incomplete), sum).prop_map(move |(rows, sum)| Case {
                items,
                rows,
                incomplete,
                missing,
                sum,
                normalized,
                tile,
            })
        })
        .prop_filter("weights that are refused", |case| case.measure().is_ok())
        .boxed()
}
