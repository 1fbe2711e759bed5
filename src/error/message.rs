//! Errors as sentences. A sentence says where the error is or which parameter is wrong, what is wrong, and what to do.

use std::fmt;

use super::Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Duplicate { row, earlier, column, value, .. } | Self::Tie { row, earlier, column, value } => {
                write!(f, "row {row} holds {value} twice, in columns {earlier} and {column}")?;
            }
            Self::ListedTie { row, earlier, item, value } => {
                write!(f, "row {row} holds {value} twice, for items {earlier} and {item}")?;
            }
            Self::MixedBase { row, column, zero_row, zero_column, items } => {
                let zero = format!("row {zero_row}, column {zero_column} holds 0");
                write!(f, "row {row}, column {column} holds {items} and {zero}")?;
            }
            Self::ListedTwice { row, item }
            | Self::ListedNotFinite { row, item, .. }
            | Self::ListedAnywhere { row, item } => write!(f, "row {row}, item {item}")?,
            // The names in this crate.
            Self::NeighborCount { .. } => f.write_str("count")?,
            Self::Lambda { .. } => f.write_str("lambda")?,
            _ => match (self.argument(), self.row(), self.column()) {
                (Some(name), ..) => f.write_str(name)?,
                (None, Some(row), Some(column)) => write!(f, "row {row}, column {column}")?,
                (None, Some(row), None) => write!(f, "row {row}")?,
                (None, None, _) => {}
            },
        }
        f.write_str(&self.reason())?;
        f.write_str(match *self {
            Self::NotWhole { .. } => "; real numbers can be read as scores",
            Self::Midrank { in_order: true, .. } => {
                "; read these numbers as ranks: Incomplete::from_ranks accepts them"
            }
            Self::Midrank { .. } => "; Incomplete::from_ranks accepts it",
            Self::NotANumber { .. } => "; Incomplete takes missing items, with Missing::Bottom or Missing::Anywhere",
            Self::Duplicate { .. } => "; if these are ranks, Incomplete::from_ranks takes ties",
            Self::Tie { .. } => "; Incomplete::from_scores takes ties",
            Self::ListedAnywhere { .. } => ": read the rankings with Missing::Bottom",
            _ => "",
        })
    }
}

impl Error {
    /// A parameter whose value breaks a rule.
    pub(crate) fn parameter(name: &'static str, value: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Parameter { name, value: value.into(), rule: rule.into() }
    }

    /// The middle of the message: what is wrong. The parameter or the row and column stand before it, and advice comes
    /// after it.
    #[allow(clippy::too_many_lines)] // a table: one entry per variant
    pub(crate) fn reason(&self) -> String {
        match *self {
            Self::NotWhole { value, .. } => {
                format!(" holds {value:?}, which is not a whole number: ranks and item numbers must be whole")
            }
            Self::Midrank { value, in_order, .. } => {
                let rule = if in_order { "an order lists item numbers" } else { "ranks must be whole" };
                format!(" holds {value:?}, which is not a whole number but the mean rank of tied items: {rule}")
            }
            Self::NotANumber { .. } => " holds NaN: every item needs a number".to_owned(),
            Self::Infinite { value, .. } => format!(" holds {value:?}: numbers must be finite"),
            Self::OutOfRange { value, first, items, .. } => {
                format!(" holds {value}, but {}", permutation(first, items))
            }
            Self::MixedBase { items, .. } => {
                let spans = format!("{} or all of {}", Span(1, items), Span(0, items));
                format!(", but rows of {items} items must all be permutations of {spans}")
            }
            Self::Duplicate { first, items, .. } => format!(", but {}", permutation(first, items)),
            Self::Tie { .. } | Self::ListedTie { .. } => ": the numbers of a row must all differ".to_owned(),
            Self::NoBounds => {
                "there are no bounds of lists: there must be one more than lists, the first of them 0".to_owned()
            }
            Self::ListBounds { value, entries, .. } => {
                let rule = format!("bounds must rise from 0 to {entries}, the number of entries");
                format!(" begins at entry {value}, but {rule}")
            }
            Self::EntriesDiffer { items, values } => format!(
                "the entries of lists have {items} items and {values} numbers: each entry needs an item and a number"
            ),
            Self::NotInCatalogue { value, items, .. } => {
                format!(" lists item {value}, but there are {items} items, counted from 0")
            }
            Self::ListedTwice { .. } => " is listed twice: an item has one place".to_owned(),
            Self::ListedNotFinite { value, .. } => {
                let rule = if value.is_nan() { "every item needs a number" } else { "numbers must be finite" };
                format!(" holds {value:?}: {rule}")
            }
            Self::ListedAnywhere { .. } => {
                " can be anywhere, but lists put all their missing items last".to_owned()
            }
            Self::ListMeasure => "lists out of a catalogue are searched by a kernel of order 2 with a named weight, the \
                                  distance or the Mallows kernel, but not by this measure"
                .to_owned(),
            Self::IndexBytes { reason } => format!("the bytes are not an index of lists: {reason}"),
            Self::TopOutOfRange { k, items } => {
                format!(" is {k}, but must be from 1 to {}, the number of items", items.max(1))
            }
            Self::FactorLength { given, items } => {
                let rule = format!("but the rankings have {items} items: one is needed for each");
                format!(" has {given} position weights, {rule}")
            }
            Self::FactorNotFinite { position, value } => {
                format!("[{position}] is {value:?}: position weights must be finite")
            }
            Self::FactorTooLarge { position, value } => {
                let rule = "too large: products of position weights overflow; scale u down";
                format!("[{position}] is {value:?}, {rule}")
            }
            Self::TooSteep { order } => format!(
                    " falls too steeply for a normalized kernel of order {order}: products of {order} weights and \
                     those of fewer are not within the range of a float64 at the same time; \
                     take a lower order or flatter weights"
                ),
            Self::WeightEntry { name, ref at, value } => {
                let place: Vec<String> = at.iter().map(ToString::to_string).collect();
                let rule = "weights must be finite and small enough for sums of products not to overflow";
                let of_factors = if name.len() > 1 { " has factors of which " } else { "" };
                format!("{of_factors}[{}] is {value:?}: {rule}", place.join(", "))
            }
            Self::Order { order } => {
                let rule = "named weights take an order of 1 or more, general weights have their own order";
                format!(" is {order}: {rule}")
            }
            Self::OrderSigned { order } => {
                format!(" is {order}, but only kernels of order 2 have a signed form")
            }
            Self::Lambda { value } => {
                format!(" is {value:?}: the Mallows kernel needs a finite number that is not negative")
            }
            Self::Parameter { ref value, ref rule, .. } => format!(" is {value}, but must be {rule}"),
            Self::ParameterEntry { index, value, ref rule, .. } => format!("[{index}] is {value:?}, but must be {rule}"),
            Self::ParameterType { ref rule, .. } => format!(" must be {rule}"),
            Self::ParameterMissing { weight, ref rule, .. } => {
                format!(" is missing: the weight '{weight}' needs {rule}")
            }
            Self::ParameterUnused { weight, ref users, .. } => {
                let users: Vec<String> = users.iter().map(|user| format!("'{user}'")).collect();
                let users = match users.as_slice() {
                    [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
                    users => users.concat(),
                };
                format!(" is given, but the weight '{weight}' does not use it: it goes with {users}")
            }
            Self::UnknownParameter { measure, ref name, known } => {
                let known = if known.is_empty() { "no parameters".to_owned() } else { known.join(", ") };
                format!("the measure {measure:?} has no parameter {name:?}: it has {known}")
            }
            Self::NoTensor => "there are no weights: give one of U, factors and W".to_owned(),
            Self::NotTaken { measure, rankings } => format!("{measure} is not defined for {rankings}"),
            Self::NeighborCount { count, rankings, others } => {
                let kind = if others { "other rankings" } else { "rankings" };
                let rule = if rankings == 0 {
                    "none can be found".to_owned()
                } else {
                    format!("it must be from 1 to {rankings}")
                };
                format!(" is {count}, but there are {rankings} {kind}: {rule}")
            }
            Self::NoRow { number, rankings } => format!(" holds {number}, but there are {rankings} rankings, counted from 0"),
            Self::Radius { value, distance } => {
                let rule = if distance { "it must be a distance from 0" } else { "it must be a value of the kernel" };
                format!(" is {value:?}: {rule}")
            }
            Self::Shape { values, rows, items } => {
                format!("{values} values cannot fill {rows} rows of {items} items")
            }
            Self::RowLength { given, items, .. } => {
                let rule = "every row must rank the same items";
                format!(" has {given} values, but the rows before it have {items}: {rule}")
            }
            Self::TooManyItems { items } => {
                format!("{items} items are too many: at most {} can be ranked", u32::MAX - 1)
            }
            Self::ItemsDiffer { left, right } => {
                format!("rankings of {left} items cannot go with {right} items: both must have the same number")
            }
            Self::ObservationsDiffer { left, right } => format!(
                "columns of {left} observations cannot go with columns of {right}: both must have the same observations"
            ),
            Self::RowsDiffer { left, right } => format!(
                "{left} rankings cannot go row by row with {right} rankings: both must have the same number"
            ),
            Self::WeightShape { given, arrays, axes, items } => {
                let shape = vec![items.to_string(); axes].join(" x ");
                let (count, plural) =
                    if arrays == 1 { (String::new(), "it") } else { (format!("{arrays} times "), "they") };
                format!("there are {given} weights, but for {items} items {plural} must be {count}{shape}")
            }
            Self::OrderTooHigh { order, items } => format!(
                " is {order}, but sums over tuples of {order} of {items} items are too large for a float64: take a lower order"
            ),
            Self::ColumnShape { values, columns, observations } => {
                format!("{values} values cannot fill {columns} columns of {observations} observations")
            }
            Self::OutputLength { given, rows, columns } => {
                format!("the output holds {given} values, but the result is {rows} x {columns}")
            }
            Self::TooLarge { rows, columns } => {
                format!("a result of {rows} x {columns} does not fit into memory: compute it in blocks of rows")
            }
            Self::OutOfMemory { bytes } => {
                format!("{bytes} more bytes cannot be allocated: use fewer rankings, items or threads at a time")
            }
            Self::BeyondSingle { value } => format!(
                "values can be as large as {value:?}, too large for single precision: normalize, scale the weights \
                 down or use double precision"
            ),
            Self::BelowSingle { value } => format!(
                "no value is larger than {value:?}, too small for single precision: normalize, scale the weights up \
                 or use double precision"
            ),
            Self::UnknownBackend { ref name, strategies, instruction_sets } => format!(
                " {name:?} does not exist: it is a strategy ({}), an instruction set ({}), or both with a dash \
                 between, as in \"pairs-portable\"",
                strategies.join(", "),
                instruction_sets.join(", "),
            ),
            Self::MissingInstructions { ref name } => {
                format!(" {name:?} needs instructions that this CPU does not have")
            }
            Self::CannotCompute { ref name } => format!(" {name:?} cannot compute this measure"),
            Self::WeightSigned => "signed sums and correlations need a named weight, not general weights".to_owned(),
            Self::NoSignedForm { measure } => {
                format!("{measure} has no signed form: only a kernel with a named weight has one")
            }
            Self::NoOtherOrder { measure, order } => {
                let rule = "only a kernel with a named weight other than 'later' takes an order";
                format!(" is {order}, but {measure} compares pairs of items: {rule}")
            }
            Self::NoNormalizedForm { measure } => {
                format!("{measure} has no normalized form: only a kernel with weights has one")
            }
            Self::NoItemWeight { taker } => format!(" is given, but {taker} does not take weights of items"),
            Self::NotAKernel { measure } => {
                format!("{measure} is not a kernel: only kernels can be added, multiplied and raised to powers")
            }
            Self::KernelFactor { value } => {
                format!(" is {value:?}, but a kernel is multiplied by a finite number from 0")
            }
            Self::KernelPower { exponent } => {
                format!(" is {exponent}, but a power of a kernel has a whole exponent from 1")
            }
            Self::NotFinite => {
                "a value of the combined kernel is too large for a float64: scale the kernels down or normalize".to_owned()
            }
            Self::NoThreads => "the number of threads is 0, but must be 1 or more, or None for the default".to_owned(),
            Self::NoTile => "the size of a tile is 0, but must be 1 or more, or None for the default".to_owned(),
            Self::NoFeatures => "only kernels of order 2 with a named weight have features of pairs".to_owned(),
            Self::IncompleteOrder { order } => format!(
                    " is {order}, but rankings with ties or missing items take orders 1 and 2 only: means over more \
                     than two tied items at a time are not implemented"
                ),
            Self::IncompleteQuadruples => " is for complete rankings: with ties or missing items each pair of items would \
                                           need a mean over four blocks of ranks, up to n^4 numbers; U takes such rankings"
                .to_owned(),
            Self::UnknownPlaces => {
                "if missing items can be anywhere, the weight must be the standard one, and the order 2".to_owned()
            }
            Self::PairsOnly => "this needs a kernel of order 2 with a named weight or U, not W, another order, a distance \
                                or the Mallows kernel"
                .to_owned(),
            Self::NoRankings => "there are no rankings: a consensus needs at least one".to_owned(),
            Self::CoefficientCount { given, rankings } => format!(
                "there are {given} weights or coefficients for {rankings} rankings: every ranking needs one"
            ),
            Self::RankingWeight { value, .. } => {
                format!(" has the weight {value:?}, but it must be a finite number, and not negative for a consensus")
            }
            Self::NoWeight => "the weights of all rankings are 0: at least one must count".to_owned(),
            Self::TooManyForExact { items, most } => format!(
                    " \"exact\" is for up to {most} items with this weight, but there are {items}: use \"auto\" or \
                     \"local\""
                ),
            Self::Changed => "the values changed while they were being checked: do not write to them meanwhile".to_owned(),
            Self::Interrupted => "stopped on request".to_owned(),
        }
    }
}

fn permutation(first: usize, items: usize) -> String {
    format!("every row of {items} items must be a permutation of {}", Span(first, items))
}

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
