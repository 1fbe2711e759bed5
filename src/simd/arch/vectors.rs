//! The vectors that loops are written with.
//!
//! A vector belongs to an instruction set. The first vectors are made with the token of the set. The token exists only
//! where the CPU has the instructions, so vectors also exist only there, and their operations are safe functions. The
//! operations are inlined where the instructions are enabled: in [`Task::run`](super::Task::run). Elsewhere each
//! operation would be a call.

/// A vector of an instruction set.
pub trait Simd: Copy {
    /// The token of the instruction set.
    type Arch: Copy;
}

/// One register of numbers.
pub(crate) trait Register<S>: Simd {
    /// The number of lanes.
    const WIDTH: usize;

    fn splat(arch: Self::Arch, value: S) -> Self;
    /// The first [`WIDTH`](Register::WIDTH) of the values.
    fn load(arch: Self::Arch, values: &[S]) -> Self;
    /// Overwrites the first [`WIDTH`](Register::WIDTH) of the values.
    fn store(self, values: &mut [S]);
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    fn add_product(self, a: Self, b: Self) -> Self;
}

/// A register of doubles with the operations for sums over pairs of items.
pub(crate) trait GridRegister: Register<f64> {
    /// Whether every CPU with this architecture has the instructions of its operations. Only such operations are fast
    /// in a function that is not inlined.
    const PLAIN: bool = false;

    /// The sum of all numbers.
    fn sum(self) -> f64;
    /// `self + value` in the lanes where `a < b`, and `self` in the others.
    fn add_if_less(self, a: Self, b: Self, value: Self) -> Self;
    /// Reverses each group of four lanes.
    fn reverse_fours(self) -> Self;
    /// Sets this lane and all later lanes to infinity.
    fn hide_from(self, lane: usize) -> Self;
}

/// Eight doubles.
pub trait Doubles8: Simd {
    /// Loads the first eight of the values.
    fn load(arch: Self::Arch, values: &[f64]) -> Self;
    fn store(self, values: &mut [f64; 8]);
    /// Rounds to single precision.
    fn store_single(self, values: &mut [f32; 8]);
    /// Transposes rows and columns.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
}

/// Sixteen doubles.
pub(crate) trait Doubles16: Simd {
    fn splat(arch: Self::Arch, value: f64) -> Self;
    fn load(arch: Self::Arch, values: &[f64; 16]) -> Self;
    /// The sum of all numbers.
    fn sum(self) -> f64;
    fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    fn add_product(self, a: Self, b: Self) -> Self;
}

/// Eight 64-bit words.
pub(crate) trait Words8: Simd {
    fn zero(arch: Self::Arch) -> Self;
    fn splat(arch: Self::Arch, word: u64) -> Self;
    fn load(arch: Self::Arch, words: &[u64; 8]) -> Self;
    fn store(self, words: &mut [u64; 8]);
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// `self & !(a ^ b)`: the bits of `self` in which `a` and `b` agree.
    fn and_equal(self, a: Self, b: Self) -> Self;
    /// `self | a & b`, where `self` and `a` have no bit in common.
    #[inline(always)]
    fn or_both(self, a: Self, b: Self) -> Self {
        self.xor(a.and(b))
    }
    /// The sum or difference wraps around.
    fn add(self, other: Self) -> Self;
    /// The sum or difference wraps around.
    fn sub(self, other: Self) -> Self;
    /// The number of ones in each word.
    fn count(self) -> Self;
    /// Counts the ones of these words. The default is for instruction sets that count the ones of a word in few
    /// instructions. Other sets count the ones of parts of words, and override three functions.
    #[inline(always)]
    fn count_in(self, ones: Ones<Self>) -> Ones<Self> {
        Ones { whole: ones.whole.add(self.count()), ..ones }
    }
    /// Counts the ones of these words, and subtracts the number of ones of `less`.
    #[inline(always)]
    fn count_balance_in(self, less: Self, ones: Ones<Self>) -> Ones<Self> {
        Ones { whole: ones.whole.add(self.count().sub(less.count())), ..ones }
    }
    /// For each word, the sum of the numbers of ones. The sums wrap around.
    #[inline(always)]
    fn sum_of(ones: Ones<Self>) -> Self {
        ones.whole
    }
    /// Bit i tells whether lane i is less than lane i of `other`. Words are below 2^63.
    fn less(self, other: Self) -> u8;
    /// The smaller of two words, for words below 2^32. If one word is larger than this, the result is any word that is
    /// at most the other word. If both are larger, the result is any word.
    fn min(self, other: Self) -> Self;
    /// The product of two words, for words below 2^32. If a word is larger than this, the result is any word.
    fn mul(self, other: Self) -> Self;
    /// `entries[lane] = table[self[lane]]`. Words can have any value. A word that is not an index of the table gives
    /// any entry of the table, such as the last. Counts are not checked before. So an implementation must limit all 64
    /// bits of each word if it has no check of its own, for example by `min` with the last index.
    fn pick(self, table: PickTable<'_>, entries: &mut [f64; 8]);
    /// Bit i is `ranks[i] < pivot`, for 64 ranks.
    fn below(arch: Self::Arch, ranks: &[u16; 64], pivot: u16) -> u64;
}

/// The number of words that can be counted in [`Ones`] before their sum must be taken.
pub(crate) const MAX_COUNTED: usize = 2047;

/// The numbers of ones in each of eight words, summed over many words. Sums wrap around.
#[derive(Clone, Copy)]
pub(crate) struct Ones<W> {
    pub(super) whole: W,
    /// Counts of parts of words that have not been added to `whole` yet. NEON has a count of 16 bits for each 16 bits
    /// of a word.
    #[allow(dead_code)] // Used only by the instruction sets of some CPUs.
    pub(super) parts: W,
}

impl<W: Words8> Ones<W> {
    #[inline(always)]
    pub(crate) fn zero(arch: W::Arch) -> Self {
        Self::starting_with(arch, W::zero(arch))
    }
    /// Counts that begin with these sums.
    #[inline(always)]
    pub(crate) fn starting_with(arch: W::Arch, whole: W) -> Self {
        Self { whole, parts: W::zero(arch) }
    }
    /// Adds the numbers of ones of these words. After more than [`MAX_COUNTED`] calls, the sum can be wrong.
    #[inline(always)]
    pub(crate) fn count(self, words: W) -> Self {
        words.count_in(self)
    }
    /// Adds the numbers of ones of these words, and subtracts those of `less`. It counts as one call.
    #[inline(always)]
    pub(crate) fn count_balance(self, words: W, less: W) -> Self {
        words.count_balance_in(less, self)
    }
    /// The sums.
    #[inline(always)]
    pub(crate) fn sum(self) -> W {
        W::sum_of(self)
    }
}

/// A table with at least one entry and fewer than 2^32 entries.
#[derive(Clone, Copy)]
pub(crate) struct PickTable<'a>(&'a [f64]);

impl<'a> PickTable<'a> {
    /// # Panics
    /// Panics if the table is empty or has 2^32 entries.
    pub(crate) fn new(entries: &'a [f64]) -> Self {
        assert!(!entries.is_empty() && u32::try_from(entries.len()).is_ok());
        Self(entries)
    }

    #[inline(always)]
    pub(super) fn entries(self) -> &'a [f64] {
        self.0
    }

    /// The index of the last entry, below 2^32.
    #[inline(always)]
    pub(super) fn last(self) -> u64 {
        self.0.len() as u64 - 1
    }
}

/// `G` numbers.
pub(crate) trait Vector<S, const G: usize>: Simd {
    fn zero(arch: Self::Arch) -> Self;
    fn load(arch: Self::Arch, values: &[S; G]) -> Self;
    fn store(self, values: &mut [S; G]);
    /// `table[at[lane]]`.
    ///
    /// # Safety
    /// All indices must be within the table and below 2^31.
    #[allow(unsafe_code)]
    unsafe fn gather(arch: Self::Arch, table: &[S], at: &[u32; G]) -> Self;
    /// `self + value * other`.
    fn add_times(self, arch: Self::Arch, value: S, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self` in the lanes where `a < b`, and `-self` in the others.
    fn negative_unless_less(self, a: Self, b: Self) -> Self;
}

/// Columns of a product of features. There are as many columns as stay in registers together with their sums.
pub(crate) trait ProductColumns<S>: Simd {
    /// The number of columns. The number of columns of a group is a multiple of it.
    const COUNT: usize;

    fn zero(arch: Self::Arch) -> Self;
    /// The first [`COUNT`](ProductColumns::COUNT) of the values.
    fn load(arch: Self::Arch, values: &[S]) -> Self;
    /// `self + value * other`.
    fn add_times(self, arch: Self::Arch, value: S, other: Self) -> Self;
    /// Writes the numbers as doubles, or adds them to the first of the sums. An implementation must not use an array in
    /// between, which might be built in memory: single precision would then take 1.09 times as long.
    fn store_doubles(self, sums: &mut [f64], add: bool);
}
