//! Numbers of every type in every shape: they give the rankings that they say, or an error that is true.
#![no_main]

use std::cmp::Ordering;

use libfuzzer_sys::fuzz_target;
use wkendall::{Error, Incomplete, Missing, Number, Rankings, Value};
use wkendall_fuzz::bytes::{Bytes, check_message};

/// A value as it is, whatever its type.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Exact {
    Whole(i128),
    Real(f64),
}

impl Exact {
    fn of_real(value: f64) -> Self {
        // All whole numbers of a float64 up to 2^100 fit.
        if value.fract() == 0.0 && value.abs() < 2f64.powi(100) {
            Self::Whole(value as i128)
        } else {
            Self::Real(value)
        }
    }

    fn of_number(number: Number) -> Self {
        match number {
            Number::Signed(value) => Self::Whole(value.into()),
            Number::Unsigned(value) => Self::Whole(value.into()),
            Number::Real(value) => Self::of_real(value),
            other => panic!("a new kind of number: {other:?}"),
        }
    }

    fn is_nan(self) -> bool {
        matches!(self, Self::Real(value) if value.is_nan())
    }

    fn is_infinite(self) -> bool {
        matches!(self, Self::Real(value) if value.is_infinite())
    }

    fn is(self, number: i128) -> bool {
        self == Self::Whole(number)
    }

    fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The order of two values that are not NaN: whole numbers exactly.
    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(two)) => one.cmp(&two),
            _ => self.real().partial_cmp(&other.real()).expect("no NaN"),
        }
    }
}

/// A type of value that bytes can be turned into.
trait Made: Value {
    fn small(value: i16) -> Self;
    fn odd(bytes: &mut Bytes<'_>) -> Self;
    fn exact(self) -> Exact;
}

macro_rules! made_integers {
    ($($type:ty),*) => {$(
        impl Made for $type {
            fn small(value: i16) -> Self {
                value as Self
            }
            fn odd(bytes: &mut Bytes<'_>) -> Self {
                match bytes.below(4) {
                    0 => Self::MIN,
                    1 => Self::MAX,
                    2 => Self::MAX / 2 + 1,
                    _ => bytes.word() as Self,
                }
            }
            fn exact(self) -> Exact {
                Exact::Whole(self as i128)
            }
        }
    )*};
}
made_integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! made_reals {
    ($($type:ident $bits:ty),*) => {$(
        impl Made for $type {
            fn small(value: i16) -> Self {
                value.into()
            }
            fn odd(bytes: &mut Bytes<'_>) -> Self {
                match bytes.below(10) {
                    0 | 1 => Self::NAN,
                    2 => Self::INFINITY,
                    3 => Self::NEG_INFINITY,
                    4 => -0.0,
                    5 => Self::from(bytes.next()) + 0.5,
                    6 => Self::MAX,
                    7 => Self::from_bits(1),
                    8 => 9.2e18,
                    _ => Self::from_bits(bytes.word() as $bits),
                }
            }
            fn exact(self) -> Exact {
                Exact::of_real(self.into())
            }
        }
    )*};
}
made_reals!(f32 u32, f64 u64);

#[derive(Debug, Clone, Copy)]
struct Shape {
    rows: usize,
    items: usize,
}

/// Mostly a small shape; sometimes a huge or a wrong one.
fn shape(bytes: &mut Bytes<'_>) -> (Shape, usize) {
    let (mut rows, mut items) = (bytes.below(6), bytes.below(9));
    let mut count = rows * items;
    const HUGE: [usize; 6] =
        [usize::MAX, usize::MAX / 2 + 1, 1 << 32, u32::MAX as usize, u32::MAX as usize - 1, 1 << 62];
    match bytes.below(32) {
        1 => count = count.saturating_sub(1 + bytes.below(3)),
        2 => count += 1 + bytes.below(3),
        3 => rows = HUGE[bytes.below(HUGE.len())],
        4 => items = HUGE[bytes.below(HUGE.len())],
        5 => (rows, items) = (HUGE[bytes.below(HUGE.len())], HUGE[bytes.below(HUGE.len())]),
        6 => (rows, items) = (items, rows + 1),
        _ => {}
    }
    (Shape { rows, items }, count)
}

/// Permutations with some cells changed, or any small numbers.
fn values<V: Made>(bytes: &mut Bytes<'_>, items: usize, count: usize) -> Vec<V> {
    let how = bytes.next();
    let base = i16::from(how & 1);
    let mut values = Vec::new();
    while values.len() < count {
        if how & 2 == 0 && items > 0 && items < 100 {
            values.extend(bytes.permutation(items).iter().map(|&rank| V::small(rank as i16 - 1 + base)));
        } else {
            values.push(V::small(i16::from(bytes.next() as i8)));
        }
    }
    values.truncate(count);
    for _ in 0..(how >> 2) % 8 {
        if count > 0 {
            let at = bytes.below(count);
            values[at] = match bytes.below(4) {
                0 => values[bytes.below(count)],
                1 => V::small(i16::from(bytes.next() as i8)),
                _ => V::odd(bytes),
            };
        }
    }
    values
}

/// The cells of a set whose shape fits.
struct Cells {
    shape: Shape,
    values: Vec<Exact>,
}

impl Cells {
    fn at(&self, row: usize, column: usize) -> Exact {
        assert!(row < self.shape.rows && column < self.shape.items, "row {row}, column {column} of {:?}", self.shape);
        self.values[row * self.shape.items + column]
    }

    fn rows(&self) -> impl Iterator<Item = &[Exact]> {
        self.values.chunks(self.shape.items.max(1))
    }

    /// Whether all rows are permutations of the numbers from `first`.
    fn are_permutations(&self, first: i128) -> bool {
        let is_there = |row: &[Exact], number: i128| row.iter().any(|value| value.is(number));
        self.rows().all(|row| (0..row.len() as i128).all(|number| is_there(row, first + number)))
    }
}

fn is_permutation(ranks: &[u32], order: &[u32]) {
    assert_eq!(ranks.len(), order.len());
    for (rank, &item) in order.iter().enumerate() {
        assert_eq!(ranks[item as usize] as usize, rank);
    }
    for (item, &rank) in ranks.iter().enumerate() {
        assert_eq!(order[rank as usize] as usize, item);
    }
}

/// Ranks or orders: what they say, or an error if they are no permutations.
fn check_permutations(cells: &Cells, orders: bool, found: Result<Rankings, Error>) {
    let first = [1, 0].into_iter().find(|&first| cells.are_permutations(first));
    match (found, first) {
        (Ok(found), Some(first)) => {
            for (row, given) in cells.rows().enumerate() {
                let row = found.row(row);
                is_permutation(row.ranks(), row.order());
                let numbers = if orders { row.order() } else { row.ranks() };
                assert!(given.iter().zip(numbers).all(|(given, &number)| given.is(i128::from(number) + first)));
            }
            check_set(&found, cells);
        }
        (Err(error), None) => check_error(cells, &error, false),
        (found, first) => panic!("{found:?}, but the first number is {first:?}: {:?}", cells.values),
    }
}

fn check_scores(cells: &Cells, found: Result<Rankings, Error>) {
    let real = cells.values.iter().all(|value| !value.is_nan() && !value.is_infinite());
    let differ = |row: &[Exact]| (0..row.len()).all(|j| (0..j).all(|i| row[i].order(row[j]).is_ne()));
    match found {
        Ok(found) => {
            assert!(real && cells.rows().all(differ), "{:?}", cells.values);
            for (row, given) in cells.rows().enumerate() {
                is_permutation(found.row(row).ranks(), found.row(row).order());
                for (&rank, one) in found.row(row).ranks().iter().zip(given) {
                    assert_eq!(rank as usize, given.iter().filter(|other| other.order(*one).is_gt()).count());
                }
            }
            check_set(&found, cells);
        }
        Err(error) => {
            assert!(!real || !cells.rows().all(differ), "{error}: {:?}", cells.values);
            check_error(cells, &error, true);
        }
    }
}

/// What can be done with every set.
fn check_set(found: &Rankings, cells: &Cells) {
    assert_eq!((found.rows(), found.items()), (cells.shape.rows, cells.shape.items));
    assert_eq!(&found.clone().inverse().inverse(), found);
    assert_eq!(&found.clone().mirrored().mirrored(), found);
    if cells.shape.rows < 100 {
        let identity = found.compose(&found.clone().inverse()).expect("same shape");
        assert!((0..found.rows()).all(|row| identity.row(row).ranks().is_sorted()));
        let same = Incomplete::from(found);
        assert!(same.is_complete() && same.complete().as_ref() == Some(found));
    }
}

/// The row, the column and the value of an error are what is there.
fn check_error(cells: &Cells, error: &Error, scores: bool) {
    check_message(error);
    let items = cells.shape.items;
    let names = |row: usize| assert!(error.to_string().contains(&format!("row {row}")), "{error}");
    match *error {
        Error::NotWhole { row, column, value } => {
            assert!(!scores && value.is_finite() && cells.at(row, column) == Exact::Real(value));
            names(row);
        }
        Error::Midrank { row, column, value, .. } => {
            assert!(!scores && (2.0 * value).fract() == 0.0 && value.fract() != 0.0);
            assert!(cells.at(row, column) == Exact::Real(value));
            names(row);
        }
        Error::NotANumber { row, column } => {
            assert!(cells.at(row, column).is_nan());
            names(row);
        }
        Error::Infinite { row, column, value } => {
            assert!(scores && value.is_infinite() && cells.at(row, column) == Exact::Real(value));
            names(row);
        }
        Error::OutOfRange { row, column, value, first, items: of } => {
            let given = cells.at(row, column);
            assert!(!scores && of == items && first <= 1 && Exact::of_number(value) == given, "{error} {given:?}");
            let inside = (first..first + items).any(|number| given.is(number as i128));
            assert!(!inside, "{error}");
            names(row);
        }
        Error::MixedBase { row, column, zero_row, zero_column, items: of } => {
            assert!(!scores && of == items);
            assert!(cells.at(row, column).is(items as i128) && cells.at(zero_row, zero_column).is(0), "{error}");
            names(row);
            names(zero_row);
        }
        Error::Duplicate { row, earlier, column, value, items: of, first } => {
            assert!(!scores && of == items && first <= 1);
            check_twice(cells, row, [earlier, column], value);
            names(row);
        }
        Error::Tie { row, earlier, column, value } => {
            assert!(scores);
            check_twice(cells, row, [earlier, column], value);
            names(row);
        }
        ref other => panic!("{other:?}"),
    }
}

fn check_twice(cells: &Cells, row: usize, [earlier, column]: [usize; 2], value: Number) {
    let [one, other] = [cells.at(row, earlier), cells.at(row, column)];
    assert!(earlier < column && one.order(other).is_eq() && one.order(Exact::of_number(value)).is_eq());
}

/// The first rank of the block of each item of a row, and how many share it.
fn block(row: &[Exact], item: usize, descending: bool, missing: Missing) -> (usize, usize) {
    let known = row.iter().filter(|value| !value.is_nan()).count();
    if row[item].is_nan() {
        return if missing == Missing::Anywhere { (row.len(), 0) } else { (known, row.len() - known) };
    }
    let better = if descending { Ordering::Greater } else { Ordering::Less };
    let others = || row.iter().filter(|value| !value.is_nan());
    let ahead = others().filter(|other| other.order(row[item]) == better).count();
    (ahead, others().filter(|other| other.order(row[item]).is_eq()).count())
}

fn check_incomplete(cells: &Cells, descending: bool, missing: Missing, found: Result<Incomplete, Error>) {
    let refused = |value: &Exact| value.is_infinite() || (value.is_nan() && missing == Missing::Error);
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            assert!(cells.values.iter().any(refused), "{error}: {:?}", cells.values);
            return check_error(cells, &error, true);
        }
    };
    assert!(!cells.values.iter().any(refused));
    assert_eq!((found.rows(), found.items()), (cells.shape.rows, cells.shape.items));
    let mut complete = true;
    for (row, given) in cells.rows().enumerate() {
        for item in 0..given.len() {
            let (start, size) = block(given, item, descending, missing);
            assert_eq!(found.starts()[row * given.len() + item] as usize, start);
            let ranks = if size == 0 { 0..given.len() } else { start..start + size };
            assert_eq!(found.block_of(row, item), ranks);
            complete &= size == 1;
        }
    }
    assert_eq!(found.is_complete(), complete);
    assert_eq!(found.complete().is_some(), complete);
    if let Some(same) = found.complete() {
        check_set(&same, cells);
        let ranks = (0..same.rows().min(100)).flat_map(|row| same.row(row).ranks());
        assert!(ranks.eq(found.starts()));
    }
}

fn run<V: Made>(bytes: &mut Bytes<'_>) {
    let constructor = bytes.below(5);
    let missing = [Missing::Error, Missing::Bottom, Missing::Anywhere][bytes.below(3)];
    let (shape, count) = shape(bytes);
    let given: Vec<V> = values(bytes, shape.items, count);
    let Shape { rows, items } = shape;
    let cells = Cells { shape, values: given.iter().map(|value| value.exact()).collect() };
    let fits = rows as u128 * items as u128 == count as u128;
    let check_shape = |error: &Error| {
        check_message(error);
        match *error {
            Error::Shape { values, rows: r, items: i } => assert!(!fits && (values, r, i) == (count, rows, items)),
            Error::TooManyItems { items: i } => assert!(i == items && items >= u32::MAX as usize),
            // Rows without items take memory too.
            Error::OutOfMemory { .. } => assert!(fits && items == 0 && rows > 1 << 20),
            ref other => assert!(fits && items > 0, "{other:?}"),
        }
    };
    match constructor {
        0 | 1 => {
            let make = if constructor == 1 { Rankings::from_orders } else { Rankings::from_ranks };
            let found = make(rows, items, &given);
            if let Err(error) = &found {
                check_shape(error);
            }
            if fits && items < u32::MAX as usize {
                check_permutations(&cells, constructor == 1, found);
            } else {
                assert!(found.is_err());
            }
        }
        2 => {
            let found = Rankings::from_scores(rows, items, &given);
            if let Err(error) = &found {
                check_shape(error);
            }
            if fits && items < u32::MAX as usize {
                check_scores(&cells, found);
            } else {
                assert!(found.is_err());
            }
        }
        // These are in order, but take 16 GiB.
        _ if items == 0 && (1 << 20..1 << 60).contains(&rows) => {}
        _ => {
            let make = if constructor == 4 { Incomplete::from_scores } else { Incomplete::from_ranks };
            let found = make(rows, items, &given, missing);
            if let Err(error) = &found {
                check_shape(error);
            }
            match found {
                found if fits && items > 0 && items < u32::MAX as usize => {
                    check_incomplete(&cells, constructor == 4, missing, found);
                }
                Ok(found) => assert!(fits && items == 0 && found.rows() == rows && found.is_complete()),
                Err(_) => assert!(!fits || items >= u32::MAX as usize || rows > 1 << 20),
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    match bytes.below(12) {
        0 => run::<f64>(&mut bytes),
        1 => run::<f32>(&mut bytes),
        2 => run::<i64>(&mut bytes),
        3 => run::<u64>(&mut bytes),
        4 => run::<i32>(&mut bytes),
        5 => run::<u32>(&mut bytes),
        6 => run::<i16>(&mut bytes),
        7 => run::<u16>(&mut bytes),
        8 => run::<i8>(&mut bytes),
        9 => run::<u8>(&mut bytes),
        10 => run::<isize>(&mut bytes),
        _ => run::<usize>(&mut bytes),
    }
});
