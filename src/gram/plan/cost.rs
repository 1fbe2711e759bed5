//! Every threshold, tile size and cost, and where it was measured. Times are nanoseconds on one core of a Xeon at 2.3
//! GHz with AVX-512. For the other instruction sets, the times of loops with vectors are multiplied by the factors
//! `Arch::SLOWDOWN`. These factors were measured on x86-64; on Arm they are estimated from the cycles of the loops.

use super::{GramTask, Representation, Strategy};
#[cfg(feature = "python")]
use crate::measure::Part;
use crate::measure::{Counted, KendallMeasure, symmetry};
use crate::pair::pairs_of;
use crate::rankings::Lists;
use crate::simd::Isa;
use crate::weight::kinds::{PairWeight, TensorWeight, WeightKind};

/// The approximate duration of a tile. It is short enough to distribute the work among threads, and long enough that
/// the overhead does not matter.
pub(super) const TILE_NS: f64 = 4e6;
/// The widest tile whose rankings and sums fit into the second-level cache. The width is a multiple of all group sizes.
pub(super) const WIDEST: usize = 240;
/// Narrower tiles are used only for few rankings, because every tile needs memory for each of its rows.
pub(super) const NARROWEST: usize = 32;
/// The maximum number of rows and columns of a tile of pairs of rankings with ties. With this number, a tenth of the
/// time is spent on preparing the rankings.
const WIDEST_TIED: usize = 64;
/// The maximum memory for the rankings of such a tile, in bytes. A ranking takes 20 bytes for each item. A tile has at
/// least four rankings, even if they take more.
const TIED_BYTES: usize = 256 << 20;
/// If rankings have to be prepared for a tile, its width is a multiple of this number. Narrower tiles would spend most
/// of the time on preparation. The number is 48 because rankings are processed in groups of 24 or 48.
pub(super) const MIN_SHARED: usize = 48;
/// If there are fewer pairs of rankings than this, they are computed one by one.
pub(super) const FEW: f64 = 64.0;
/// With this many tiles per thread, waiting for the last tile costs only a few percent.
pub(super) const TILES_PER_THREAD: usize = 8;
/// The time between two checks for cancellation. A check takes some 30 ns.
pub(crate) const STOP_CHECK_INTERVAL_NS: f64 = 2e5;
/// One pass over the weights of ranks: time per weight.
pub(in crate::gram) const PASS_NS: f64 = 5.0;
/// Lists without a common item: time per pair.
const LISTS_PAIR_NS: f64 = 15.0;
/// Lists with common items: time per item of a list.
const LISTED_NS: f64 = 6.0;
/// Lists that share most items: time per common item.
const COMMON_NS: f64 = 40.0;
/// Lists with the signed average weight: time per pair of common items.
const COMMON_PAIR_NS: f64 = 3.0;
/// The next numbers are for lists with many items. The first is the time per item of a list. The others are times per
/// common item: for counts, for products of weights, for sums of weights, and for the average weight. Measured with 700
/// lists of 249 out of 765 items, and with 300 lists of 700 out of 2,000 items.
const LONG_LISTED_NS: f64 = 2.0;
const LONG_COUNTED_NS: f64 = 45.0;
const LONG_SUMMED_NS: f64 = 130.0;
const LONG_LATER_NS: f64 = 165.0;
/// Lists with many items and the signed average weight: time per pair of common items.
const LONG_PAIR_NS: f64 = 8.0;
/// If lists have less than this part of the items (1 / 10), they are never expanded to rankings of all items.
pub(in crate::gram) const SHORT_LISTS: usize = 10;
/// Time to expand a list, per item of the catalogue, mostly for sorting.
pub(in crate::gram) const EXPAND_NS: f64 = 40.0;
/// Lists that are compared in less time than this are not expanded.
pub(in crate::gram) const WORTH_EXPANDING_NS: f64 = 5e6;
/// Lists are expanded only if they have at most this many items in all rankings together: 1 GiB of memory.
pub(in crate::gram) const MAX_EXPANDED: f64 = (1 << 26) as f64;
/// The maximum total number of items in the columns of a tile of lists. A tile with one column can have more.
const LISTS_INDEXED: usize = 1 << 20;
/// If there are fewer rankings than this, repeated rankings are not searched for.
pub(in crate::gram) const WORTH_SEARCHING: usize = 64;
/// Maximum time of the search for repeated rankings, per item of each ranking.
pub(in crate::gram) const FIND_NS: f64 = 10.0;
/// Preparing a ranking for a measure that is computed for one pair at a time: time per item.
pub(in crate::gram) const PREPARE_NS: f64 = 5.0;
/// Copying a rank to the place where it is turned into bits.
pub(in crate::gram) const COPY_NS: f64 = 1.0;

/// The number of words of each ranking in a block. With tiles of 256 rankings, the bits of all rankings of a tile take
/// 512 KiB and fit into the second-level cache. The bits of a group of columns take 8 KiB and fit into the first-level
/// cache.
pub(in crate::gram) const BITS_BLOCK: usize = 128;
/// The maximum number of items for bits, because ranks are 16 bits wide there.
pub(in crate::gram) const BITS_MAX_ITEMS: usize = 1 << 16;
/// If at most this many counts are possible, values are looked up in a table. The table needs one evaluation for each
/// entry, so it pays off if the matrix has more cells than the table has entries. A table of this size stays in the
/// second-level cache.
pub(in crate::gram) const BITS_TABLE: u64 = 1 << 15;
/// If the bits of all rankings take at most this many words (4 MiB) and one block, they are computed once and kept.
/// Otherwise they are computed again for every tile, which takes an eighth of the time for 20 items.
pub(in crate::gram) const BITS_KEPT: usize = 1 << 19;

/// Neighbours are searched among some columns at a time. The bits of these columns take this many words (64 MiB).
pub(in crate::gram) const COUNTED_SLAB: usize = 1 << 23;
/// A chunk of columns is compared with all blocks of rows in turn. The bits of a chunk take this many words: 256 KiB,
/// which stay in the second-level cache.
pub(in crate::gram) const COUNTED_CHUNK: usize = 1 << 15;
/// The number of rows and of chunks of a job. The job takes a few milliseconds, and a hundredth of this time computes
/// the bits of the rows.
pub(in crate::gram) const COUNTED_ROWS: usize = 256;
pub(in crate::gram) const COUNTED_SPAN: usize = 4;

/// The number of features in a block. The features of a group of rankings take 18 KiB. So a group of rows and a group
/// of columns stay in the first-level cache while they are multiplied.
pub(in crate::gram) const PRODUCT_BLOCK: usize = 112;
/// Single precision is used if no intermediate sum exceeds this many self-similarities. Each addition rounds by 6e-8,
/// and errors should stay at about 1e-6 of the self-similarity.
pub(in crate::gram) const SINGLE_LOST: f64 = 8.0;
/// Scale the weights so that the largest weight is 1. Single precision is used if the self-similarity is then at least
/// this number. The smallest normal number of single precision is 1e-38, and the features of steep weights are products
/// of two weights.
pub(in crate::gram) const SINGLE_STEEP: f64 = 1e-20;

/// The number of rows and columns of a tile of pairs of rankings with ties.
pub(super) fn tied_tile(items: usize) -> usize {
    (TIED_BYTES / (40 * items.max(1))).clamp(4, WIDEST_TIED)
}

/// The number of rows and columns of a tile of rankings with ties, for general weights. For every large block of a
/// ranking, a row of n numbers is kept. There is at most one such row for each 17 items.
pub(super) fn tied_tensor_tile(items: usize) -> usize {
    let kept = items.max(1).saturating_mul(16 * (items / 17 + 1));
    (TIED_BYTES / kept).clamp(8, WIDEST)
}

/// The number of rows and columns of a tile, for a measure that is computed for one pair of rankings at a time. The
/// measure may prepare 40 bytes for each item of a row and a column together.
pub(super) fn pairwise_tile(pair_ns: f64, length: usize) -> usize {
    let by_time = ((TILE_NS / pair_ns).sqrt() as usize).clamp(NARROWEST, WIDEST);
    by_time.min((TIED_BYTES / (40 * length.max(1))).max(4))
}

/// The approximate minimum number of blocks of bits for rankings of `items` items.
pub(super) fn bits_blocks(items: usize) -> usize {
    items * items / (2 * 64 * BITS_BLOCK)
}

/// The table of the blocks of two rankings is used if it has at most this many cells per item. For 1,000 items, the
/// table then takes at most half the time of sums over a permutation.
pub(in crate::gram) const CELLS_AN_ITEM: usize = 8;
/// Rankings with ties and such a table: time per pair of rankings, and time per item. Measured with 10 to 50 blocks and
/// 100 to 4000 items.
const TABLE_PAIR_NS: f64 = 50.0;
const TABLE_ITEM_NS: f64 = 1.2;
/// For the average kernel with ties, up to this many items, a table of all possible blocks of ranks is used. It takes
/// at most 9 MB. The next number is the time for two blocks.
const TOPS_MAX_ITEMS: usize = 32;
const TOPS_NS: f64 = 15.0;
/// Rankings with ties and sums over a permutation: time per item of a pair of rankings, and time per pair. Measured
/// with 72 rankings of 100 to 7129 items.
const TIED_ITEM_NS: f64 = 20.0;
const TIED_PAIR_NS: f64 = 300.0;
/// Rankings with ties and general weights: time per entry of the tensors of a pair of rankings. Measured with 300
/// rankings of 100 items.
const TIED_ENTRY_NS: f64 = 3.0;

/// Columns with ties and missing observations, with sums over a permutation of the common observations: time per
/// observation, and time per pair. Measured with 40 columns of 1,000 to 20,000 observations, 5 % of them missing.
const OBSERVED_ITEM_NS: f64 = 26.0;
const OBSERVED_PAIR_NS: f64 = 300.0;
/// The same columns with a table: time per cell.
const OBSERVED_CELL_NS: f64 = 1.5;

/// The time to compute a correlation from counts, without and with its p-value.
pub(crate) const FINISH_NS: f64 = 4.0;
pub(crate) const PVALUE_NS: f64 = 60.0;
/// The number of correlations that are computed from counts at a time, in a few milliseconds.
pub(crate) const FINISH_JOB: usize = 1 << 15;

/// The time of a pair of columns with ties and missing observations, if each column is three planes of bits.
pub(in crate::gram) fn columns_bits_ns(isa: Isa, items: usize) -> f64 {
    20.0 + isa.slowdown().bits * 0.0027 * (items as f64).powi(2)
}

/// The time of such a pair of columns, if pairs are computed one after another. `cells` is the size of the table of two
/// columns, if there is one.
pub(in crate::gram) fn columns_pair_ns(items: usize, cells: Option<usize>) -> f64 {
    match cells {
        Some(cells) => TABLE_PAIR_NS + TABLE_ITEM_NS * items as f64 + OBSERVED_CELL_NS * cells as f64,
        None => OBSERVED_PAIR_NS + OBSERVED_ITEM_NS * items as f64,
    }
}

/// Products of ranks: time per observation of a pair of columns.
pub(in crate::gram) const RANKS_NS: f64 = 0.03;

/// The number of rows and columns of a tile of such products.
pub(in crate::gram) fn ranks_tile(rows: usize, columns: usize, threads: usize) -> usize {
    let by_share = ((rows * columns) as f64 / (threads * TILES_PER_THREAD) as f64).sqrt() as usize;
    if threads > 1 { by_share.next_multiple_of(MIN_SHARED).clamp(MIN_SHARED, WIDEST) } else { WIDEST }
}

/// The number of rows and columns of a tile, for `columns` columns with ties and missing observations.
pub(in crate::gram) fn columns_tile(strategy: Strategy, items: usize, columns: usize, threads: usize) -> usize {
    let by_share = columns / ((threads * TILES_PER_THREAD) as f64).sqrt() as usize;
    let (widest, by_share) = match strategy {
        Strategy::Bits => (WIDEST, by_share.next_multiple_of(MIN_SHARED)),
        Strategy::Product | Strategy::Pairs | Strategy::Partition => (tied_tile(items), by_share),
    };
    if threads > 1 { widest.min(by_share) } else { widest }
}

impl Strategy {
    /// Whether the strategy can compute the task.
    pub(super) fn can(self, task: &GramTask<'_>) -> bool {
        let measure = task.measure;
        match (task.representation, self) {
            (Representation::Complete, Self::Bits) => measure.counted().is_some() && measure.items() <= BITS_MAX_ITEMS,
            (Representation::Complete, Self::Product) => measure.summed().is_some(),
            (Representation::Complete, Self::Pairs) => has_grid(measure),
            (Representation::Tied { unknown, .. }, Self::Bits) => {
                let counts =
                    measure.weight().pairs().is_some_and(PairWeight::counts_all) && measure.items() < BITS_MAX_ITEMS;
                !unknown && (counts || later_is_bits(measure))
            }
            (Representation::Lists { .. }, Self::Bits | Self::Product) => false,
            (Representation::Tied { .. }, Self::Product) => !measure.is_later(),
            (Representation::Tied { .. }, Self::Pairs) => !measure.weight().is_general(),
            (_, Self::Partition) | (Representation::Lists { .. }, Self::Pairs) => true,
        }
    }

    /// The approximate time of a pair of rankings in tiles of `tile` rankings. It is the time of the pair itself, plus
    /// a share of the time to prepare the rankings of the tile.
    ///
    /// The numbers were fitted to `cargo bench --bench strategies`.
    pub(super) fn cost_ns(self, task: &GramTask<'_>, isa: Isa, tile: usize) -> f64 {
        let measure = task.measure;
        if let Representation::Lists { length } = task.representation {
            return lists_pair_ns(measure, length);
        }
        let n = measure.items() as f64;
        let slowdown = isa.slowdown();
        let share = 2.0 / tile.max(1) as f64;
        if let Representation::Tied { unknown, cells } = task.representation {
            return match self {
                Self::Bits if measure.is_later() => {
                    4.0 + 2.0 * n + TOPS_NS * (n * n / 2.0).powi(2) / (task.rows * task.columns).max(1) as f64
                }
                Self::Bits => 2.0 + slowdown.bits * n * n * (0.0014 + 0.07 * share),
                Self::Product => 3.0 + slowdown.product * tied_features(measure, unknown) * (0.035 + 0.5 * share),
                Self::Pairs if !unknown && cells <= CELLS_AN_ITEM * measure.items() => {
                    TABLE_PAIR_NS + TABLE_ITEM_NS * n + table_cell_ns(measure) * cells as f64
                }
                Self::Pairs | Self::Partition => tied_pair_ns(measure),
            };
        }
        match self {
            Self::Bits => match measure.counted() {
                Some(Counted::All) => 2.0 + slowdown.bits * n * n * (0.0007 + 0.034 * share),
                Some(Counted::Top(_)) => 2.0 + slowdown.bits * n * n * (0.0011 + 0.05 * share),
                Some(Counted::Later) | None => 2.0 + slowdown.bits * (n * n * (0.0016 + 0.04 * share) + 0.3 * n),
            },
            Self::Product => {
                let single = if task.single { 0.5 } else { 1.0 };
                3.0 + slowdown.product * products(measure) * (0.035 + 0.3 * share) * single
            }
            Self::Pairs if measure.is_ordered() => partition_ns(measure) * slowdown.tuples,
            Self::Pairs => {
                let levels = (n / 1000.0).max(1.0).log2();
                200.0 + slowdown.grid * grid_factor(measure) * n * (5.7 + 1.4 * levels)
            }
            Self::Partition => partition_ns(measure),
        }
    }
}

/// The time of one pair of complete rankings.
#[cfg(feature = "python")]
pub(crate) fn part_ns(part: &Part) -> f64 {
    match part {
        Part::Kendall(measure) => partition_ns(measure),
        Part::Pairwise(measure) => measure.get().pair_ns(measure.get().items()),
    }
}

/// The time of one pair of complete rankings with the partition algorithm. Measured with `cargo bench --bench kappa`.
pub(crate) fn partition_ns(measure: &KendallMeasure) -> f64 {
    let n = measure.items() as f64;
    let levels = (n + 1.0).log2();
    let tuples = |each: f64| 50.0 + each * (measure.order() as f64 / 8.0).ceil() * n * levels;
    let weight = match measure.weight() {
        WeightKind::Tensors(_) => return 30.0 + products(measure),
        WeightKind::Quadruples(_) => return 30.0 + n * n,
        WeightKind::Pairs(weight) => weight,
    };
    let pairs = |each: f64| 30.0 + each * halving_factor(measure, weight) * n * levels;
    match weight {
        PairWeight::Sums(_) if measure.is_ordered() => tuples(14.0),
        PairWeight::Count { .. } | PairWeight::Average | PairWeight::Products(_) if measure.is_ordered() => tuples(4.0),
        PairWeight::Sums(_) | PairWeight::Products(_) => pairs(1.9),
        PairWeight::Count { .. } | PairWeight::Average => pairs(1.1),
    }
}

/// The time of a weight with the partition algorithm, divided by the time to count all pairs.
fn halving_factor(measure: &KendallMeasure, weight: &PairWeight) -> f64 {
    match weight {
        &PairWeight::Count { top: Some(k) } => top_factor(measure, k),
        PairWeight::Sums(_) => 1.4,
        PairWeight::Average => 1.3,
        PairWeight::Count { top: None } | PairWeight::Products(_) => 1.0,
    }
}

/// The time of a weight with sums on a grid, divided by the time to count all pairs.
fn grid_factor(measure: &KendallMeasure) -> f64 {
    match measure.weight().pairs() {
        Some(&PairWeight::Count { top: Some(k) }) => top_factor(measure, k),
        Some(PairWeight::Sums(_)) => 1.8,
        Some(PairWeight::Count { top: None } | PairWeight::Average | PairWeight::Products(_)) | None => 1.0,
    }
}

/// The fraction of the time that a top-k weight needs. Only the items in the top k of both rankings matter.
fn top_factor(measure: &KendallMeasure, k: usize) -> f64 {
    (k as f64 / measure.items().max(1) as f64).powi(2).max(0.05)
}

/// Whether one pair of complete rankings can be computed with vector instructions.
fn has_grid(measure: &KendallMeasure) -> bool {
    match measure.weight().pairs() {
        None => false,
        Some(PairWeight::Sums(_) | PairWeight::Products(_)) => measure.is_ordered() || measure.is_concordant(),
        Some(PairWeight::Count { .. } | PairWeight::Average) => true,
    }
}

/// The number of products in the sum over features for a pair of complete rankings.
fn products(measure: &KendallMeasure) -> f64 {
    let n = measure.items() as f64;
    match measure.weight() {
        WeightKind::Tensors(TensorWeight::Tensor { order: 2, entries })
            if symmetry(entries, measure.items()).is_some() =>
        {
            n * n / 2.0
        }
        WeightKind::Tensors(TensorWeight::Tensor { entries, .. }) => entries.len() as f64,
        WeightKind::Tensors(TensorWeight::Factors { order, vectors }) => {
            let terms = vectors.len() as f64 / (n * *order as f64).max(1.0);
            terms * vectors.len() as f64
        }
        WeightKind::Pairs(_) | WeightKind::Quadruples(_) => n * n / 2.0 + 3.0 * n,
    }
}

/// The time to compute the self-similarity of complete rankings; 0 if it is already known.
pub(crate) fn own_ns(measure: &KendallMeasure) -> f64 {
    if measure.knows_own() {
        return 0.0;
    }
    match measure.weight() {
        WeightKind::Pairs(PairWeight::Count { .. } | PairWeight::Average) => 0.0,
        WeightKind::Pairs(PairWeight::Sums(u)) => 2.0 * u.len() as f64,
        WeightKind::Pairs(PairWeight::Products(u)) => u.len() as f64 * measure.order() as f64,
        WeightKind::Tensors(TensorWeight::Tensor { entries, .. }) => entries.len() as f64,
        WeightKind::Tensors(TensorWeight::Factors { order, vectors }) => {
            vectors.len() as f64 * (vectors.len() as f64 / (order * measure.items()).max(1) as f64)
        }
        WeightKind::Quadruples(_) => (measure.items() * measure.items()) as f64,
    }
}

/// The number of features of rankings with ties.
fn tied_features(measure: &KendallMeasure, unknown: bool) -> f64 {
    if let WeightKind::Tensors(weight) = measure.weight() {
        return tied_entries(weight, measure.items());
    }
    let each = if unknown || measure.is_signed() { 1.0 } else { 2.0 };
    each * pairs_of(measure.items() as u64) as f64
}

/// The number of entries of the mean tensors of a ranking with ties. A tensor that is given by factors counts with all
/// its entries.
fn tied_entries(weight: &TensorWeight, items: usize) -> f64 {
    match weight {
        TensorWeight::Tensor { entries, .. } => entries.len() as f64,
        TensorWeight::Factors { order, .. } => (items as f64).powi(*order as i32),
    }
}

/// Whether the average kernel with ties uses bits of predecessors.
fn later_is_bits(measure: &KendallMeasure) -> bool {
    measure.is_later() && measure.is_concordant() && measure.items() <= TOPS_MAX_ITEMS
}

/// Time per cell of a table of blocks.
fn table_cell_ns(measure: &KendallMeasure) -> f64 {
    match measure.weight().pairs() {
        Some(PairWeight::Average) => 8.0,
        Some(PairWeight::Sums(_)) => 3.5,
        Some(PairWeight::Count { .. } | PairWeight::Products(_)) | None => 2.2,
    }
}

/// The time of one pair of rankings with ties, with sums over a permutation.
pub(in crate::gram) fn tied_pair_ns(measure: &KendallMeasure) -> f64 {
    let n = measure.items() as f64;
    if let WeightKind::Tensors(weight) = measure.weight() {
        // Two tensors are computed for each pair of rankings. Each entry takes a few additions.
        return TIED_PAIR_NS + TIED_ENTRY_NS * tied_entries(weight, measure.items());
    }
    let times = if measure.is_later() { 4.0 } else { 1.0 };
    TIED_PAIR_NS + times * TIED_ITEM_NS * n
}

/// An upper bound of the time to sort an entry of an index of lists. An index for the distance took 0.56 s on two
/// threads of an AMD EPYC, norms and classes included. It had 1,000,000 top-10 lists out of 1,000,000 items, which
/// followed Zipf's law.
pub(in crate::gram) const INDEX_ENTRY_NS: f64 = 56.0;
/// The time of a query for each list of the index. Measured with the same lists on one thread. It was 0.9 ns for the
/// standard weight, the distance and logarithmic weights. For top-k weights and hyperbolic product weights, it was 1.4
/// to 1.6 ns. The slowest query took 4.9 ns.
pub(in crate::gram) const INDEX_LIST_NS: f64 = 1.5;

/// Whether an index of lists pays off for this many queries. For 1,000,000 top-10 lists on two threads of an AMD EPYC,
/// it took 0.56 to 1.1 s to make an index. In this time, 15 to 50 rows of the matrix can be computed, at 20 to 40 ns
/// for a pair.
pub(in crate::gram) fn worth_an_index(queries: usize, lists: &Lists) -> bool {
    queries >= 40 && lists.rows() >= 1000
}

/// Whether an index pays off for measures of overlap, for which a pair of lists takes only 10 to 30 ns. It pays off for
/// many short lists if few neighbours are kept.
///
/// For 3,000 lists of 30 out of 1,000 items, a search of ten neighbours with the index took 1.3 times as long as all
/// pairs without it. A search of all lists with at least a small value took three times as long. The limits here follow
/// from a few such cases with 2,000 to 4,000 lists. Cases in between were not measured.
pub(in crate::gram) fn worth_overlaps(lists: &Lists, kept: Option<usize>) -> bool {
    let (rows, mean) = (lists.rows(), lists.entries().div_ceil(lists.rows().max(1)));
    match kept {
        Some(kept) => rows >= (16 * mean * mean).max(4000) && rows >= kept.saturating_mul(50),
        None => mean <= 16,
    }
}

/// The time to compute bounds of what the items of a list of about this length can add. It is an estimate and was not
/// measured.
pub(in crate::gram) fn lists_norms_ns(length: usize) -> f64 {
    300.0 + 15.0 * length as f64
}

/// The time of one pair of lists of about `length` items.
pub(in crate::gram) fn lists_pair_ns(measure: &KendallMeasure, length: usize) -> f64 {
    let length = length as f64;
    let by_pairs = measure.is_later() && measure.is_signed();
    let of_pairs = if by_pairs { COMMON_PAIR_NS * length * length } else { 0.0 };
    let of_items = if length > 64.0 { COMMON_NS } else { LISTED_NS };
    LISTS_PAIR_NS + of_items * length + of_pairs
}

/// The time of one pair of lists of about `length` items, of which `common` items are in both lists. It is used to
/// choose between lists and rankings of all items.
pub(in crate::gram) fn lists_common_ns(measure: &KendallMeasure, length: usize, common: f64) -> f64 {
    let each = match measure.weight().pairs() {
        Some(PairWeight::Count { top: None }) => LONG_COUNTED_NS,
        Some(PairWeight::Average) => LONG_LATER_NS,
        Some(PairWeight::Count { top: Some(_) } | PairWeight::Sums(_) | PairWeight::Products(_)) | None => {
            LONG_SUMMED_NS
        }
    };
    let of_pairs = if measure.is_later() && measure.is_signed() { LONG_PAIR_NS } else { 0.0 };
    LISTS_PAIR_NS + LONG_LISTED_NS * length as f64 + (each + of_pairs * common) * common
}

/// The number of rows and columns of a tile of lists of about `length` items.
pub(super) fn lists_tile(pair_ns: f64, length: usize) -> usize {
    let by_time = ((TILE_NS / pair_ns).sqrt() as usize).clamp(NARROWEST, WIDEST);
    by_time.min(LISTS_INDEXED / length.max(1)).max(1)
}

#[cfg(feature = "python")]
pub(crate) mod python_limits {
    //! Thresholds for work that the Python package divides: blocks of large matrices, and factors of weights.

    /// The maximum size of a block in bytes, for matrices that are larger than memory or computed on several machines.
    pub(crate) const BLOCK_BYTES: usize = 64 << 20;
    /// The maximum work of such a block: the number of pairs of rankings, times the number of items. With this limit, a
    /// block takes seconds and not minutes.
    pub(crate) const BLOCK_WORK: usize = 1_500_000_000;
    /// A matrix of weights is replaced by products of vectors if the matrix is at least this many times as much work.
    const WORTH_FACTORS: usize = 4;
    /// The time to find the factors of a matrix is about the time of this many products with it.
    const FACTORING: usize = 10;

    /// The maximum number of terms with which factors of an n x n matrix of weights pay off, for this many pairs of
    /// rankings. The time to find the factors is included.
    pub(crate) fn max_factors(items: usize, pairs: usize) -> Option<usize> {
        let worth = items >= WORTH_FACTORS && pairs > items.saturating_mul(FACTORING);
        worth.then(|| (items / (2 * WORTH_FACTORS)).isqrt())
    }
}
