//! Diagnosis of a row that is not a ranking.

use super::sorting::{by_any, sort};
use super::value::{InputKind, VACANT, Value, index_of};
use crate::error::{Error, Number};
use crate::memory;
use crate::parallel::Cancel;

/// The error in `row`, if all rows before it are valid.
#[cold]
pub(crate) fn diagnose<V: Value>(
    kind: InputKind,
    items: usize,
    values: &[V],
    row: usize,
    zero_based: bool,
    cancel: &Cancel,
) -> Result<Error, Error> {
    let (first, given) = (&values[..items], &values[row * items..(row + 1) * items]);
    let found = match kind {
        InputKind::Ranks | InputKind::Orders => not_a_permutation(kind, row, given, first, zero_based)?,
        InputKind::Scores => no_scores(row, given, cancel)?,
    };
    // The row was found invalid before. It can be valid now only if another thread has changed the memory.
    Ok(found.unwrap_or(Error::Changed))
}

/// The error in a row that should be a permutation. The first row determines whether all rows count from 0 or from 1.
fn not_a_permutation<V: Value>(
    kind: InputKind,
    row: usize,
    values: &[V],
    first_row: &[V],
    zero_based: bool,
) -> Result<Option<Error>, Error> {
    let items = values.len();
    let first = usize::from(!zero_based);
    let mut columns = memory::filled(items, VACANT)?;
    for (column, &given) in values.iter().enumerate() {
        let value = given.number();
        let Some(index) = index_of(given, zero_based, items) else {
            // Does this row count from 0 and the other rows from 1, or the other way round?
            let holds = |row: &[V], number: usize| row.iter().position(|value| is_whole(*value, number));
            let mixed =
                |row, column, zero_row, zero_column| Error::MixedBase { row, column, zero_row, zero_column, items };
            return Ok(Some(match value {
                Number::Real(value) if value.is_nan() => Error::NotANumber { row, column },
                Number::Real(value) if value.is_finite() && given.whole().is_none() => {
                    let equal = values.iter().filter(|other| other.order(given).is_eq()).count();
                    let between = value > 0.0 && value < items as f64 && (2.0 * value).fract() == 0.0;
                    if between && equal > 1 {
                        Error::Midrank { row, column, value, in_order: kind == InputKind::Orders }
                    } else {
                        Error::NotWhole { row, column, value }
                    }
                }
                _ => match (holds(first_row, 0), holds(first_row, items)) {
                    (Some(zero), _) if zero_based && is_whole(given, items) => mixed(row, column, 0, zero),
                    (_, Some(last)) if !zero_based && is_whole(given, 0) => mixed(0, last, row, column),
                    _ => Error::OutOfRange { row, column, value, first, items },
                },
            }));
        };
        let earlier = std::mem::replace(&mut columns[index], column as u32);
        if earlier != VACANT {
            return Ok(Some(Error::Duplicate { row, earlier: earlier as usize, column, value, first, items }));
        }
    }
    Ok(None)
}

fn is_whole<V: Value>(value: V, number: usize) -> bool {
    value.whole().and_then(|whole| usize::try_from(whole).ok()) == Some(number)
}

/// The error in a row that should be scores.
fn no_scores<V: Value>(row: usize, scores: &[V], cancel: &Cancel) -> Result<Option<Error>, Error> {
    for (column, &score) in scores.iter().enumerate() {
        match score.number() {
            Number::Real(value) if value.is_nan() => return Ok(Some(Error::NotANumber { row, column })),
            Number::Real(value) if value.is_infinite() => return Ok(Some(Error::Infinite { row, column, value })),
            _ => {}
        }
    }
    let mut order: Vec<u32> = memory::collect(0..scores.len() as u32)?;
    let mut spare = memory::filled(order.len(), 0)?;
    let compare = |i: u32, j: u32| scores[i as usize].order(scores[j as usize]);
    if !sort(&mut order, &mut spare, cancel, by_any(&|i, j| compare(i, j).then(i.cmp(&j)))) {
        return Err(Error::Interrupted);
    }
    let ties = order.windows(2).filter(|pair| compare(pair[0], pair[1]).is_eq());
    Ok(ties.min_by_key(|pair| pair[1]).map(|pair| {
        let [earlier, column] = [pair[0], pair[1]].map(|column| column as usize);
        Error::Tie { row, earlier, column, value: scores[column].number() }
    }))
}
