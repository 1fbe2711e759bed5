//! One pair of rankings: every weight, from few items to a million, and arrangements that are bad cases for a pivot.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wkendall::{Factor, Measure, Rankings, Weight, Workspace};

#[path = "../tests/rust/naive/mod.rs"]
mod naive;
use naive::Random;

fn weights(n: usize) -> [(&'static str, Weight); 5] {
    [
        ("standard", Weight::Standard),
        ("top", Weight::Top(n.div_ceil(2))),
        ("add", Weight::Add(Factor::Log)),
        ("mult", Weight::Mult(Factor::Log)),
        ("average", Weight::Average),
    ]
}

fn by_size(criterion: &mut Criterion) {
    let mut random = Random(1);
    for n in [6, 20, 100, 1000, 20_000] {
        let mut group = criterion.benchmark_group(format!("kappa/n={n}"));
        group.throughput(Throughput::Elements(n as u64));
        let x = Rankings::from_ranks(64, n, &random.rankings(64, n)).unwrap();
        let mut workspace = Workspace::new(n);
        for (name, weight) in weights(n) {
            let kernel = Measure::kernel(&weight, n).unwrap();
            let mut row = 0;
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    row = (row + 1) % 64;
                    kernel.kappa(black_box(x.row(row)), &mut workspace)
                });
            });
        }
    }
}

fn by_arrangement(criterion: &mut Criterion) {
    let n = 1_000_000i64;
    let random = Random(2).ranks(n as usize);
    let sorted: Vec<i64> = (1..=n).collect();
    let reversed = (1..=n).rev().collect();
    let organ_pipe = (1..=n).step_by(2).chain((2..=n).rev().step_by(2)).collect();
    let mut group = criterion.benchmark_group("kappa/n=1000000");
    group.sample_size(10);
    for (name, ranks) in [("random", random), ("sorted", sorted), ("reversed", reversed), ("organ pipe", organ_pipe)] {
        let pi = Rankings::from_ranks(1, n as usize, &ranks).unwrap();
        let mut workspace = Workspace::new(n as usize);
        for weight in [Weight::Standard, Weight::Mult(Factor::Log)] {
            let kernel = Measure::kernel(&weight, n as usize).unwrap();
            let id = BenchmarkId::new(name, format!("{weight:?}"));
            group.bench_function(id, |bencher| bencher.iter(|| kernel.kappa(black_box(pi.row(0)), &mut workspace)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    targets = by_size, by_arrangement
}
criterion_main!(benches);
