//! Checks of the parameters of measures.

use crate::error::Error;

/// Returns an error unless there are `count` numbers, `each` of which says what for, and all are finite.
pub(super) fn check_finite(name: &'static str, numbers: &[f64], count: usize, each: &str) -> Result<(), Error> {
    check(name, numbers, count, each, "a finite number", f64::is_finite)
}

/// As [`check_finite`], for numbers that are also not negative.
pub(super) fn check_not_negative(name: &'static str, numbers: &[f64], count: usize, each: &str) -> Result<(), Error> {
    let rule = "a finite number that is not negative";
    check(name, numbers, count, each, rule, |number| number.is_finite() && number >= 0.0)
}

fn check(
    name: &'static str,
    numbers: &[f64],
    count: usize,
    each: &str,
    rule: &str,
    is_right: impl Fn(f64) -> bool,
) -> Result<(), Error> {
    if numbers.len() != count {
        let value = format!("an array of length {}", numbers.len());
        return Err(Error::Parameter {
            name,
            value,
            rule: format!("an array of length {count}, one number for {each}"),
        });
    }
    match numbers.iter().position(|&number| !is_right(number)) {
        Some(index) => Err(wrong_number(name, numbers[index], index, rule)),
        None => Ok(()),
    }
}

/// The error for one of several numbers.
pub(super) fn wrong_number(name: &'static str, number: f64, index: usize, rule: &str) -> Error {
    Error::ParameterEntry { name, index, value: number, rule: rule.to_owned() }
}

/// Returns an error unless the largest value of a measure is in range: `bound` is an upper bound of it.
pub(super) fn check_range(name: &'static str, numbers: &[f64], bound: f64) -> Result<(), Error> {
    if bound.is_finite() {
        return Ok(());
    }
    let largest = numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let rule = "small enough for sums below 1.8e308".to_owned();
    Err(Error::Parameter { name, value: format!("as large as {largest:?}"), rule })
}
