//! What is no list out of a catalogue.

use wkendall::{Error, Incomplete, ListIndex, Lists, Measure, Missing, Options, Weight};

use super::{Case, case};

fn of(bounds: &[i64], listed: &[i64], values: &[f64]) -> Result<Lists, Error> {
    Lists::from_ranks(3, bounds, listed, values)
}

pub fn lists() -> Vec<Case> {
    let one = of(&[0, 1], &[2], &[1.0]).unwrap();
    let distance = Measure::distance(3);
    vec![
        case(
            "bounds that fall",
            of(&[0, 2, 1], &[0, 1], &[1.0, 2.0]),
            "ListBounds { row: 2, value: Signed(1), entries: 2 }",
            "row 2 begins at entry 1, but bounds must rise from 0 to 2, the number of entries",
        ),
        case(
            "bounds that end early",
            of(&[0, 1], &[0, 1], &[1.0, 2.0]),
            "ListBounds { row: 1, value: Unsigned(1), entries: 2 }",
            "bounds must rise from 0 to 2",
        ),
        case(
            "no bounds",
            of(&[], &[], &[]),
            "NoBounds",
            "there are no bounds of lists: there must be one more than lists",
        ),
        case(
            "an item without a number",
            of(&[0, 2], &[0, 1], &[1.0]),
            "EntriesDiffer { items: 2, values: 1 }",
            "the entries of lists have 2 items and 1 numbers",
        ),
        case(
            "an item of another catalogue",
            of(&[0, 0, 1], &[3], &[1.0]),
            "NotInCatalogue { row: 1, value: Signed(3), items: 3 }",
            "row 1 lists item 3, but there are 3, from 0",
        ),
        case(
            "an item twice",
            of(&[0, 3], &[2, 1, 2], &[1.0, 2.0, 3.0]),
            "ListedTwice { row: 0, item: 2 }",
            "row 0 lists item 2 twice: an item has one place",
        ),
        case(
            "an item twice in an order",
            Lists::from_orders(3, &[vec![1], vec![0, 0]]),
            "ListedTwice { row: 1, item: 0 }",
            "row 1 lists item 0 twice: an item has one place",
        ),
        case(
            "a listed NaN",
            of(&[0, 1], &[1], &[f64::NAN]),
            "ListedNotFinite { row: 0, item: 1, value: NaN }",
            "row 0, item 1 holds NaN: every item needs a number",
        ),
        case(
            "a listed infinity",
            of(&[0, 0, 1], &[2], &[f64::INFINITY]),
            "ListedNotFinite { row: 1, item: 2, value: inf }",
            "row 1, item 2 holds inf: numbers must be finite",
        ),
        case(
            "a list of an item that can be anywhere",
            Lists::from_incomplete(&Incomplete::from_ranks(1, 2, &[1.0, f64::NAN], Missing::Anywhere).unwrap()),
            "ListedAnywhere { row: 0, item: 1 }",
            "row 0: item 1 can be anywhere, but lists put all their missing items last: read the rankings with \
             Missing::Bottom",
        ),
        case(
            "too large a catalogue",
            Lists::from_ranks::<i64, i64, f64>(1 << 32, &[0], &[], &[]),
            "TooManyItems",
            "too many",
        ),
        case(
            "an index for a correlation",
            ListIndex::new(&Measure::correlation(&Weight::Standard, 3).unwrap(), &one, Options::default()).map(drop),
            "ListMeasure",
            "but not by this measure",
        ),
        case(
            "an index of other items",
            ListIndex::new(&Measure::distance(4), &one, Options::default()).map(drop),
            "ItemsDiffer",
            "4",
        ),
        case(
            "more neighbours than lists",
            ListIndex::new(&distance, &one, Options::default()).unwrap().neighbors(Some(&one), 2, Options::default()),
            "NeighborCount { count: 2, rankings: 1, others: false }",
            "count is 2, but there are 1 rankings",
        ),
        case(
            "lists within a radius that is no number",
            ListIndex::new(&distance, &one, Options::default()).unwrap().within(None, f64::NAN, Options::default()),
            "Radius",
            "radius is NaN",
        ),
    ]
}
