//! Everything that can be wrong with what a caller passes in.

use std::fmt;

/// A number as the caller gave it, kept for messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A real number.
    Real(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
            // `{:?}` keeps 1e300 short, where `{}` would write out 301 digits.
            Self::Real(value) => write!(f, "{value:?}"),
        }
    }
}

/// What is wrong, with the numbers that show it. Rows, columns and positions count from 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The number of values is not rows x items.
    Shape {
        /// How many values were given.
        values: usize,
        /// How many rows they should fill.
        rows: usize,
        /// How many values a row has.
        items: usize,
    },
    /// More items than a rank of 32 bits can number.
    TooManyItems {
        /// How many items a row has.
        items: usize,
    },
    /// A rank or an item number that is not whole.
    NotWhole {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A NaN.
    NotANumber {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
    },
    /// An infinite score.
    Infinite {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A rank or an item number below the first or above the last.
    OutOfRange {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value.
        value: Number,
        /// The lowest value allowed: 0 or 1.
        first: usize,
        /// How many items a row has.
        items: usize,
    },
    /// One row counts from 0 and another from 1.
    MixedBase {
        /// Row of a value that is in range only when counting from 1.
        row: usize,
        /// Column of that value.
        column: usize,
        /// Row of a zero.
        zero_row: usize,
        /// Column of that zero.
        zero_column: usize,
        /// How many items a row has.
        items: usize,
    },
    /// A rank or an item number that its row holds already.
    Duplicate {
        /// The row.
        row: usize,
        /// Column of the first of the two.
        earlier: usize,
        /// Column of the second.
        column: usize,
        /// The value.
        value: Number,
        /// The lowest value allowed: 0 or 1.
        first: usize,
        /// How many items a row has.
        items: usize,
    },
    /// Two equal scores in a row.
    Tie {
        /// The row.
        row: usize,
        /// Column of the first of the two.
        earlier: usize,
        /// Column of the second.
        column: usize,
        /// The score.
        value: Number,
    },
    /// Two things that belong together have different numbers of items.
    ItemsDiffer {
        /// Items of the first.
        left: usize,
        /// Items of the second.
        right: usize,
    },
    /// Two sets of rankings that are taken row by row have different numbers of rows.
    RowsDiffer {
        /// Rows of the first.
        left: usize,
        /// Rows of the second.
        right: usize,
    },
    /// `k` of the top-k weight outside 1..n.
    TopOutOfRange {
        /// The value.
        k: usize,
        /// How many items there are.
        items: usize,
    },
    /// Position weights of the wrong length.
    FactorLength {
        /// How many were given.
        given: usize,
        /// How many items there are.
        items: usize,
    },
    /// A position weight that is NaN or infinite.
    FactorNotFinite {
        /// Its position, the most preferred being 0.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A position weight so large that sums of products of weights overflow.
    FactorTooLarge {
        /// Its position, the most preferred being 0.
        position: usize,
        /// The value.
        value: f64,
    },
    /// Weights of another number than the number of items asks for.
    WeightShape {
        /// How many weights were given.
        given: usize,
        /// How many there should be: so many arrays.
        arrays: usize,
        /// So many axes of each.
        axes: usize,
        /// How many items there are, the length of each axis.
        items: usize,
    },
    /// A weight of a tuple of positions that is NaN, infinite, or so large that sums of products overflow.
    WeightEntry {
        /// What holds it: "U", "W", or "the factors of U".
        name: &'static str,
        /// Its place, in an array of which there may be several.
        at: Vec<usize>,
        /// The value.
        value: f64,
    },
    /// An order of 0, or one for a weight that has its own.
    Order {
        /// The order.
        order: usize,
    },
    /// Sums over tuples of so many items that a real number cannot hold them.
    OrderTooHigh {
        /// The order.
        order: usize,
        /// How many items there are.
        items: usize,
    },
    /// Position weights that fall so steeply that products of so many of them have no common scale.
    TooSteep {
        /// The order.
        order: usize,
    },
    /// The signed form of a kernel of another order than 2.
    OrderSigned {
        /// The order.
        order: usize,
    },
    /// The signed form or the correlation of general weights, which have no meaning: they ask for no concordance.
    WeightSigned,
    /// The parameter of the Mallows kernel is negative, NaN or infinite.
    Lambda {
        /// The value.
        value: f64,
    },
    /// The slice to fill is not rows x columns long.
    OutputLength {
        /// Its length.
        given: usize,
        /// Rows of the result.
        rows: usize,
        /// Columns of the result.
        columns: usize,
    },
    /// The result does not fit into memory.
    TooLarge {
        /// Rows of the result.
        rows: usize,
        /// Columns of the result.
        columns: usize,
    },
    /// There is no memory for what the computation needs besides its result.
    OutOfMemory {
        /// How many bytes the allocation that failed asked for.
        bytes: usize,
    },
    /// Values can be too large for single precision.
    BeyondSingle {
        /// The largest value that can occur.
        value: f64,
    },
    /// Values are too small for single precision.
    BelowSingle {
        /// The largest value that can occur.
        value: f64,
    },
    /// The signed form of something that is not a kernel.
    NotAKernel,
    /// A backend that does not exist.
    UnknownBackend {
        /// Its name.
        name: String,
    },
    /// A backend whose instructions this CPU lacks.
    MissingInstructions {
        /// Its name.
        name: String,
    },
    /// A measure that is not an inner product of features of pairs.
    NoFeatures,
    /// A measure that has no mean over the complete rankings that agree with incomplete ones.
    IncompleteMeasure,
    /// A weight other than the standard one where items can be anywhere.
    UnknownPlaces,
    /// A strategy that cannot compute the measure.
    CannotCompute {
        /// Its name.
        name: String,
    },
    /// The values were changed, perhaps by another thread, while they were being checked.
    Changed,
    /// The caller's watch function asked to stop.
    Interrupted,
}

impl fmt::Display for Error {
    #[allow(clippy::too_many_lines)] // a table: one entry a variant
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { values, rows, items } => {
                write!(f, "{values} values cannot fill {rows} rows of {items} items")
            }
            Self::TooManyItems { items } => {
                write!(f, "{items} items are too many: at most {} can be ranked", u32::MAX)
            }
            Self::ItemsDiffer { left, right } => {
                write!(f, "rankings of {left} items cannot go with {right} items: both must have the same number")
            }
            Self::RowsDiffer { left, right } => {
                write!(f, "{left} rankings cannot go row by row with {right} rankings: both must have the same number")
            }
            Self::NotWhole { row, column, value } => write!(
                f,
                "row {row}, column {column} holds {value:?}, which is not a whole number: ranks and item numbers must be \
                 whole; real numbers can be taken as scores"
            ),
            Self::NotANumber { row, column } => {
                write!(f, "row {row}, column {column} holds NaN: every item needs a number")
            }
            Self::Infinite { row, column, value } => {
                write!(f, "row {row}, column {column} holds {value:?}: scores must be finite")
            }
            Self::OutOfRange { row, column, value, first, items } => write!(
                f,
                "row {row}, column {column} holds {value}, but every row of {items} items must be a permutation of {}",
                Span(*first, *items)
            ),
            Self::MixedBase { row, column, zero_row, zero_column, items } => write!(
                f,
                "row {row}, column {column} holds {items} and row {zero_row}, column {zero_column} holds 0, but rows of {items} \
                 items must all be permutations of {} or all of {}",
                Span(1, *items),
                Span(0, *items)
            ),
            Self::Duplicate { row, earlier, column, value, first, items } => write!(
                f,
                "row {row} holds {value} twice, in columns {earlier} and {column}, but every row of {items} items must be a \
                 permutation of {}",
                Span(*first, *items)
            ),
            Self::Tie { row, earlier, column, value } => write!(
                f,
                "row {row} holds {value} twice, in columns {earlier} and {column}: the scores of a row must all differ"
            ),
            Self::TopOutOfRange { k, items } => {
                write!(f, "k is {k}, but must be from 1 to {}, the number of items", items.max(&1))
            }
            Self::FactorLength { given, items } => {
                write!(f, "u has {given} position weights, but the rankings have {items} items: one is needed for each")
            }
            Self::FactorNotFinite { position, value } => {
                write!(f, "u[{position}] is {value:?}: position weights must be finite")
            }
            Self::FactorTooLarge { position, value } => {
                write!(f, "u[{position}] is {value:?}, too large: products of position weights overflow; scale u down")
            }
            Self::WeightShape { given, arrays, axes, items } => {
                let shape = vec![items.to_string(); *axes].join(" x ");
                let (count, plural) =
                    if *arrays == 1 { (String::new(), "it") } else { (format!("{arrays} times "), "they") };
                write!(f, "there are {given} weights, but for {items} items {plural} must be {count}{shape}")
            }
            Self::WeightEntry { name, at, value } => {
                let place: Vec<String> = at.iter().map(ToString::to_string).collect();
                let place = place.join(", ");
                write!(
                    f,
                    "{name}[{place}] is {value:?}: weights must be finite and small enough for sums of products not to overflow"
                )
            }
            Self::Order { order } => write!(
                f,
                "order is {order}: it is the number of items in a tuple, from 1, and general weights have their own"
            ),
            Self::OrderTooHigh { order, items } => write!(
                f,
                "sums over tuples of {order} of {items} items are too large for a float64: take a lower order"
            ),
            Self::TooSteep { order } => write!(
                f,
                "u falls too steeply for a normalized kernel of order {order}: products of {order} weights and those of fewer are not \
                 within the range of a float64 at the same time; take a lower order or flatter weights"
            ),
            Self::OrderSigned { order } => {
                write!(f, "order is {order}, but only kernels of order 2 have a signed form")
            }
            Self::WeightSigned => {
                write!(f, "signed sums and correlations need concordant pairs, which general weights do not ask for")
            }
            Self::Lambda { value } => {
                write!(f, "lam is {value:?}: the Mallows kernel needs a finite number that is not negative")
            }
            Self::OutputLength { given, rows, columns } => {
                write!(f, "the output holds {given} values, but the result is {rows} x {columns}")
            }
            Self::TooLarge { rows, columns } => {
                write!(f, "a result of {rows} x {columns} does not fit into memory: compute it in blocks of rows")
            }
            Self::OutOfMemory { bytes } => {
                write!(f, "there is no memory for {bytes} bytes more: take fewer rankings, items or threads at a time")
            }
            Self::BeyondSingle { value } => write!(
                f,
                "values can be as large as {value:?}, too large for single precision: normalize, scale the weights down or use \
                 double precision"
            ),
            Self::BelowSingle { value } => write!(
                f,
                "no value is larger than {value:?}, too small for single precision: normalize, scale the weights up or use double \
                 precision"
            ),
            Self::NotAKernel => write!(f, "only kernels have a signed form, not distances or correlations"),
            Self::UnknownBackend { name } => write!(
                f,
                "backend {name:?} does not exist: it is a strategy (bits, product, pairs, partition), an instruction set (portable, avx2, \
                 avx512), or both with a dash between, as in \"bits-avx2\""
            ),
            Self::MissingInstructions { name } => {
                write!(f, "this CPU does not have the instructions of backend {name:?}")
            }
            Self::NoFeatures => write!(f, "only kernels of order 2 with a named weight have features of pairs"),
            Self::IncompleteMeasure => write!(
                f,
                "incomplete rankings have kernels of order 2 with a named weight and the distance, but not this measure"
            ),
            Self::UnknownPlaces => {
                write!(f, "where missing items can be anywhere the weight must be the standard one")
            }
            Self::CannotCompute { name } => write!(f, "backend {name:?} cannot compute this measure"),
            Self::Changed => {
                write!(f, "the values changed while they were being checked: do not write to them meanwhile")
            }
            Self::Interrupted => write!(f, "stopped on request"),
        }
    }
}

impl std::error::Error for Error {}

/// The values that a row of so many items may hold, for messages.
struct Span(usize, usize);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(first, items) = self;
        match items {
            1 => write!(f, "{first}"),
            _ => write!(f, "{first}..{}", first + items - 1),
        }
    }
}
