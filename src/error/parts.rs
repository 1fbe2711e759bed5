//! The details of an error: row, column, value, kind and argument.

use super::{Error, Number};

impl Error {
    /// The row of the ranking that is wrong.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        match *self {
            Self::ListBounds { row, .. }
            | Self::NotInCatalogue { row, .. }
            | Self::RankingWeight { row, .. }
            | Self::RowLength { row, .. } => Some(row),
            _ => self.place().map(|(row, _)| row),
        }
    }

    /// The column of the value that is wrong. If a value occurs twice, it is the column of the second value. For a
    /// list, it is the item that is wrong.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.place().map(|(_, column)| column)
    }

    /// The places with which the message begins. Each place is a row, followed by columns of this row.
    #[cfg(feature = "python")]
    pub(crate) fn places(&self) -> Vec<Vec<usize>> {
        match *self {
            Self::Duplicate { row, earlier, column, .. }
            | Self::Tie { row, earlier, column, .. }
            | Self::ListedTie { row, earlier, item: column, .. } => vec![vec![row, earlier, column]],
            Self::MixedBase { row, column, zero_row, zero_column, .. } => {
                vec![vec![row, column], vec![zero_row, zero_column]]
            }
            _ => self.row().map(|row| [row].into_iter().chain(self.column()).collect()).into_iter().collect(),
        }
    }

    fn place(&self) -> Option<(usize, usize)> {
        match *self {
            Self::NotWhole { row, column, .. }
            | Self::Midrank { row, column, .. }
            | Self::NotANumber { row, column }
            | Self::Infinite { row, column, .. }
            | Self::OutOfRange { row, column, .. }
            | Self::MixedBase { row, column, .. }
            | Self::Duplicate { row, column, .. }
            | Self::Tie { row, column, .. } => Some((row, column)),
            Self::ListedTwice { row, item }
            | Self::ListedNotFinite { row, item, .. }
            | Self::ListedTie { row, item, .. }
            | Self::ListedAnywhere { row, item } => Some((row, item)),
            _ => None,
        }
    }

    /// The value that is wrong, if the error keeps it as a number. `Error::Parameter` keeps its value as text.
    #[must_use]
    pub fn value(&self) -> Option<Number> {
        match *self {
            Self::OutOfRange { value, .. }
            | Self::Duplicate { value, .. }
            | Self::Tie { value, .. }
            | Self::ListedTie { value, .. }
            | Self::ListBounds { value, .. }
            | Self::NotInCatalogue { value, .. } => Some(value),
            Self::NotANumber { .. } | Self::ListedAnywhere { .. } => Some(Number::Real(f64::NAN)),
            Self::NotWhole { value, .. }
            | Self::Midrank { value, .. }
            | Self::Infinite { value, .. }
            | Self::ListedNotFinite { value, .. }
            | Self::FactorNotFinite { value, .. }
            | Self::FactorTooLarge { value, .. }
            | Self::ParameterEntry { value, .. }
            | Self::WeightEntry { value, .. }
            | Self::RankingWeight { value, .. }
            | Self::Lambda { value }
            | Self::KernelFactor { value }
            | Self::Radius { value, .. } => Some(Number::Real(value)),
            Self::ListedTwice { item: number, .. }
            | Self::RowLength { given: number, .. }
            | Self::MixedBase { items: number, .. }
            | Self::TopOutOfRange { k: number, .. }
            | Self::TooManyForExact { items: number, .. }
            | Self::NeighborCount { count: number, .. }
            | Self::NoRow { number, .. }
            | Self::Order { order: number }
            | Self::OrderTooHigh { order: number, .. }
            | Self::OrderSigned { order: number }
            | Self::IncompleteOrder { order: number }
            | Self::NoOtherOrder { order: number, .. } => Some(Number::Unsigned(number as u64)),
            _ => None,
        }
    }

    /// What is wrong with rankings, in a word or two; `None` for errors that are not about rankings.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Shape { .. }
            | Self::ColumnShape { .. }
            | Self::NoBounds
            | Self::ListBounds { .. }
            | Self::EntriesDiffer { .. } => Some("shape"),
            Self::TooManyItems { .. } => Some("too many items"),
            Self::NotTaken { .. } => Some("not taken"),
            Self::RowLength { .. } => Some("ragged"),
            Self::NotWhole { .. } | Self::Midrank { .. } => Some("not whole"),
            Self::ListedNotFinite { value, .. } if value.is_nan() => Some("nan"),
            Self::NotANumber { .. } | Self::ListedAnywhere { .. } => Some("nan"),
            Self::Infinite { .. } | Self::ListedNotFinite { .. } => Some("infinite"),
            Self::OutOfRange { .. } | Self::NotInCatalogue { .. } => Some("out of range"),
            Self::ListedTwice { .. } => Some("listed twice"),
            Self::MixedBase { .. } => Some("mixed base"),
            Self::Duplicate { .. } | Self::Tie { .. } | Self::ListedTie { .. } => Some("duplicate"),
            Self::ItemsDiffer { .. } => Some("items differ"),
            Self::RowsDiffer { .. } | Self::ObservationsDiffer { .. } => Some("rows differ"),
            Self::RankingWeight { .. } => Some("weight"),
            Self::Changed => Some("changed"),
            _ => None,
        }
    }

    /// The parameter that is wrong, by its name in the Python package and on the command line; `None` for rankings.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        match self {
            Self::TopOutOfRange { .. } => Some("k"),
            Self::Parameter { name, .. }
            | Self::ParameterEntry { name, .. }
            | Self::ParameterType { name, .. }
            | Self::ParameterMissing { name, .. }
            | Self::ParameterUnused { name, .. } => Some(name),
            Self::FactorLength { .. }
            | Self::FactorNotFinite { .. }
            | Self::FactorTooLarge { .. }
            | Self::TooSteep { .. } => Some("u"),
            Self::WeightEntry { name, .. } => Some(&name[name.len() - 1..]),
            Self::Order { .. }
            | Self::OrderTooHigh { .. }
            | Self::OrderSigned { .. }
            | Self::NoOtherOrder { .. }
            | Self::IncompleteOrder { .. } => Some("order"),
            Self::IncompleteQuadruples => Some("W"),
            Self::NoItemWeight { .. } => Some("item_weight"),
            Self::Lambda { .. } => Some("lam"),
            Self::KernelFactor { .. } => Some("factor"),
            Self::KernelPower { .. } => Some("exponent"),
            Self::TooManyForExact { .. } => Some("method"),
            Self::NeighborCount { .. } => Some("n_neighbors"),
            Self::NoRow { .. } => Some("rows"),
            Self::Radius { .. } => Some("radius"),
            Self::UnknownBackend { .. } | Self::MissingInstructions { .. } | Self::CannotCompute { .. } => {
                Some("backend")
            }
            _ => None,
        }
    }
}
