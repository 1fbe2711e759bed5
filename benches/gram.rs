//! Gram matrices on one thread and on all threads; lists out of a large catalogue on one thread.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wkendall::{Factor, Lists, Measure, Options, Rankings, Weight, default_threads, gram_into};

#[path = "../tests/rust/naive/mod.rs"]
mod naive;
use naive::Random;

fn gram(criterion: &mut Criterion) {
    let mut random = Random(1);
    for (m, n) in [(1000, 6), (500, 100), (100, 1000)] {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let mut group = criterion.benchmark_group(format!("gram/m={m} n={n}"));
        group.throughput(Throughput::Elements((m * (m + 1) / 2) as u64)).sample_size(10);
        let kernel = |weight| Measure::kernel(&weight, n).unwrap();
        let (standard, mult) = (kernel(Weight::Standard), kernel(Weight::Mult(Factor::Log)));
        for (name, kernel) in [("standard", standard), ("mult", mult), ("footrule", Measure::footrule(n))] {
            let mut out = vec![0.0; m * m];
            for threads in [1, default_threads()] {
                group.bench_function(BenchmarkId::new(name, format!("{threads} threads")), |bencher| {
                    bencher.iter(|| {
                        let options = Options { threads: Some(threads), ..Options::default() };
                        gram_into(&kernel, &x, None, &mut out, options)
                    });
                });
            }
        }
    }
}

/// Top-10 lists out of `items` items. A higher power makes some items more popular.
fn top_ten(rows: usize, items: usize, power: i32, random: &mut Random) -> Lists {
    let (mut bounds, mut listed) = (vec![0], Vec::new());
    for row in 0..rows {
        while listed.len() < 10 * (row + 1) {
            let item = (f64::midpoint(random.real(), 1.0).powi(power) * items as f64) as usize;
            if !listed[10 * row..].contains(&item) {
                listed.push(item);
            }
        }
        bounds.push(listed.len());
    }
    let ranks: Vec<usize> = (0..listed.len()).map(|entry| entry % 10).collect();
    Lists::from_ranks(items, &bounds, &listed, &ranks).unwrap()
}

/// With the first power few lists have items in common, with the second most do.
fn lists(criterion: &mut Criterion) {
    let (m, mut random) = (1000, Random(2));
    for (kind, items, power) in [("any", 1_000_000, 1), ("popular", 1_000_000, 12), ("any", 1000, 1)] {
        let x = top_ten(m, items, power, &mut random);
        let mut group = criterion.benchmark_group(format!("lists/{kind} of {items}"));
        group.throughput(Throughput::Elements((m * (m + 1) / 2) as u64)).sample_size(10);
        for (name, weight) in
            [("standard", Weight::Standard), ("mult", Weight::Mult(Factor::Log)), ("average", Weight::Average)]
        {
            let kernel = Measure::kernel(&weight, items).unwrap().signed().unwrap();
            let mut out = vec![0.0; m * m];
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let options = Options { threads: Some(1), ..Options::default() };
                    gram_into(&kernel, &x, None, &mut out, options)
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    targets = gram, lists
}
criterion_main!(benches);
