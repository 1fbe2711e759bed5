//! The parameters of a measure by name, as the caller gives them, and the rules that several measures share.

use std::borrow::Cow;

use crate::error::Error;
use crate::memory::{self, Shared};
use crate::weight::{FACTORS, Factor, Needs, WEIGHTS, Weight};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Parameter {
    /// True or false.
    Flag(bool),
    /// A whole number. Numbers beyond the range of `i128` are its smallest and largest values.
    Whole(i128),
    /// A real number.
    Real(f64),
    /// A name.
    Text(String),
    /// An array; the last axis varies fastest.
    Numbers(Numbers),
    /// No value. For an optional parameter, such as `k`, it is the same as leaving out the parameter. For other
    /// parameters it is an error.
    Nothing,
    /// Anything else. No measure accepts it.
    Other,
}

/// An array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    shape: Vec<usize>,
    pub(crate) values: Shared,
}

impl Numbers {
    /// An array of this shape.
    pub(crate) fn new(shape: &[usize], values: Vec<f64>) -> Self {
        Self { shape: shape.to_vec(), values: values.into() }
    }
}

impl From<bool> for Parameter {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<i32> for Parameter {
    fn from(value: i32) -> Self {
        Self::Whole(value.into())
    }
}

impl From<usize> for Parameter {
    fn from(value: usize) -> Self {
        Self::Whole(value as i128)
    }
}

impl From<f64> for Parameter {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Parameter {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<Vec<f64>> for Parameter {
    fn from(values: Vec<f64>) -> Self {
        Self::Numbers(Numbers::new(&[values.len()], values))
    }
}

/// The parameters of a measure, by name. [`Measure::from_parameters`](crate::Measure::from_parameters) checks them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters(Vec<(Cow<'static, str>, Parameter)>);

impl Parameters {
    /// No parameters: each parameter has its default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// These parameters, with one more parameter.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Parameter>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// The first parameter whose name is not one of `names`.
    pub(super) fn other_than(&self, names: &[&str]) -> Option<&str> {
        self.0.iter().map(|(name, _)| &**name).find(|name| !names.contains(name))
    }

    /// The value of a parameter, if it is given.
    fn get(&self, name: &str) -> Option<&Parameter> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value)
    }

    /// The value of an optional parameter.
    fn optional(&self, name: &str) -> Option<&Parameter> {
        self.get(name).filter(|&value| *value != Parameter::Nothing)
    }

    /// True or false; false by default.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Error> {
        self.flag_or(name, false)
    }

    /// True or false.
    pub(crate) fn flag_or(&self, name: &'static str, default: bool) -> Result<bool, Error> {
        match self.get(name) {
            None => Ok(default),
            Some(&Parameter::Flag(value)) => Ok(value),
            Some(_) => Err(wrong_type(name, "True or False")),
        }
    }

    /// A whole number from 1 on. If `items` is given, the parameter is optional, and its maximum is `items`.
    pub(crate) fn count(&self, name: &'static str, items: Option<usize>) -> Result<Option<usize>, Error> {
        let given = if items.is_some() { self.optional(name) } else { self.get(name) };
        let value = match given {
            None => return Ok(None),
            Some(&Parameter::Whole(value)) => value,
            Some(_) => return Err(wrong_type(name, "an integer")),
        };
        let most = items.unwrap_or(usize::MAX / 2).max(1);
        if let Some(value) = usize::try_from(value).ok().filter(|value| (1..=most).contains(value)) {
            return Ok(Some(value));
        }
        let rule = match items {
            Some(_) => format!("from 1 to {most}, the number of items"),
            None if value < 1 => "at least 1".to_owned(),
            None => format!("at most {most}"),
        };
        Err(Error::parameter(name, value.to_string(), rule))
    }

    /// A real number.
    pub(crate) fn real(&self, name: &'static str) -> Result<Option<f64>, Error> {
        match self.get(name) {
            None => Ok(None),
            Some(&Parameter::Real(value)) => Ok(Some(value)),
            Some(&Parameter::Whole(value)) if value == i128::MIN || value == i128::MAX => {
                Err(Error::parameter(name, value.to_string(), "a finite number"))
            }
            Some(&Parameter::Whole(value)) => Ok(Some(value as f64)),
            Some(_) => Err(wrong_type(name, "a real number")),
        }
    }

    /// One of several names, the first by default.
    pub(crate) fn choice(&self, name: &'static str, known: &'static [&'static str]) -> Result<&'static str, Error> {
        let rule = || one_of(known.iter().copied());
        match self.get(name) {
            None => Ok(known[0]),
            Some(Parameter::Text(text)) => {
                known.iter().copied().find(|known| known == text).ok_or_else(|| Error::parameter(name, text, rule()))
            }
            Some(_) => Err(wrong_type(name, rule())),
        }
    }

    /// Whether a parameter has this value. `None` stands for "no value".
    pub(crate) fn is(&self, name: &str, value: Option<&str>) -> bool {
        match (self.get(name), value) {
            (Some(Parameter::Text(text)), Some(value)) => text == value,
            (Some(Parameter::Nothing), None) => true,
            _ => false,
        }
    }

    /// An array of this shape, which is optional.
    pub(crate) fn array(&self, name: &'static str, shape: &[usize]) -> Result<Option<&[f64]>, Error> {
        let lengths = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
        let rule = || format!("an array of {lengths} real numbers");
        match self.optional(name) {
            None => Ok(None),
            Some(Parameter::Numbers(numbers)) if numbers.shape == shape => Ok(Some(&numbers.values)),
            Some(Parameter::Numbers(numbers)) => {
                Err(Error::parameter(name, format!("an array of shape {:?}", numbers.shape), rule()))
            }
            Some(_) => Err(wrong_type(name, rule())),
        }
    }

    /// An array of any number of axes, which is optional.
    pub(crate) fn numbers(&self, name: &'static str) -> Result<Option<&Shared>, Error> {
        match self.optional(name) {
            None => Ok(None),
            Some(Parameter::Numbers(numbers)) => Ok(Some(&numbers.values)),
            Some(_) => Err(wrong_type(name, "an array of real numbers")),
        }
    }

    /// The weight that the parameters `weight`, `k` and `u` describe. A missing parameter of the weight is an error,
    /// and so is a parameter that the weight does not have.
    pub(crate) fn weight(&self, items: usize) -> Result<Weight, Error> {
        let names = || one_of(WEIGHTS.iter().map(|weight| weight.name));
        let name = match self.get("weight") {
            None => WEIGHTS[0].name,
            Some(Parameter::Text(name)) => name,
            Some(_) => return Err(wrong_type("weight", names())),
        };
        let weight = WEIGHTS
            .iter()
            .find(|weight| weight.name == name)
            .ok_or_else(|| Error::parameter("weight", name, names()))?;
        for name in ["k", "u"] {
            if self.optional(name).is_some() && weight.needs.parameter() != Some(name) {
                let users = WEIGHTS.iter().filter(|weight| weight.needs.parameter() == Some(name));
                let users = users.map(|weight| weight.name).collect();
                return Err(Error::ParameterUnused { name, weight: weight.name, users });
            }
        }
        let missing = |name, rule| Error::ParameterMissing { name, weight: weight.name, rule };
        match weight.needs {
            Needs::Nothing(make) => Ok(make()),
            Needs::K(make) => self
                .count("k", Some(items))?
                .map(make)
                .ok_or_else(|| missing("k", format!("the number of ranks that count, from 1 to {}", items.max(1)))),
            Needs::U(make) => self.factor("u")?.map(make).ok_or_else(|| {
                let [names @ .., last] = FACTORS.map(|(name, _)| format!("{name:?}"));
                missing("u", format!("one of {} and {last} or an array of {items} position weights", names.join(", ")))
            }),
        }
    }

    /// Position weights, by name or as numbers.
    fn factor(&self, name: &'static str) -> Result<Option<Factor>, Error> {
        let names = || one_of(FACTORS.iter().map(|(name, _)| *name));
        let rule = || format!("an array of real numbers, the position weights, or {}", names());
        match self.optional(name) {
            None => Ok(None),
            Some(Parameter::Text(text)) => match FACTORS.iter().find(|(known, _)| known == text) {
                Some((_, factor)) => Ok(Some(factor.clone())),
                None => Err(Error::parameter(name, text, names())),
            },
            Some(Parameter::Numbers(Numbers { shape, values })) if shape.len() == 1 => {
                Ok(Some(Factor::Values(memory::collect(values.iter().copied())?)))
            }
            Some(Parameter::Numbers(Numbers { shape, .. })) => {
                Err(Error::parameter(name, format!("an array with {} axes", shape.len()), rule()))
            }
            Some(_) => Err(wrong_type(name, rule())),
        }
    }
}

fn wrong_type(name: &'static str, rule: impl Into<String>) -> Error {
    Error::ParameterType { name, rule: rule.into() }
}

pub(super) fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    format!("one of {}", names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "))
}

/// Returns an error if there are not `count` numbers, or if a number is not finite. `each` says in words what each
/// number is for.
pub(super) fn check_finite(name: &'static str, numbers: &[f64], count: usize, each: &str) -> Result<(), Error> {
    check(name, numbers, count, each, "a finite number", f64::is_finite)
}

/// The same as [`check_finite`], and returns an error if a number is negative.
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
        let rule = format!("an array of length {count}, one number for {each}");
        return Err(Error::parameter(name, format!("an array of length {}", numbers.len()), rule));
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

/// Returns an error if values of a measure can be out of range. `bound` is an upper bound of the values.
pub(super) fn check_range(name: &'static str, numbers: &[f64], bound: f64) -> Result<(), Error> {
    if bound.is_finite() {
        return Ok(());
    }
    let largest = numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    Err(Error::parameter(name, format!("as large as {largest:?}"), "small enough for sums below 1.8e308"))
}
