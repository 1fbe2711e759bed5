//! Computes a Gram matrix many times on one thread: `dependent KERNEL ITEMS RANKINGS TIMES BACKEND`.

use wkendall::{Backend, Factor, Incomplete, Measure, Missing, Options, Rankings, Weight, gram_into};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, n, m, times, backend] = arguments.as_slice() else { panic!("KERNEL ITEMS RANKINGS TIMES BACKEND") };
    let [n, m, times] = [n, m, times].map(|number| number.parse::<usize>().unwrap());
    let (name, tied) = kernel.strip_suffix("-ties").map_or((kernel.as_str(), false), |name| (name, true));
    let weight = match name {
        "standard" => Weight::Standard,
        "top" => Weight::Top(n / 2),
        "average" => Weight::Average,
        "add" => Weight::Add(Factor::Log),
        "mult" => Weight::Mult(Factor::Log),
        _ => panic!("no kernel {kernel}"),
    };
    let measure = Measure::kernel(&weight, n).unwrap();
    let backend = if backend == "auto" { Backend::default() } else { backend.parse().unwrap() };
    let options = || Options { threads: Some(1), backend, ..Options::default() };
    let mut random = Random(1);
    let mut out = vec![0.0; m * m];
    if tied {
        let levels = (n / 10).max(5) as u64;
        let ranks: Vec<f64> = (0..m * n).map(|_| random.below(levels) as f64).collect();
        let x = Incomplete::from_ranks(m, n, &ranks, Missing::Error).unwrap();
        (0..times).for_each(|_| gram_into(&measure, &x, None, &mut out, options()).unwrap());
    } else {
        let ranks: Vec<u32> = (0..m).flat_map(|_| random.ranking(n)).collect();
        let x = Rankings::from_ranks(m, n, &ranks).unwrap();
        (0..times).for_each(|_| gram_into(&measure, &x, None, &mut out, options()).unwrap());
    }
    println!("{}", out[m - 1]);
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn ranking(&mut self, n: usize) -> Vec<u32> {
        let mut ranks: Vec<u32> = (1..).take(n).collect();
        for end in (2..=n).rev() {
            ranks.swap(end - 1, self.below(end as u64) as usize);
        }
        ranks
    }
}
