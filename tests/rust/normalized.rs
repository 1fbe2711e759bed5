//! No normalized value is NaN or beyond 1, whatever the kernel and the rankings.
//!
//! A case is a pair of rankings. Every few pairs get a kernel of their own: weight, position weights, order, sign,
//! ties, precision and backend are drawn anew, and mostly so that sums cancel, underflow or vanish. A normal run takes
//! 40,000 cases, the same each time; `WKENDALL_CASES` is how many to take instead, and `WKENDALL_SEED` where they
//! begin.

mod backends;
mod naive;

use naive::Random;
use wkendall::{
    Backend, Element, Error, Factor, Incomplete, Measure, Missing, Options, Rankings, Weight, gram_into,
    instruction_sets,
};

struct Draw<'a> {
    random: Random,
    backends: &'a [Backend],
}

/// What was found in all cases.
#[derive(Default)]
struct Found {
    cases: u64,
    kernels: u64,
    refused: u64,
    worst: f64,
    /// The largest distance of a diagonal entry from both 0 and 1.
    diagonal: f64,
    wrong: Vec<String>,
    wrong_cases: u64,
}

impl Draw<'_> {
    fn one_of<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.random.below(of.len())]
    }

    fn items(&mut self) -> usize {
        match self.random.below(20) {
            0 | 1 => *self.one_of(&[33, 34, 44, 64, 65]),
            2..=3 => 13 + self.random.below(20),
            _ => self.random.below(13),
        }
    }

    /// Weights that cancel in blocks, over all items or nearly; steep, zero and plain ones.
    fn numbers(&mut self, count: usize) -> Vec<f64> {
        let kind = self.random.below(10);
        let step = *self.one_of(&[0.0, 1e-16, 1e-15, 1e-12, 1e-8, 1e-3]);
        let base = *self.one_of(&[0.1, 0.3, 1.0, 2.0, 0.7]);
        let end = *self.one_of(&[-3.0, -10.0, -20.0, -45.0, -90.0, -150.0]);
        let last = count.saturating_sub(1).max(1) as f64;
        let mut values: Vec<f64> = (0..count)
            .map(|i| match kind {
                0 => base * (1.0 - 2.0 * i as f64 / last),
                1 => base * if i % 2 == 0 { 1.0 } else { -1.0 } + step,
                2 => base + step * self.random.real(),
                3 => 10f64.powf(end * i as f64 / last),
                4 => 10f64.powf(end * (1.0 - i as f64 / last)) * self.random.real(),
                5 => f64::from(u8::from(i == 0)) + 10f64.powf(end) * f64::from(u8::from(i > 0)),
                6 => f64::from(u8::from(self.random.below(4) == 0)),
                7 => [0.1, 0.2, -0.3, 0.5, -0.5, 0.0][self.random.below(6)],
                _ => self.random.real(),
            })
            .collect();
        // The last makes the sum nearly 0.
        if self.random.below(4) == 0
            && let Some((last, others)) = values.split_last_mut()
        {
            *last = step - others.iter().sum::<f64>();
        }
        let scale = *self.one_of(&[1.0, 1.0, 1.0, 1.0, 1e-90, 1e-160, 1e30, 1e60]);
        values.iter().map(|value| value * scale).collect()
    }

    fn weight(&mut self, n: usize, incomplete: bool) -> Weight {
        let factor = |draw: &mut Self| match draw.random.below(8) {
            0 => Factor::Hyperbolic,
            1 => Factor::Log,
            _ => Factor::Values(draw.numbers(n)),
        };
        match self.random.below(if incomplete || n > 12 { 9 } else { 12 }) {
            0 => Weight::Standard,
            1 => Weight::Top(1 + self.random.below(n.max(1))),
            2 => Weight::Average,
            3..=5 => Weight::Add(factor(self)),
            6..=8 => Weight::Mult(factor(self)),
            9 => Weight::Matrix(self.numbers(n * n)),
            10 => {
                let order = 1 + self.random.below(3);
                let terms = 1 + self.random.below(3);
                Weight::Factors { order, vectors: self.numbers(order * terms * n).into() }
            }
            _ => {
                let order = 1 + self.random.below(if n < 8 { 3 } else { 2 });
                Weight::Tensor { order, entries: self.numbers(n.pow(order as u32)).into() }
            }
        }
    }

    fn measure(&mut self, n: usize, incomplete: bool) -> Result<Measure, Error> {
        let weight = self.weight(n, incomplete);
        let kernel = Measure::kernel(&weight, n)?;
        let named = !matches!(weight, Weight::Matrix(_) | Weight::Factors { .. } | Weight::Tensor { .. });
        let kernel = match self.random.below(4) {
            0 | 1 if named => kernel.signed()?,
            2 if named && !incomplete => kernel.with_order(1 + self.random.below(n + 2))?,
            _ => kernel,
        };
        kernel.try_normalized()
    }

    /// Numbers of one row: blocks of equal size, a few long blocks, top-k lists, no order at all, or complete.
    fn row(&mut self, n: usize) -> Vec<f64> {
        let ranks: Vec<f64> = self.random.ranks(n).into_iter().map(|rank| rank as f64).collect();
        match self.random.below(6) {
            0 => ranks,
            1 => vec![1.0; n],
            2 => {
                let size = 1.0 + self.random.below(n / 2 + 1) as f64;
                ranks.iter().map(|rank| (rank / size).ceil()).collect()
            }
            3 => {
                let size = 1.0 + self.random.below(n / 2 + 1) as f64;
                (0..n).map(|item| ((item + 1) as f64 / size).ceil()).collect()
            }
            4 => {
                let listed = self.random.below(n + 1) as f64;
                ranks.iter().map(|&rank| if rank <= listed { rank } else { f64::NAN }).collect()
            }
            _ => (0..n).map(|_| self.random.below(3) as f64).collect(),
        }
    }

    /// A kernel and a few rankings, compared with each other in one precision.
    fn compare<T: Element + Into<f64>>(&mut self, found: &mut Found) {
        let incomplete = self.random.below(2) == 0;
        let (n, m) = (self.items(), 2 + self.random.below(3));
        let Ok(measure) = self.measure(n, incomplete) else {
            found.refused += 1;
            return;
        };
        let backend = *self.one_of(self.backends);
        let options = |backend| Options { backend, threads: Some(1), ..Options::default() };
        let mut out = vec![T::default(); m * m];
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut fill = |backend: Backend, rows: &[Vec<f64>]| {
            if incomplete {
                let x = Incomplete::from_ranks(m, n, &rows.concat(), Missing::Bottom)?;
                gram_into(&measure, &x, None, &mut out, options(backend))
            } else {
                gram_into(&measure, &Rankings::from_ranks(m, n, &rows.concat())?, None, &mut out, options(backend))
            }
        };
        for _ in 0..m {
            let row = if incomplete {
                self.row(n)
            } else {
                self.random.ranks(n).into_iter().map(|rank| rank as f64).collect()
            };
            rows.push(row);
        }
        let done = match fill(backend, &rows) {
            Err(Error::CannotCompute { .. }) => fill(Backend::default(), &rows),
            done => done,
        };
        match done {
            Ok(()) => found.judge(m, &out, || format!("{measure:?}\n{backend:?} {rows:?}")),
            Err(Error::BeyondSingle { .. } | Error::BelowSingle { .. }) => found.refused += 1,
            Err(error) => panic!("{error}: {measure:?}"),
        }
    }
}

impl Found {
    fn judge<T: Element + Into<f64>>(&mut self, m: usize, values: &[T], what: impl Fn() -> String) {
        let values: Vec<f64> = values.iter().map(|&value| value.into()).collect();
        self.kernels += 1;
        self.cases += (m * (m + 1) / 2) as u64;
        let mut fine = true;
        for (row, of_row) in values.chunks_exact(m).enumerate() {
            let own = of_row[row];
            let size = of_row
                .iter()
                .fold(0.0, |most: f64, value| most.max(if value.is_nan() { f64::INFINITY } else { value.abs() }));
            self.worst = self.worst.max(size);
            let off = own.abs().min((own - 1.0).abs());
            self.diagonal = self.diagonal.max(off);
            fine &= size <= 1.0 + 1e-9 && off <= 1e-6 && (own != 0.0 || size == 0.0);
        }
        if !fine {
            self.wrong_cases += 1;
            if self.wrong.len() < 3 {
                self.wrong.push(format!("{}\n{values:?}", what()));
            }
        }
    }
}

#[test]
fn normalized_values_stay_within_one() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let wanted = number("WKENDALL_CASES").unwrap_or(40_000);
    let backends: Vec<Backend> = backends::strategies()
        .iter()
        .flat_map(|strategy| instruction_sets().into_iter().map(move |level| format!("{strategy}-{level}")))
        .map(|name| name.parse().unwrap())
        .chain([Backend::default()])
        .collect();
    let seed = number("WKENDALL_SEED").unwrap_or(1);
    let mut draw = Draw { random: Random(seed), backends: &backends };
    let mut found = Found::default();
    let begin = std::time::Instant::now();
    while found.cases < wanted {
        if draw.random.below(3) == 0 {
            draw.compare::<f32>(&mut found);
        } else {
            draw.compare::<f64>(&mut found);
        }
    }
    println!(
        "{} pairs of rankings, {} kernels ({} refused), {:.1} s: the largest value is 1 + {:e}, the diagonal is off by \
         {:e}, {} kernels with a wrong value",
        found.cases,
        found.kernels,
        found.refused,
        begin.elapsed().as_secs_f64(),
        found.worst - 1.0,
        found.diagonal,
        found.wrong_cases,
    );
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n\n"));
}
