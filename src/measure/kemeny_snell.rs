//! The Kemeny-Snell distance. A pair of items has the sign 1, 0 or -1 in a ranking: before, tied or after. The distance
//! is the sum over pairs of the absolute difference between the two signs.
//!
//! It is not a kernel, because it is 0 for equal rankings. It is a metric: if each pair has two bits, "before" and
//! "after", the distance is the number of bits in which the two rankings differ.

use super::Measure;
use super::differing_pairs::DifferingPairs;
use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use crate::error::Error;
use crate::memory;
use crate::pair::incomplete::{Need, TiedWorkspace, differing_pairs};
use crate::pair::lists::{CommonItems, CommonPairs, ListWorkspace};
use crate::pair::{Workspace, pairs_of, standard};
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::simd::bits::{self, GROUP};
use crate::weight::kinds::PairWeight;

/// Up to this many items, rankings are compared as bits.
const FEW_ITEMS: usize = 512;

/// The Kemeny-Snell distance of rankings of this many items.
#[derive(Debug, PartialEq)]
pub(super) struct KemenySnell {
    pub(super) items: usize,
    pub(super) weighted: Option<DifferingPairs>,
}

impl Measure {
    /// The Kemeny-Snell distance: the sum of `|a - b|` over unordered pairs of items. Here a is the sign of the pair in
    /// the first ranking, and b is its sign in the second ranking. The sign is 1 if the first item of the pair is
    /// before the second item, 0 if the two items are tied, and -1 otherwise. Without ties, the distance is twice the
    /// number of discordant pairs. It is a metric, and not a kernel.
    ///
    /// Items that are not in a [list](crate::Lists) are tied at its end. Values are exact up to 2^53. With [weights of
    /// items](Measure::with_item_weight), the term of a pair is multiplied by the weights of both items.
    ///
    /// ```
    /// use wkendall::{Incomplete, Measure, Missing, Options, gram};
    /// let x = Incomplete::from_ranks(2, 3, &[1, 2, 2, 3, 2, 1], Missing::Error)?;
    /// assert_eq!(gram(&Measure::kemeny_snell(3), &x, None, Options::default())?, [0.0, 5.0, 5.0, 0.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn kemeny_snell(items: usize) -> Self {
        SharedMeasure::new(KemenySnell { items, weighted: None }).into()
    }
}

impl PairMeasure for KemenySnell {
    fn about(&self) -> About {
        About::new("the Kemeny-Snell distance", self.items, Kind::Distance, Takes::Lists)
            .weighted(self.weighted.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        let weighted = Some(DifferingPairs::new(self.items, item_weight)?);
        Ok(SharedMeasure::new(Self { items: self.items, weighted }))
    }

    fn pair_ns(&self, length: usize) -> f64 {
        let n = length as f64;
        if self.items <= FEW_ITEMS { 5.0 + 0.005 * n * n } else { 50.0 + 10.0 * n }
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        if let Some(weighted) = &self.weighted {
            return weighted.complete(rows, columns, cancel);
        }
        if self.items <= FEW_ITEMS {
            let mut bits = Bits::new(rows.iter().map(|row| row.ranks()), columns.iter().map(|row| row.ranks()), false)?;
            return Ok(Box::new(move |row, column| (2 * bits.differing(row, column)) as f64));
        }
        let mut workspace = Workspace::for_run(Some(Isa::widest()), cancel);
        workspace.try_fit(self.items)?;
        let pairs = pairs_of(self.items as u64);
        Ok(Box::new(move |row, column| {
            let (order, ranks) = (rows[row].order(), columns[column].ranks());
            for (value, &item) in workspace.values.iter_mut().zip(order) {
                *value = ranks[item as usize];
            }
            // If the run is cancelled, the count can be any number.
            (2 * u128::from(pairs.saturating_sub(standard(&mut workspace)))) as f64
        }))
    }

    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        if let Some(weighted) = &self.weighted {
            return weighted.tied(rows, columns, cancel);
        }
        if self.items <= FEW_ITEMS {
            let mut bits = Bits::new(rows.iter().map(|row| row.starts), columns.iter().map(|row| row.starts), true)?;
            return Ok(Box::new(move |row, column| bits.differing(row, column) as f64));
        }
        let weight = PairWeight::Count { top: None };
        let need = Need { weight: &weight, signed: false, unknown: false, most_cells: 0 };
        let mut memory = TiedWorkspace::new(need, self.items, Some(Isa::widest()), cancel)?;
        Ok(Box::new(move |row, column| differing_pairs(rows[row], columns[column], &mut memory) as f64))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        if let Some(weighted) = &self.weighted {
            return weighted.lists(rows, columns, cancel);
        }
        let longest = rows.iter().chain(&columns).map(|list| list.len()).max().unwrap_or(0);
        let mut memory = ListWorkspace::new(longest, Some(Isa::widest()), cancel)?;
        let mut common = CommonItems::new(columns.iter().copied())?;
        let (rows, columns) = (memory::try_map(rows, SizedList::new)?, memory::try_map(columns, SizedList::new)?);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            of_lists(s, t, common.of(row, s.list, column), self.items, &mut memory) as f64
        }))
    }
}

/// Rankings of few items as bits, one or two for each pair.
struct Bits {
    isa: Isa,
    /// The number of words of a ranking.
    words: usize,
    rows: Vec<u64>,
    /// The bits of the columns, in groups of interleaved rankings.
    columns: Vec<u64>,
    /// The number of bits in which a row differs from each column, and the number of this row.
    counts: Vec<u64>,
    counted: Option<usize>,
}

impl Bits {
    /// Packs the ranks of rankings into bits. With `ties`, two items can have the same rank.
    fn new<'r>(
        rows: impl ExactSizeIterator<Item = &'r [u32]>,
        columns: impl ExactSizeIterator<Item = &'r [u32]>,
        ties: bool,
    ) -> Result<Self, Error> {
        let isa = Isa::widest();
        let (mut words, mut packed_rows, mut one) = (0, Vec::new(), Vec::new());
        for ranks in rows {
            pack(isa, ranks, ties, &mut one);
            words = one.len();
            memory::extend(&mut packed_rows, &one)?;
        }
        let groups = columns.len().div_ceil(GROUP);
        let mut packed_columns = memory::filled(groups * words * GROUP, 0)?;
        for (column, ranks) in columns.enumerate() {
            pack(isa, ranks, ties, &mut one);
            let group = &mut packed_columns[column / GROUP * words * GROUP..][..words * GROUP];
            for (lanes, &word) in group.chunks_exact_mut(GROUP).zip(&one) {
                lanes[column % GROUP] = word;
            }
        }
        let counts = memory::filled(groups * GROUP, 0)?;
        Ok(Self { isa, words, rows: packed_rows, columns: packed_columns, counts, counted: None })
    }

    /// The number of bits in which a row and a column differ. All columns of a row are counted together.
    fn differing(&mut self, row: usize, column: usize) -> u64 {
        let Self { isa, words, rows, columns, counts, counted } = self;
        if *counted != Some(row) && *words > 0 {
            counts.fill(0);
            bits::count_differing(*isa, *words, false, &rows[row * *words..][..*words], columns, counts);
            *counted = Some(row);
        }
        counts[column]
    }
}

/// Packs a ranking. A bit tells whether the first item of a pair is before the second item. With `ties`, another bit
/// tells whether it is after the second item.
fn pack(isa: Isa, ranks: &[u32], ties: bool, out: &mut Vec<u64>) {
    let mut blocks = [[u16::MAX; 64]; FEW_ITEMS / 64];
    for (block, ranks) in blocks.iter_mut().zip(ranks.chunks(64)) {
        block.iter_mut().zip(ranks).for_each(|(to, &rank)| *to = rank as u16);
    }
    let (blocks, later) = (&blocks[..ranks.len().div_ceil(64)], 1..ranks.len().max(1));
    out.clear();
    if ties {
        bits::pack_signs_with_ties(isa, blocks, later, out);
        // A word with the bits "before" is followed by a word with the bits "not tied", of the same pairs.
        out.as_chunks_mut::<2>().0.iter_mut().for_each(|[before, decided]| *decided ^= *before);
    } else {
        bits::pack_signs(isa, blocks, later, out);
    }
}

/// A list with the sizes of its blocks.
pub(super) struct SizedList<'a> {
    pub(super) list: List<'a>,
    /// The numbers of items of its blocks, by first rank.
    sizes: Vec<u32>,
    /// The number of pairs of tied items.
    tied: i128,
}

impl<'a> SizedList<'a> {
    fn new(list: List<'a>) -> Result<Self, Error> {
        let mut sizes = memory::filled(list.len(), 0)?;
        for &[_, start] in list {
            sizes[start as usize] += 1;
        }
        let tied = sizes.iter().map(|&size| i128::from(pairs_of(size.into()))).sum();
        Ok(Self { list, sizes, tied })
    }
}

/// The distance of two lists, computed from the kinds of items that `pair/lists` describes. Items of B are in both
/// lists, items of A and C are in one list, and items of R are in no list.
fn of_lists(
    s: &SizedList<'_>,
    t: &SizedList<'_>,
    common: &[[u32; 2]],
    items: usize,
    memory: &mut ListWorkspace,
) -> i128 {
    let pairs = |count: i128| count * (count - 1) / 2;
    let both = common.len() as i128;
    let [only_s, only_t] = [s, t].map(|list| list.list.len() as i128 - both);
    let rest = items as i128 - both - only_s - only_t;
    let within = CommonPairs::count(s.list, t.list, common, memory);
    // Pairs A A and A B, for both lists.
    let alone: i128 = [(s, only_s, 0), (t, only_t, 1)]
        .into_iter()
        .map(|(own, only, side)| {
            let (mut before, mut tied) = (0, 0);
            for places in common {
                let start = own.list[places[side] as usize][1];
                before += i128::from(start);
                tied += i128::from(own.sizes[start as usize] - 1);
            }
            // If an item of A is before an item of B, the pair counts twice; if the two are tied, once. All items of
            // the list are counted that are before or tied with an item of B. These include items of B, so two are
            // subtracted for each pair of items of B.
            let with_common = 2 * before + tied - 2 * pairs(both);
            let tied_alone = own.tied - tied + i128::from(within.tied[side]);
            with_common + pairs(only) - tied_alone
        })
        .sum();
    let of_common = pairs(both) - i128::from(within.tied_in_both) - within.balance;
    of_common + alone + 2 * only_s * only_t + (only_s + only_t) * rest
}
