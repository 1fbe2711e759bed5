//! Sums over the concordant pairs of two complete rankings, for measures that give the numbers of items themselves.

use super::partition::{self, Short};
use super::{Workspace, concordant_of};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::simd::Isa;
use crate::simd::common::{self, FewItems, LANES};
use crate::tree::{add_at, sum_up_to};
use crate::weight::pair::Terms;

/// The place of an item in two rankings. Ranks count from 0.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) item: usize,
    pub(crate) s: usize,
    pub(crate) t: usize,
}

/// Memory for sums over two rankings, for one thread.
pub(crate) struct Composed {
    workspace: Workspace,
    /// Up to three numbers of each item, by value.
    numbers: [Vec<f64>; 3],
}

impl Composed {
    pub(crate) fn new(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let mut workspace = Workspace::for_run(Some(Isa::widest()), cancel);
        workspace.try_fit(items)?;
        let numbers = || memory::filled(items, 0.0);
        Ok(Self { workspace, numbers: [numbers()?, numbers()?, numbers()?] })
    }

    /// Approximate time, in nanoseconds, of a sum over two rankings.
    pub(crate) fn sum_ns(items: usize) -> f64 {
        250.0 + 5.0 * items as f64
    }

    /// The number of pairs in the same order in both rankings.
    pub(crate) fn count(&mut self, s: Row<'_>, t: Row<'_>) -> u64 {
        self.compose(s, t, |_, _, _| {});
        let Workspace { values, spill, cells, isa, .. } = &mut self.workspace;
        partition::count(isa.map(|isa| Short { isa, cells }), values, spill)
    }

    /// The sum over the pairs in the same order in both rankings of the number of the later item.
    pub(crate) fn later(&mut self, s: Row<'_>, t: Row<'_>, mut number: impl FnMut(Place) -> f64) -> f64 {
        self.compose(s, t, |[numbers, ..], value, place| numbers[value] = number(place));
        concordant_of(Terms::Later(&self.numbers[0]), &mut self.workspace)
    }

    /// The sum over the pairs in the same order in both rankings of the product of the numbers of both items.
    pub(crate) fn products(&mut self, s: Row<'_>, t: Row<'_>, number: impl Fn(Place) -> f64) -> f64 {
        self.compose(s, t, |[numbers, ..], value, place| numbers[value] = number(place));
        concordant_of(Terms::Products(&self.numbers[0]), &mut self.workspace)
    }

    /// The same as [`Composed::products`], but over the pairs in opposite orders.
    pub(crate) fn discordant_products(&mut self, s: Row<'_>, t: Row<'_>, number: impl Fn(Place) -> f64) -> f64 {
        let last = s.order().len().wrapping_sub(1);
        self.compose(s, t, |[numbers, ..], value, place| numbers[last - value] = number(place));
        self.reverse_values();
        concordant_of(Terms::Products(&self.numbers[0]), &mut self.workspace)
    }

    /// The sum over the pairs in the same order in both rankings. A pair adds the first number of the earlier item,
    /// times the second number of the later item.
    pub(crate) fn directed(&mut self, s: Row<'_>, t: Row<'_>, numbers: impl Fn(Place) -> [f64; 2]) -> f64 {
        self.compose(s, t, |[earlier, later, _], value, place| [earlier[value], later[value]] = numbers(place));
        let (Workspace { values, spill, .. }, [earlier, later, _]) = (&mut self.workspace, &self.numbers);
        partition::directed(earlier, later, values, spill)
    }

    /// The same sum over the pairs in opposite orders. The earlier item is the item that comes first in `s`.
    pub(crate) fn discordant_directed(&mut self, s: Row<'_>, t: Row<'_>, numbers: impl Fn(Place) -> [f64; 2]) -> f64 {
        let last = s.order().len().wrapping_sub(1);
        self.compose(s, t, |[earlier, later, _], value, place| {
            [earlier[last - value], later[last - value]] = numbers(place);
        });
        self.reverse_values();
        let (Workspace { values, spill, .. }, [earlier, later, _]) = (&mut self.workspace, &self.numbers);
        partition::directed(earlier, later, values, spill)
    }

    /// The same as [`Composed::products`], minus the sum over the pairs in opposite orders.
    pub(crate) fn signed_products(&mut self, s: Row<'_>, t: Row<'_>, number: impl Fn(Place) -> f64) -> f64 {
        self.compose(s, t, |[numbers, ..], value, place| numbers[value] = number(place));
        let Workspace { values, spill, .. } = &mut self.workspace;
        partition::signed_products(&self.numbers[0], values, spill)
    }

    /// The sum of `v v' (p + p') (q + q')` over the pairs in the same order in both rankings. v, p and q are numbers of
    /// the items. If signed, the same sum over the pairs in opposite orders is subtracted.
    pub(crate) fn sums(&mut self, s: Row<'_>, t: Row<'_>, signed: bool, numbers: impl Fn(Place) -> [f64; 3]) -> f64 {
        self.compose(s, t, |[v, p, q], value, place| [v[value], p[value], q[value]] = numbers(place));
        let Workspace { values, spill, .. } = &mut self.workspace;
        let numbers = self.numbers.each_ref().map(Vec::as_slice);
        if signed {
            partition::item_sums::<true>(numbers, values, spill)
        } else {
            partition::item_sums::<false>(numbers, values, spill)
        }
    }

    /// Replaces the values by the values of the reversed ranking.
    fn reverse_values(&mut self) {
        let last = self.workspace.values.len() as u32;
        self.workspace.values.iter_mut().for_each(|value| *value = last - 1 - *value);
    }

    /// Writes the permutation `t o s^-1`, and calls `write` with the value and the place of each item.
    #[inline]
    fn compose(&mut self, s: Row<'_>, t: Row<'_>, mut write: impl FnMut([&mut [f64]; 3], usize, Place)) {
        let Self { workspace, numbers: [first, second, third] } = self;
        for ((position, &item), value) in s.order().iter().enumerate().zip(&mut workspace.values) {
            *value = t.ranks()[item as usize];
            let t = *value as usize;
            write([first, second, third], t, Place { item: item as usize, s: position, t });
        }
    }
}

/// Up to this many items, the items before each item are kept as bits. For 256 items, a sum then takes 0.34
/// microseconds; on a grid it would take 1.1 microseconds (AVX-512). The bits of more items would not fit into the
/// second-level cache.
const MAX_IN_BITS: usize = 256;

/// Approximate time, in nanoseconds, of a sum over the bits of two rankings.
fn in_bits_ns(items: usize) -> f64 {
    let items = items as f64;
    15.0 + 0.6 * items + 0.0026 * items * items
}

/// For some rankings of few items, the items before each item as bits. Each ranking has `length * words` words.
struct Bits {
    /// The number of items, padded.
    length: usize,
    words: usize,
    before: Vec<u64>,
}

impl Bits {
    fn new(rankings: &[Row<'_>], items: usize) -> Result<Self, Error> {
        let (length, words) = (items.next_multiple_of(LANES), items.div_ceil(64));
        let mut before = memory::filled(rankings.len() * length * words, 0)?;
        for (row, before) in rankings.iter().zip(before.chunks_exact_mut((length * words).max(1))) {
            let mut seen = [0_u64; MAX_IN_BITS / 64];
            for &item in row.order() {
                for (before, &seen) in before[item as usize..].iter_mut().step_by(length).zip(&seen) {
                    *before = seen;
                }
                seen[item as usize / 64] |= 1 << (item % 64);
            }
        }
        Ok(Self { length, words, before })
    }

    fn of(&self, ranking: usize) -> &[u64] {
        let size = self.length * self.words;
        &self.before[ranking * size..][..size]
    }
}

/// The rankings of the rows or of the columns of a tile, for [`BeforeBoth`].
struct Factored<'a> {
    rankings: Vec<Row<'a>>,
    bits: Option<Bits>,
    /// The number of items, padded if there are bits.
    length: usize,
    offsets: Vec<f64>,
    factors: Vec<f64>,
}

impl<'a> Factored<'a> {
    fn new(
        rankings: Vec<Row<'a>>,
        items: usize,
        offset: impl Fn(usize) -> f64,
        factor: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, Error> {
        let bits = if items <= MAX_IN_BITS { Some(Bits::new(&rankings, items)?) } else { None };
        let length = bits.as_ref().map_or(items, |bits| bits.length);
        let mut offsets = memory::filled(rankings.len() * length, 0.0)?;
        let mut factors = memory::filled(rankings.len() * length, 0.0)?;
        let parts = offsets.chunks_exact_mut(length.max(1)).zip(factors.chunks_exact_mut(length.max(1)));
        for (row, (offsets, factors)) in rankings.iter().zip(parts) {
            for (item, &rank) in row.ranks().iter().enumerate() {
                offsets[item] = offset(rank as usize);
                factors[item] = factor(item, rank as usize);
            }
        }
        Ok(Self { rankings, bits, length, offsets, factors })
    }

    fn numbers<'b>(&self, numbers: &'b [f64], ranking: usize) -> &'b [f64] {
        &numbers[ranking * self.length..][..self.length]
    }

    fn few(&self, ranking: usize) -> Option<FewItems<'_>> {
        let [offsets, factors] = [&self.offsets, &self.factors].map(|numbers| self.numbers(numbers, ranking));
        Some(FewItems { before: self.bits.as_ref()?.of(ranking), offsets, factors })
    }
}

/// Sums over items that depend on the number of items that come before each one in both rankings.
pub(crate) struct BeforeBoth<'a> {
    rows: Factored<'a>,
    columns: Factored<'a>,
    composed: Composed,
}

impl<'a> BeforeBoth<'a> {
    /// Prepares rankings of `items` items. `offset` is a function of a rank. The factors are functions of an item and
    /// its rank.
    pub(crate) fn new(
        [rows, columns]: [Vec<Row<'a>>; 2],
        items: usize,
        offset: impl Fn(usize) -> f64,
        row_factor: impl Fn(usize, usize) -> f64,
        column_factor: impl Fn(usize, usize) -> f64,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let rows = Factored::new(rows, items, &offset, row_factor)?;
        let columns = Factored::new(columns, items, &offset, column_factor)?;
        Ok(Self { rows, columns, composed: Composed::new(items, cancel)? })
    }

    /// Approximate time, in nanoseconds, of a sum over two rankings.
    pub(crate) fn sum_ns(items: usize) -> f64 {
        if items <= MAX_IN_BITS { in_bits_ns(items) } else { Composed::sum_ns(items) }
    }

    /// The two rankings.
    pub(crate) fn rankings(&self, row: usize, column: usize) -> [Row<'a>; 2] {
        [self.rows.rankings[row], self.columns.rankings[column]]
    }

    /// The sum over items of `(x + x') (k + o + o')`. Here k is the number of items that come before the item in both
    /// rankings; x and o are the factor and the offset of the item in one ranking, and x' and o' in the other. The sum
    /// is bitwise the same if rankings, offsets and factors are swapped.
    pub(crate) fn sum(&mut self, row: usize, column: usize) -> f64 {
        let Self { rows, columns, composed } = self;
        if let (Some(s), Some(t)) = (rows.few(row), columns.few(column)) {
            return common::sum_before_both(Isa::widest(), s, t);
        }
        let factors = [rows.numbers(&rows.factors, row), columns.numbers(&columns.factors, column)];
        let offsets = [rows.numbers(&rows.offsets, row), columns.numbers(&columns.offsets, column)];
        let (s, t) = ordered(rows.rankings[row], columns.rankings[column]);
        let mut rest = RunningSum::default();
        let later = composed.later(s, t, |Place { item, .. }| {
            let factor = factors[0][item] + factors[1][item];
            rest.add(factor * (offsets[0][item] + offsets[1][item]));
            factor
        });
        later + rest.total()
    }
}

/// Puts two rankings into a fixed order, whichever of the two is given first. This is needed because sums over a
/// permutation and over its inverse are rounded differently.
pub(crate) fn ordered<'a>(s: Row<'a>, t: Row<'a>) -> (Row<'a>, Row<'a>) {
    if s.ranks() <= t.ranks() { (s, t) } else { (t, s) }
}

/// A sum of many numbers that is computed in parts. So it loses fewer digits than one sum, and no addition waits for
/// the previous addition.
#[derive(Default)]
pub(crate) struct RunningSum {
    recent: [f64; 4],
    settled: f64,
    count: usize,
}

impl RunningSum {
    #[inline]
    pub(crate) fn add(&mut self, number: f64) {
        self.recent[self.count % 4] += number;
        self.count += 1;
        if self.count.is_multiple_of(2048) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let [a, b, c, d] = std::mem::take(&mut self.recent);
        self.settled += (a + b) + (c + d);
    }

    pub(crate) fn total(mut self) -> f64 {
        self.settle();
        self.settled
    }
}

/// Counts, for each item, the items that come before it in both rankings.
pub(crate) struct CommonCounts<'a> {
    rows: Vec<Row<'a>>,
    columns: Vec<Row<'a>>,
    bits: Option<[Bits; 2]>,
    /// Bits of the ranks that are taken, and a Fenwick tree of the counts of its words.
    taken: Vec<u64>,
    tree: Vec<u32>,
    found: Vec<u32>,
    cancel: Cancel,
}

/// The number of items that are counted between two checks for cancellation.
const CHECK_INTERVAL: usize = 1 << 20;

impl<'a> CommonCounts<'a> {
    pub(crate) fn new(rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let few = items <= MAX_IN_BITS;
        let bits = if few { Some([Bits::new(&rows, items)?, Bits::new(&columns, items)?]) } else { None };
        let length = if few { items.next_multiple_of(LANES) } else { items };
        let words = items.div_ceil(64);
        Ok(Self {
            rows,
            columns,
            bits,
            taken: memory::filled(words, 0)?,
            tree: memory::filled(words + 1, 0)?,
            found: memory::filled(length, 0)?,
            cancel: cancel.clone(),
        })
    }

    /// Approximate time, in nanoseconds, of the counts for two rankings.
    pub(crate) fn pair_ns(items: usize) -> f64 {
        if items <= MAX_IN_BITS { 1.3 * in_bits_ns(items) } else { 12.0 * items as f64 }
    }

    /// The two rankings, and the count for each item.
    pub(crate) fn count(&mut self, row: usize, column: usize) -> (Row<'a>, Row<'a>, &[u32]) {
        let (s, t) = (self.rows[row], self.columns[column]);
        match &self.bits {
            Some([rows, columns]) => {
                common::count_before_both(Isa::widest(), rows.of(row), columns.of(column), &mut self.found);
            }
            None => self.count_many(s, t),
        }
        (s, t, &self.found)
    }

    fn count_many(&mut self, s: Row<'_>, t: Row<'_>) {
        let Self { taken, tree, found, cancel, .. } = self;
        taken.fill(0);
        tree.fill(0);
        for part in s.order().chunks(CHECK_INTERVAL) {
            if cancel.is_cancelled() {
                return;
            }
            for &item in part {
                let rank = t.ranks()[item as usize] as usize;
                let (word, bit) = (rank / 64, 1 << (rank % 64));
                found[item as usize] = (taken[word] & (bit - 1)).count_ones() + sum_up_to(tree, word);
                taken[word] |= bit;
                add_at(tree, word, 1);
            }
        }
    }
}
