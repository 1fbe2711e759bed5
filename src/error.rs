//! All errors. An error keeps its numbers; `message.rs` turns them into a sentence, and `parts.rs` gives the row,
//! column, value, kind and argument.

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

/// The kind of error, with the numbers that show it. Rows, columns and positions count from 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The number of values is not columns x observations.
    ColumnShape {
        /// The number of values.
        values: usize,
        /// How many columns they should fill.
        columns: usize,
        /// How many observations each column should have.
        observations: usize,
    },
    /// The number of values is not rows x items.
    Shape {
        /// How many values were given.
        values: usize,
        /// How many rows they should fill.
        rows: usize,
        /// How many values a row has.
        items: usize,
    },
    /// A row with another number of values than the rows before it.
    RowLength {
        /// The row.
        row: usize,
        /// How many values it has.
        given: usize,
        /// How many values a row must have.
        items: usize,
    },
    /// More items than a rank of 32 bits can represent.
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
    /// A rank half-way between two whole numbers that occurs twice in its row: the mean rank of tied items.
    Midrank {
        /// Row of the value.
        row: usize,
        /// Column of the value.
        column: usize,
        /// The value.
        value: f64,
        /// Whether the row should be an order, which has item numbers and no ranks.
        in_order: bool,
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
    /// A rank or an item number that occurs twice in a row.
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
    /// Lists without bounds: even no lists have one, 0.
    NoBounds,
    /// Lists whose bounds among the entries do not increase from 0 to the number of entries.
    ListBounds {
        /// The list that begins there.
        row: usize,
        /// The bound.
        value: Number,
        /// How many entries there are.
        entries: usize,
    },
    /// The entries of lists do not have as many items as numbers.
    EntriesDiffer {
        /// How many items were given.
        items: usize,
        /// How many numbers were given.
        values: usize,
    },
    /// A list with an item that is not in the catalogue.
    NotInCatalogue {
        /// The row.
        row: usize,
        /// The item.
        value: Number,
        /// How many items there are.
        items: usize,
    },
    /// A list that has an item twice.
    ListedTwice {
        /// The row.
        row: usize,
        /// The item.
        item: usize,
    },
    /// A listed item whose number is NaN or infinite.
    ListedNotFinite {
        /// The row.
        row: usize,
        /// The item.
        item: usize,
        /// The number.
        value: f64,
    },
    /// Two items of a list with the same number, where ties are not allowed.
    ListedTie {
        /// The row.
        row: usize,
        /// The first of the two items.
        earlier: usize,
        /// The second.
        item: usize,
        /// The number.
        value: Number,
    },
    /// A ranking in which an item can be anywhere; a list puts all unlisted items last.
    ListedAnywhere {
        /// The row.
        row: usize,
        /// The item.
        item: usize,
    },
    /// A measure by which lists out of a catalogue cannot be searched.
    ListMeasure,
    /// Bytes that are not an index of lists.
    IndexBytes {
        /// What is wrong with them.
        reason: &'static str,
    },
    /// Two arguments with different numbers of items.
    ItemsDiffer {
        /// Items of the first.
        left: usize,
        /// Items of the second.
        right: usize,
    },
    /// Two sets of columns with different numbers of observations.
    ObservationsDiffer {
        /// Observations of the first.
        left: usize,
        /// Observations of the second.
        right: usize,
    },
    /// Two sets of rankings that are compared row by row have different numbers of rows.
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
        /// Its position; 0 is the most preferred.
        position: usize,
        /// The value.
        value: f64,
    },
    /// A position weight so large that sums of products of weights overflow.
    FactorTooLarge {
        /// Its position; 0 is the most preferred.
        position: usize,
        /// The value.
        value: f64,
    },
    /// The number of weights does not match the number of items.
    WeightShape {
        /// How many weights were given.
        given: usize,
        /// The expected number of arrays.
        arrays: usize,
        /// The number of axes of each.
        axes: usize,
        /// The number of items, which is the length of each axis.
        items: usize,
    },
    /// A weight of a tuple of positions that is NaN, infinite, or so large that sums of products overflow.
    WeightEntry {
        /// The name of the array: "U", "W", or "the factors of U"; the last letter is the parameter.
        name: &'static str,
        /// Its position, in one array or in a stack of several.
        at: Vec<usize>,
        /// The value.
        value: f64,
    },
    /// An order of 0, or an order for a weight that has its own.
    Order {
        /// The order.
        order: usize,
    },
    /// Sums over tuples of this many items exceed the range of a floating-point number.
    OrderTooHigh {
        /// The order.
        order: usize,
        /// How many items there are.
        items: usize,
    },
    /// Position weights that fall so steeply that products of `order` of them have no common scale.
    TooSteep {
        /// The order.
        order: usize,
    },
    /// The signed form of a kernel of another order than 2.
    OrderSigned {
        /// The order.
        order: usize,
    },
    /// The signed form or the correlation of general weights, which are defined without concordance.
    WeightSigned,
    /// The parameter of the Mallows kernel is negative, NaN or infinite.
    Lambda {
        /// The value.
        value: f64,
    },
    /// A parameter of a measure, given by name, whose value is not possible.
    Parameter {
        /// Its name.
        name: &'static str,
        /// The value.
        value: String,
        /// What it must be.
        rule: String,
    },
    /// A number in a parameter of a measure that cannot be used.
    ParameterEntry {
        /// The name of the parameter.
        name: &'static str,
        /// The place of the number.
        index: usize,
        /// The number.
        value: f64,
        /// What it must be.
        rule: String,
    },
    /// A parameter of a measure, given by name, whose value has another type.
    ParameterType {
        /// Its name.
        name: &'static str,
        /// What it must be.
        rule: String,
    },
    /// A named weight without its parameter.
    ParameterMissing {
        /// The parameter.
        name: &'static str,
        /// The weight.
        weight: &'static str,
        /// What the parameter is.
        rule: String,
    },
    /// A parameter that a named weight does not have.
    ParameterUnused {
        /// The parameter.
        name: &'static str,
        /// The weight.
        weight: &'static str,
        /// The weights that have it.
        users: Vec<&'static str>,
    },
    /// A parameter that a measure does not have.
    UnknownParameter {
        /// The measure.
        measure: &'static str,
        /// The parameter.
        name: String,
        /// The parameters that the measure has.
        known: &'static [&'static str],
    },
    /// General weights are requested, but not given.
    NoTensor,
    /// No neighbours are requested, or more than there are rankings.
    NeighborCount {
        /// The number requested.
        count: usize,
        /// How many rankings there are.
        rankings: usize,
        /// Whether these are the other rankings of a set that is compared with itself.
        others: bool,
    },
    /// There is no such row in an index.
    NoRow {
        /// Its number.
        number: usize,
        /// How many rankings there are.
        rankings: usize,
    },
    /// The radius for neighbours is NaN, or negative for a distance.
    Radius {
        /// The value.
        value: f64,
        /// Whether it is for a distance.
        distance: bool,
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
    /// Memory ran out for working space.
    OutOfMemory {
        /// The size in bytes of the allocation that failed.
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
    /// The signed form of a measure other than a kernel with a weight.
    NoSignedForm {
        /// The measure, in words.
        measure: &'static str,
    },
    /// Another order of a measure other than a kernel with a weight.
    NoOtherOrder {
        /// The measure, in words.
        measure: &'static str,
        /// The order.
        order: usize,
    },
    /// A measure without a normalized form.
    NoNormalizedForm {
        /// What it is.
        measure: &'static str,
    },
    /// Weights of items where none are taken.
    NoItemWeight {
        /// What does not take them, in words.
        taker: &'static str,
    },
    /// Sums, products and powers of a measure that is not a kernel.
    NotAKernel {
        /// What it is.
        measure: &'static str,
    },
    /// A factor of a kernel that is negative or not finite.
    KernelFactor {
        /// The factor.
        value: f64,
    },
    /// A power of a kernel with this exponent.
    KernelPower {
        /// The exponent.
        exponent: u32,
    },
    /// A value of a combination of kernels is not finite.
    NotFinite,
    /// A run on no threads.
    NoThreads,
    /// Tiles without rows.
    NoTile,
    /// A backend that does not exist.
    UnknownBackend {
        /// Its name.
        name: String,
        /// All strategies.
        strategies: &'static [&'static str],
        /// All instruction sets for which there are loops, whether this CPU has them or not.
        instruction_sets: &'static [&'static str],
    },
    /// A backend whose instructions this CPU lacks.
    MissingInstructions {
        /// Its name.
        name: String,
    },
    /// A measure that is not an inner product of features of pairs.
    NoFeatures,
    /// Tuples of more than two items of incomplete rankings, whose means are not implemented.
    IncompleteOrder {
        /// How many items the tuples have.
        order: usize,
    },
    /// Weights of quadruples of ranks for incomplete rankings.
    IncompleteQuadruples,
    /// A weight other than the standard one where items can be anywhere.
    UnknownPlaces,
    /// A measure that is not defined for rankings of this kind.
    NotTaken {
        /// The measure, in words.
        measure: &'static str,
        /// The rankings, in words.
        rankings: &'static str,
    },
    /// A strategy that cannot compute the measure.
    CannotCompute {
        /// Its name.
        name: String,
    },
    /// A kernel that is not a sum over pairs of items, where this is required.
    PairsOnly,
    /// No rankings, where a mean is required.
    NoRankings,
    /// Weights or coefficients of rankings, but not one for each.
    CoefficientCount {
        /// How many were given.
        given: usize,
        /// How many rankings there are.
        rankings: usize,
    },
    /// A weight or coefficient of a ranking that is not finite, or a weight that is negative.
    RankingWeight {
        /// The ranking.
        row: usize,
        /// The value.
        value: f64,
    },
    /// Weights of rankings that are all 0.
    NoWeight,
    /// Too many items for the exact consensus.
    TooManyForExact {
        /// How many items there are.
        items: usize,
        /// The maximum number.
        most: usize,
    },
    /// The values were changed, perhaps by another thread, while they were being checked.
    Changed,
    /// The caller's watch function asked to stop.
    Interrupted,
}

impl std::error::Error for Error {}
