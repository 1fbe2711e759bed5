//! All errors. An error keeps the numbers that belong to it. `message.rs` turns them into a sentence. `parts.rs` has
//! the methods that return the row, column, value, kind and argument of an error.

mod message;
mod parts;

use std::fmt;

/// A number as given by the caller, for messages.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
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

/// The kind of error, with the numbers that belong to it. Rows, columns and positions count from 0.
///
/// Fields have the same meaning in all kinds of errors:
///
/// - `row` and `column` are the place where something is wrong. For a list, `item` stands in the place of `column`.
/// - `value` is the value at this place.
/// - `earlier`: if two values are equal, the column or item of the first of them.
/// - `first` is the lowest number allowed, 0 or 1.
/// - `rows`, `columns`, `items`, `observations`, `entries` and `rankings` are the numbers of rows, columns and so on
///   that exist or are required.
/// - `given` is the number of values that was given.
/// - `left` is the number of items, rows or observations of the first argument, and `right` that of the second.
/// - `position` 0 is the most preferred position.
/// - `name` is the name of a parameter or of a backend.
/// - `rule` says what a parameter must be.
/// - `measure` describes a measure in words, and `taker` the function that takes weights.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)] // of fields, which are described above
pub enum Error {
    /// The number of values is not columns x observations.
    ColumnShape { values: usize, columns: usize, observations: usize },
    /// The number of values is not rows x items.
    Shape { values: usize, rows: usize, items: usize },
    /// A row whose number of values differs from the rows before it.
    RowLength { row: usize, given: usize, items: usize },
    /// More items than a rank of 32 bits can represent.
    TooManyItems { items: usize },
    /// A rank or an item number that is not a whole number.
    NotWhole { row: usize, column: usize, value: f64 },
    /// A rank half-way between two whole numbers, such as 2.5, that occurs twice in its row. It is probably the mean
    /// rank of tied items. `in_order` tells whether the row should be an order; an order has item numbers and no ranks.
    Midrank { row: usize, column: usize, value: f64, in_order: bool },
    /// A NaN.
    NotANumber { row: usize, column: usize },
    /// An infinite score.
    Infinite { row: usize, column: usize, value: f64 },
    /// A rank or an item number that is too small or too large.
    OutOfRange { row: usize, column: usize, value: Number, first: usize, items: usize },
    /// One row counts from 0 and another from 1. The value at `row` and `column` is `items`, so this row counts from 1.
    /// The zero at `zero_row` and `zero_column` shows that another row counts from 0.
    MixedBase { row: usize, column: usize, zero_row: usize, zero_column: usize, items: usize },
    /// A rank or an item number that occurs twice in a row.
    Duplicate { row: usize, earlier: usize, column: usize, value: Number, first: usize, items: usize },
    /// Two equal scores in a row.
    Tie { row: usize, earlier: usize, column: usize, value: Number },
    /// Lists without bounds. There must be at least one bound, 0, even if there are no lists.
    NoBounds,
    /// Lists whose bounds do not increase from 0 to the number of entries. The wrong bound is `value`, the start of
    /// list `row`.
    ListBounds { row: usize, value: Number, entries: usize },
    /// Lists whose entries have `items` items, but `values` numbers.
    EntriesDiffer { items: usize, values: usize },
    /// A list with an item that is not in the catalogue.
    NotInCatalogue { row: usize, value: Number, items: usize },
    /// A list that has an item twice.
    ListedTwice { row: usize, item: usize },
    /// A listed item whose number is NaN or infinite.
    ListedNotFinite { row: usize, item: usize, value: f64 },
    /// Two items of a list with the same number, where ties are not allowed.
    ListedTie { row: usize, earlier: usize, item: usize, value: Number },
    /// A ranking in which an item can be anywhere. It cannot become a list, because a list has all unlisted items at
    /// the end.
    ListedAnywhere { row: usize, item: usize },
    /// A measure that an index of lists does not support.
    ListMeasure,
    /// Bytes that are not an index of lists.
    IndexBytes {
        /// What is wrong with them.
        reason: &'static str,
    },
    /// Two arguments with different numbers of items.
    ItemsDiffer { left: usize, right: usize },
    /// Two sets of columns with different numbers of observations.
    ObservationsDiffer { left: usize, right: usize },
    /// Two sets of rankings that are compared row by row have different numbers of rows.
    RowsDiffer { left: usize, right: usize },
    /// The `k` of a top-k weight is not from 1 to the number of items.
    TopOutOfRange { k: usize, items: usize },
    /// Position weights of the wrong length.
    FactorLength { given: usize, items: usize },
    /// A position weight that is NaN or infinite.
    FactorNotFinite { position: usize, value: f64 },
    /// A position weight so large that sums of products of weights overflow.
    FactorTooLarge { position: usize, value: f64 },
    /// The number of weights does not match the number of items. There must be `arrays` arrays, each with `axes` axes
    /// of `items` numbers.
    WeightShape { given: usize, arrays: usize, axes: usize, items: usize },
    /// A weight of a tuple of positions that is NaN, infinite, or so large that sums of products overflow. `name` is
    /// "U", "W", or "the factors of U"; its last letter is the name of the parameter. `at` is the index of the weight
    /// in one array, or in a stack of several arrays.
    WeightEntry { name: &'static str, at: Vec<usize>, value: f64 },
    /// An order of 0, or an order for a weight that has its own order.
    Order { order: usize },
    /// Sums over tuples of this many items exceed the range of a floating-point number.
    OrderTooHigh { order: usize, items: usize },
    /// Position weights that fall so steeply that products of `order` weights overflow or underflow at every scale.
    TooSteep { order: usize },
    /// The signed form of a kernel whose order is not 2.
    OrderSigned { order: usize },
    /// The signed form or the correlation of general weights, which are defined without concordance.
    WeightSigned,
    /// The parameter of the Mallows kernel is negative, NaN or infinite.
    Lambda { value: f64 },
    /// A parameter of a measure, given by name, whose value is not possible.
    Parameter { name: &'static str, value: String, rule: String },
    /// An array, given as a parameter of a measure, with a number that cannot be used. `index` is the place of the
    /// number.
    ParameterEntry { name: &'static str, index: usize, value: f64, rule: String },
    /// A parameter of a measure, given by name, whose value has another type.
    ParameterType { name: &'static str, rule: String },
    /// A named weight without its parameter.
    ParameterMissing { name: &'static str, weight: &'static str, rule: String },
    /// A parameter that a named weight does not have. `users` are the weights that have this parameter.
    ParameterUnused { name: &'static str, weight: &'static str, users: Vec<&'static str> },
    /// A parameter that a measure does not have. `known` are the parameters that the measure has.
    UnknownParameter { measure: &'static str, name: String, known: &'static [&'static str] },
    /// A measure with general weights is requested, but no weights are given.
    NoTensor,
    /// The number of requested neighbours is 0 or larger than the number of rankings. `others` tells whether a set is
    /// compared with itself. Then `rankings` is the number of other rankings.
    NeighborCount { count: usize, rankings: usize, others: bool },
    /// There is no such row in an index.
    NoRow { number: usize, rankings: usize },
    /// The radius for neighbours is NaN, or it is negative and the measure is a distance. `distance` tells whether the
    /// measure is a distance.
    Radius { value: f64, distance: bool },
    /// The slice to fill is not rows x columns long.
    OutputLength { given: usize, rows: usize, columns: usize },
    /// The result does not fit into memory.
    TooLarge { rows: usize, columns: usize },
    /// There is not enough memory for working space. An allocation of `bytes` bytes failed.
    OutOfMemory { bytes: usize },
    /// Values can be too large for single precision. `value` is the largest that can occur.
    BeyondSingle { value: f64 },
    /// Values are too small for single precision. `value` is the largest that can occur.
    BelowSingle { value: f64 },
    /// The signed form of a measure that has none. Only a kernel with a weight has a signed form.
    NoSignedForm { measure: &'static str },
    /// An order that is not 2, for a measure that has no orders. Only a kernel with a weight has orders.
    NoOtherOrder { measure: &'static str, order: usize },
    /// A measure without a normalized form.
    NoNormalizedForm { measure: &'static str },
    /// Weights of items for a measure that does not take them.
    NoItemWeight { taker: &'static str },
    /// Sums, products and powers of a measure that is not a kernel.
    NotAKernel { measure: &'static str },
    /// A factor of a kernel that is negative or not finite.
    KernelFactor { value: f64 },
    /// A power of a kernel with an exponent that is not allowed.
    KernelPower { exponent: u32 },
    /// A value of a combination of kernels is not finite.
    NotFinite,
    /// The number of threads is 0.
    NoThreads,
    /// The size of tiles is 0.
    NoTile,
    /// A backend that does not exist. `strategies` and `instruction_sets` are the names that exist. This CPU may lack
    /// some of the instruction sets.
    UnknownBackend { name: String, strategies: &'static [&'static str], instruction_sets: &'static [&'static str] },
    /// A backend with instructions that this CPU does not have.
    MissingInstructions { name: String },
    /// A measure that is not an inner product of features of pairs.
    NoFeatures,
    /// An order above 2 for incomplete rankings. The mean of such a kernel is not implemented.
    IncompleteOrder { order: usize },
    /// The weight [`Weight::Quadruples`](crate::Weight::Quadruples) for incomplete rankings.
    IncompleteQuadruples,
    /// A weight that is not the standard weight, for rankings with items that can be anywhere.
    UnknownPlaces,
    /// A measure that is not defined for rankings of this kind.
    NotTaken { measure: &'static str, rankings: &'static str },
    /// A strategy that cannot compute the measure.
    CannotCompute { name: String },
    /// A kernel that is not a sum over pairs of items is given to a function that needs such a sum.
    PairsOnly,
    /// There are no rankings, so there is no mean.
    NoRankings,
    /// Weights or coefficients of rankings whose number is not the number of rankings.
    CoefficientCount { given: usize, rankings: usize },
    /// A weight or coefficient of a ranking that is not finite, or a weight that is negative.
    RankingWeight { row: usize, value: f64 },
    /// All weights of rankings are 0.
    NoWeight,
    /// Too many items for the exact consensus. `most` is the maximum number.
    TooManyForExact { items: usize, most: usize },
    /// The values were changed, perhaps by another thread, while they were being checked.
    Changed,
    /// The caller's watch function asked to stop.
    Interrupted,
}

impl std::error::Error for Error {}
