//! Errors as sentences. Positions and names are separate pieces, so that other interfaces can show them in their own
//! terms.

use std::fmt;

use super::{Error, Number};

/// The kind of advice that names items of this crate, for its users only.
pub(crate) const CRATE: &str = "crate";

/// A piece of the message of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words.
    Text(String),
    /// Words of this crate, in which a list has items, and those for a sparse array, which has columns.
    Either(&'static str, &'static str),
    /// A row, from 0.
    Row(usize),
    /// The number of a column, from 0.
    Column(usize),
    /// A parameter, by its name in the Python package; `Display` writes its name in this crate.
    Argument(&'static str),
    /// Advice: its kind, and its words, which can be dropped.
    Advice(&'static str, &'static str),
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Row(row) => write!(f, "row {row}"),
            Self::Column(column) => column.fmt(f),
            Self::Argument(name) => f.write_str(match *name {
                // The names in this crate.
                "n_neighbors" => "count",
                "lam" => "lambda",
                name => name,
            }),
            Self::Either(words, _) | Self::Advice(_, words) => f.write_str(words),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|piece| piece.fmt(f))
    }
}

impl Error {
    /// The message, piece by piece.
    #[allow(clippy::too_many_lines)] // a table: one entry per variant
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        match *self {
            Self::NotWhole { row, column, value } => {
                let rule = "which is not a whole number: ranks and item numbers must be whole";
                advised(
                    at(row, column, format!(" holds {value:?}, {rule}")),
                    "scores",
                    "; real numbers can be read as scores",
                )
            }
            Self::Midrank { row, column, value, in_order } => {
                let (rule, kind, advice) = if in_order {
                    let advice = "; read these numbers as ranks: Incomplete::from_ranks accepts them";
                    ("an order lists item numbers", "ranks", advice)
                } else {
                    ("ranks must be whole", "ties", "; Incomplete::from_ranks accepts it")
                };
                let said = "which is not a whole number but the mean rank of tied items";
                advised(at(row, column, format!(" holds {value:?}, {said}: {rule}")), kind, advice)
            }
            Self::NotANumber { row, column } => {
                let advice = "; Incomplete takes missing items, with Missing::Bottom or Missing::Anywhere";
                advised(at(row, column, " holds NaN: every item needs a number".to_owned()), CRATE, advice)
            }
            Self::Infinite { row, column, value } => {
                at(row, column, format!(" holds {value:?}: numbers must be finite"))
            }
            Self::OutOfRange { row, column, value, first, items } => {
                at(row, column, format!(" holds {value}, but {}", permutation(first, items)))
            }
            Self::MixedBase { row, column, zero_row, zero_column, items } => {
                let mut pieces = at(row, column, format!(" holds {items} and "));
                let spans = format!("{} or all of {}", Span(1, items), Span(0, items));
                let rule = format!(" holds 0, but rows of {items} items must all be permutations of {spans}");
                pieces.extend(at(zero_row, zero_column, rule));
                pieces
            }
            Self::Duplicate { row, earlier, column, value, first, items } => {
                let pieces = twice(row, earlier, column, value, format!(", but {}", permutation(first, items)));
                advised(pieces, CRATE, "; if these are ranks, Incomplete::from_ranks takes ties")
            }
            Self::Tie { row, earlier, column, value } => {
                let pieces = twice(row, earlier, column, value, ": the numbers of a row must all differ".to_owned());
                advised(pieces, CRATE, "; Incomplete::from_scores takes ties")
            }
            Self::NoBounds => {
                text("there are no bounds of lists: there must be one more than lists, the first of them 0")
            }
            Self::ListBounds { row, value, entries } => {
                let rule = format!("bounds must rise from 0 to {entries}, the number of entries");
                vec![Piece::Row(row), Piece::Text(format!(" begins at entry {value}, but {rule}"))]
            }
            Self::EntriesDiffer { items, values } => text(format!(
                "the entries of lists have {items} items and {values} numbers: each entry needs an item and a number"
            )),
            Self::NotInCatalogue { row, value, items } => {
                vec![Piece::Row(row), Piece::Text(format!(" lists item {value}, but there are {items}, from 0"))]
            }
            Self::ListedTwice { row, item } => {
                let before = Piece::Either(" lists item ", " lists column ");
                let rule = Piece::Text(" twice: an item has one place".to_owned());
                vec![Piece::Row(row), before, Piece::Column(item), rule]
            }
            Self::ListedNotFinite { row, item, value } => {
                let rule = if value.is_nan() { "every item needs a number" } else { "numbers must be finite" };
                let rest = Piece::Text(format!(" holds {value:?}: {rule}"));
                vec![Piece::Row(row), Piece::Either(", item ", ", column "), Piece::Column(item), rest]
            }
            Self::ListedTie { row, earlier, item, value } => {
                let (before, and) = (Piece::Text(format!(" holds {value} twice, ")), Piece::Text(" and ".to_owned()));
                let rule = Piece::Text(": the numbers of a row must all differ".to_owned());
                let of = Piece::Either("for items ", "in columns ");
                vec![Piece::Row(row), before, of, Piece::Column(earlier), and, Piece::Column(item), rule]
            }
            Self::ListedAnywhere { row, item } => {
                let rule = " can be anywhere, but lists put all their missing items last: read the rankings with \
                            Missing::Bottom";
                let rest = Piece::Text(rule.to_owned());
                vec![Piece::Row(row), Piece::Either(": item ", ": column "), Piece::Column(item), rest]
            }
            Self::ListMeasure => text(
                "lists out of a catalogue are searched by a kernel of order 2 with a named weight, the distance or the \
                 Mallows kernel, but not by this measure",
            ),
            Self::TopOutOfRange { k, items } => {
                about("k", format!(" is {k}, but must be from 1 to {}, the number of items", items.max(1)))
            }
            Self::FactorLength { given, items } => {
                let rule = format!("but the rankings have {items} items: one is needed for each");
                about("u", format!(" has {given} position weights, {rule}"))
            }
            Self::FactorNotFinite { position, value } => {
                about("u", format!("[{position}] is {value:?}: position weights must be finite"))
            }
            Self::FactorTooLarge { position, value } => {
                let rule = "too large: products of position weights overflow; scale u down";
                about("u", format!("[{position}] is {value:?}, {rule}"))
            }
            Self::TooSteep { order } => about(
                "u",
                format!(
                    " falls too steeply for a normalized kernel of order {order}: products of {order} weights and \
                     those of fewer are not within the range of a float64 at the same time; \
                     take a lower order or flatter weights"
                ),
            ),
            Self::WeightEntry { name, ref at, value } => {
                let place: Vec<String> = at.iter().map(ToString::to_string).collect();
                let rule = "weights must be finite and small enough for sums of products not to overflow";
                let (before, argument) = name.split_at(name.len() - 1);
                let mut pieces = text(before);
                pieces.extend(about(argument, format!("[{}] is {value:?}: {rule}", place.join(", "))));
                pieces
            }
            Self::Order { order } => about(
                "order",
                format!(" is {order}: named weights take an order of 1 or more, general weights have their own order"),
            ),
            Self::OrderSigned { order } => {
                about("order", format!(" is {order}, but only kernels of order 2 have a signed form"))
            }
            Self::Lambda { value } => {
                about("lam", format!(" is {value:?}: the Mallows kernel needs a finite number that is not negative"))
            }
            Self::Parameter { name, ref value, ref rule } => about(name, format!(" is {value}, but must be {rule}")),
            Self::NeighborCount { count, rankings, others } => {
                let kind = if others { "other rankings" } else { "rankings" };
                let rule = if rankings == 0 {
                    "none can be found".to_owned()
                } else {
                    format!("it must be from 1 to {rankings}")
                };
                about("n_neighbors", format!(" is {count}, but there are {rankings} {kind}: {rule}"))
            }
            Self::Radius { value, distance } => {
                let rule = if distance { "it must be a distance from 0" } else { "it must be a value of the kernel" };
                about("radius", format!(" is {value:?}: {rule}"))
            }
            Self::Shape { values, rows, items } => {
                text(format!("{values} values cannot fill {rows} rows of {items} items"))
            }
            Self::RowLength { row, given, items } => {
                let rule = format!(" has {given} values, but the rows before it have {items}: ");
                vec![Piece::Row(row), Piece::Text(rule + "every row must rank the same items")]
            }
            Self::TooManyItems { items } => {
                text(format!("{items} items are too many: at most {} can be ranked", u32::MAX - 1))
            }
            Self::ItemsDiffer { left, right } => {
                text(format!("rankings of {left} items cannot go with {right} items: both must have the same number"))
            }
            Self::ObservationsDiffer { left, right } => text(format!(
                "columns of {left} observations cannot go with columns of {right}: both must have the same observations"
            )),
            Self::RowsDiffer { left, right } => text(format!(
                "{left} rankings cannot go row by row with {right} rankings: both must have the same number"
            )),
            Self::WeightShape { given, arrays, axes, items } => {
                let shape = vec![items.to_string(); axes].join(" x ");
                let (count, plural) =
                    if arrays == 1 { (String::new(), "it") } else { (format!("{arrays} times "), "they") };
                text(format!("there are {given} weights, but for {items} items {plural} must be {count}{shape}"))
            }
            Self::OrderTooHigh { order, items } => text(format!(
                "sums over tuples of {order} of {items} items are too large for a float64: take a lower order"
            )),
            Self::ColumnShape { values, columns, observations } => {
                text(format!("{values} values cannot fill {columns} columns of {observations} observations"))
            }
            Self::OutputLength { given, rows, columns } => {
                text(format!("the output holds {given} values, but the result is {rows} x {columns}"))
            }
            Self::TooLarge { rows, columns } => {
                text(format!("a result of {rows} x {columns} does not fit into memory: compute it in blocks of rows"))
            }
            Self::OutOfMemory { bytes } => {
                text(format!("{bytes} more bytes cannot be allocated: use fewer rankings, items or threads at a time"))
            }
            Self::BeyondSingle { value } => text(format!(
                "values can be as large as {value:?}, too large for single precision: normalize, scale the weights \
                 down or use double precision"
            )),
            Self::BelowSingle { value } => text(format!(
                "no value is larger than {value:?}, too small for single precision: normalize, scale the weights up \
                 or use double precision"
            )),
            Self::UnknownBackend { ref name, strategies, instruction_sets } => text(format!(
                "backend {name:?} does not exist: it is a strategy ({}), an instruction set ({}), or both with a dash \
                 between, as in \"pairs-portable\"",
                strategies.join(", "),
                instruction_sets.join(", "),
            )),
            Self::MissingInstructions { ref name } => {
                text(format!("this CPU does not have the instructions of backend {name:?}"))
            }
            Self::CannotCompute { ref name } => text(format!("backend {name:?} cannot compute this measure")),
            Self::WeightSigned => text("signed sums and correlations need a named weight, not general weights"),
            Self::NoSignedForm { measure } => {
                text(format!("{measure} has no signed form: only a kernel with a named weight has one"))
            }
            Self::NoOtherOrder { measure, order } => {
                let rule = "only a kernel with a named weight takes an order";
                about("order", format!(" is {order}, but {measure} compares pairs of items: {rule}"))
            }
            Self::NoNormalizedForm { measure } => {
                text(format!("{measure} has no normalized form: only a kernel with weights has one"))
            }
            Self::NotAKernel { measure } => {
                text(format!("{measure} is not a kernel: only kernels can be added, multiplied and raised to powers"))
            }
            Self::KernelFactor { value } => {
                about("factor", format!(" is {value:?}, but a kernel is multiplied by a finite number from 0"))
            }
            Self::KernelPower { exponent } => {
                about("exponent", format!(" is {exponent}, but a power of a kernel has a whole exponent from 1"))
            }
            Self::NotFinite => {
                text("a value of the combined kernel is too large for a float64: scale the kernels down or normalize")
            }
            Self::NoThreads => text("the number of threads is 0, but must be 1 or more, or None for the default"),
            Self::NoTile => text("the size of a tile is 0, but must be 1 or more, or None for the default"),
            Self::NoFeatures => text("only kernels of order 2 with a named weight have features of pairs"),
            Self::IncompleteOrder { order } => about(
                "order",
                format!(
                    " is {order}, but rankings with ties or missing items take orders 1 and 2 only: means over more \
                     than two tied items at a time are not implemented"
                ),
            ),
            Self::IncompleteQuadruples => about(
                "W",
                " is for complete rankings: with ties or missing items each pair of items would need a mean over four \
                 blocks of ranks, up to n^4 numbers; U takes such rankings"
                    .to_owned(),
            ),
            Self::UnknownPlaces => {
                text("if missing items can be anywhere, the weight must be the standard one, and the order 2")
            }
            Self::NotTaken { measure, rankings } => text(format!("{measure} is not defined for {rankings}")),
            Self::PairsOnly => text(
                "this needs a kernel of order 2 with a named weight or U, not W, another order, a distance or the \
                 Mallows kernel",
            ),
            Self::NoRankings => text("there are no rankings: a consensus needs at least one"),
            Self::CoefficientCount { given, rankings } => text(format!(
                "there are {given} weights or coefficients for {rankings} rankings: every ranking needs one"
            )),
            Self::RankingWeight { row, value } => {
                let rule = ", but must be a finite number, and not negative for a consensus";
                vec![
                    Piece::Text("the weight of ".to_owned()),
                    Piece::Row(row),
                    Piece::Text(format!(" is {value:?}{rule}")),
                ]
            }
            Self::NoWeight => text("the weights of all rankings are 0: at least one must count"),
            Self::TooManyForExact { items, most } => about(
                "method",
                format!(
                    " \"exact\" is for up to {most} items with this weight, but there are {items}: use \"auto\" or \
                     \"local\""
                ),
            ),
            Self::Changed => text("the values changed while they were being checked: do not write to them meanwhile"),
            Self::Interrupted => text("stopped on request"),
        }
    }
}

fn text(words: impl Into<String>) -> Vec<Piece> {
    vec![Piece::Text(words.into())]
}

fn advised(mut pieces: Vec<Piece>, kind: &'static str, words: &'static str) -> Vec<Piece> {
    pieces.push(Piece::Advice(kind, words));
    pieces
}

fn at(row: usize, column: usize, rest: String) -> Vec<Piece> {
    vec![Piece::Row(row), Piece::Text(", column ".to_owned()), Piece::Column(column), Piece::Text(rest)]
}

fn twice(row: usize, earlier: usize, column: usize, value: Number, rest: String) -> Vec<Piece> {
    let (before, and) = (Piece::Text(format!(" holds {value} twice, in columns ")), Piece::Text(" and ".to_owned()));
    vec![Piece::Row(row), before, Piece::Column(earlier), and, Piece::Column(column), Piece::Text(rest)]
}

fn about(argument: &'static str, rest: String) -> Vec<Piece> {
    vec![Piece::Argument(argument), Piece::Text(rest)]
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
