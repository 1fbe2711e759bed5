//! Every strategy for every kernel and several n, on one thread. The cost model in `src/gram/plan/cost.rs` is fitted to
//! it.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wkendall::{Factor, Measure, Options, Rankings, Weight, gram_into};

#[path = "../tests/rust/naive/mod.rs"]
mod naive;
use naive::Random;

fn strategies(criterion: &mut Criterion) {
    let mut random = Random(1);
    for (m, n) in [(1024, 6), (1024, 20), (512, 100), (256, 300), (128, 1000), (48, 5000), (12, 20_000)] {
        let x = Rankings::from_ranks(m, n, &random.rankings(m, n)).unwrap();
        let mut group = criterion.benchmark_group(format!("n={n}"));
        group.throughput(Throughput::Elements((m * (m - 1) / 2) as u64)).sample_size(10);
        let weights = [
            ("standard", Weight::Standard),
            ("top", Weight::Top(n.div_ceil(2))),
            ("average", Weight::Average),
            ("add", Weight::Add(Factor::Log)),
            ("mult", Weight::Mult(Factor::Log)),
        ];
        let mut out = vec![0.0; m * m];
        for (name, weight) in weights {
            let kernel = Measure::kernel(&weight, n).unwrap();
            for strategy in ["bits", "product", "pairs", "partition"] {
                let mut run = || {
                    let options =
                        Options { threads: Some(1), backend: strategy.parse().unwrap(), ..Options::default() };
                    gram_into(&kernel, &x, None, &mut out, options)
                };
                let too_slow = strategy == "product" && n > 1000 || strategy == "bits" && n > 5000;
                if !too_slow && run().is_ok() {
                    group.bench_function(BenchmarkId::new(name, strategy), |bencher| bencher.iter(&mut run));
                }
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    targets = strategies
}
criterion_main!(benches);
