//! Whole Gram matrices on one thread and on all.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wkendall::{Factor, Measure, Options, Rankings, Weight, default_threads, gram_into};

#[path = "../tests/rust/naive/mod.rs"]
mod naive;
use naive::Random;

fn gram(criterion: &mut Criterion) {
    let mut random = Random(1);
    for (m, n) in [(1000, 6), (500, 100), (100, 1000)] {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let mut group = criterion.benchmark_group(format!("gram/m={m} n={n}"));
        group.throughput(Throughput::Elements((m * (m + 1) / 2) as u64)).sample_size(10);
        for (name, weight) in [("standard", Weight::Standard), ("mult", Weight::Mult(Factor::Log))] {
            let kernel = Measure::kernel(&weight, n).unwrap();
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

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    targets = gram
}
criterion_main!(benches);
