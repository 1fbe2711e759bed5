//! Gram matrices of up to 12 items on every backend against sums over tuples: no panic, no wrong number.
#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use wkendall::{
    Backend, Element, Error, Factor, Incomplete, Measure, Missing, Options, Rankings, Weight, diagonal,
    gram_into,
};
use wkendall_fuzz::bytes::{Bytes, check_message};
use wkendall_fuzz::definitions::{Naive, Sum, mean_anywhere, mean_sums, sums};

/// Whether weights may be negative, fall steeply or be huge, and sums cancel: `--features hard-weights`. To become the
/// rule as soon as sums that are rounding alone are 0; until then they are known not to keep the bound.
const HARD_WEIGHTS: bool = cfg!(feature = "hard-weights");

/// The stated bound, relative to the sum of the absolute values of the terms; of single precision, what it can do.
const ROOM: f64 = 1e-12;
const ROOM_SINGLE: f64 = 1e-5;


/// A weight of positions.
fn number(bytes: &mut Bytes<'_>) -> f64 {
    let byte = bytes.next();
    let mild = 0.25 + f64::from(byte) / 64.0;
    if !HARD_WEIGHTS {
        return mild;
    }
    match bytes.below(8) {
        0 => -mild,
        1 => 0.0,
        2 => mild * 10f64.powi(i32::from(bytes.next()) / 8 - 16),
        3 => -mild * 10f64.powi(i32::from(bytes.next()) / 8 - 16),
        4 => 10f64.powi(i32::from(bytes.next() as i8)),
        5 => f64::from_bits(bytes.word()),
        _ => mild,
    }
}

fn numbers(bytes: &mut Bytes<'_>, count: usize) -> Vec<f64> {
    (0..count).map(|_| number(bytes)).collect()
}

/// Position weights, for the crate and by their definition; sometimes too few.
fn factor(bytes: &mut Bytes<'_>, n: usize) -> (Factor, Vec<f64>) {
    let hyperbolic = (1..=n).map(|rank| 1.0 / (rank as f64 + 1.0)).collect();
    let log = (1..=n).map(|rank| 1.0 / (rank as f64 + 1.0).log2()).collect();
    match bytes.below(8) {
        0 => (Factor::Hyperbolic, hyperbolic),
        1 => (Factor::Log, log),
        wrong => {
            let values = numbers(bytes, if wrong == 7 { n + 1 } else { n });
            (Factor::Values(values.clone()), values)
        }
    }
}

fn weight(bytes: &mut Bytes<'_>, n: usize) -> (Weight, Naive) {
    match bytes.below(9) {
        0 => (Weight::Standard, Naive::Standard),
        1 => {
            let k = bytes.below(15);
            (Weight::Top(k), Naive::Top(k))
        }
        2 => {
            let (factor, u) = factor(bytes, n);
            (Weight::Add(factor), Naive::Add(u))
        }
        3 => {
            let (factor, u) = factor(bytes, n);
            (Weight::Mult(factor), Naive::Mult(u))
        }
        4 => (Weight::Average, Naive::Average),
        5 => {
            let mut entries = numbers(bytes, n * n);
            let turn = bytes.below(3);
            for (row, column) in (0..n).flat_map(|row| (0..row).map(move |column| (row, column))) {
                match turn {
                    1 => entries[row * n + column] = entries[column * n + row],
                    2 => entries[row * n + column] = -entries[column * n + row],
                    _ => {}
                }
            }
            (Weight::Matrix(entries.clone()), Naive::Tensor(2, entries))
        }
        6 => {
            let order = 1 + bytes.below(3);
            let stack = bytes.below(3);
            let entries = numbers(bytes, stack * n.pow(order as u32));
            (Weight::Tensor { order, entries: entries.clone().into() }, Naive::Tensor(order, entries))
        }
        7 => {
            let order = 1 + bytes.below(3);
            let terms = bytes.below(4);
            let vectors = numbers(bytes, terms * order * n);
            (Weight::Factors { order, vectors: vectors.clone().into() }, Naive::Factors(order, vectors))
        }
        _ => quadruples(bytes, n),
    }
}

/// A sum of two squares, so that it is a kernel.
fn quadruples(bytes: &mut Bytes<'_>, n: usize) -> (Weight, Naive) {
    let (one, other) = (numbers(bytes, n * n), numbers(bytes, n * n));
    let entries: Vec<f64> = (0..n.pow(4))
        .map(|at| {
            let (ab, cd) = (at / (n * n), at % (n * n));
            one[ab] * one[cd] + other[ab] * other[cd]
        })
        .collect();
    (Weight::Quadruples(entries.clone().into()), Naive::Quadruples(entries))
}

/// What is made of the sums.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Kernel,
    Signed,
    Order(usize),
    Distance,
    Mallows(f64),
    Correlation,
}

fn form(bytes: &mut Bytes<'_>) -> Form {
    match bytes.below(7) {
        0 | 1 => Form::Kernel,
        2 => Form::Signed,
        3 => Form::Order(bytes.below(7)),
        4 => Form::Distance,
        5 => Form::Mallows([0.0, 0.1, 3.0, 1e4, -1.0, f64::NAN, f64::INFINITY][bytes.below(7)]),
        _ => Form::Correlation,
    }
}

fn measure(weight: &Weight, form: Form, n: usize) -> Result<Measure, Error> {
    let kernel = Measure::kernel(weight, n)?;
    match form {
        Form::Kernel => Ok(kernel),
        Form::Signed => kernel.signed(),
        Form::Order(order) => kernel.with_order(order),
        Form::Distance => Ok(Measure::distance(n)),
        Form::Mallows(lambda) => Measure::mallows(n, lambda),
        Form::Correlation => Measure::correlation(weight, n),
    }
}

/// Whether the weight and the form must be refused for n items.
fn is_refused(weight: &Naive, form: Form, n: usize) -> bool {
    let general = matches!(weight, Naive::Tensor(..) | Naive::Factors(..) | Naive::Quadruples(_));
    let unfit = match weight {
        Naive::Top(k) => !(1..=n.max(1)).contains(k),
        Naive::Add(u) | Naive::Mult(u) => u.len() != n,
        _ => false,
    };
    let unformed = match form {
        Form::Signed | Form::Correlation => general,
        Form::Order(order) => order == 0 || general,
        Form::Mallows(lambda) => !(lambda >= 0.0 && lambda.is_finite()),
        Form::Kernel | Form::Distance => false,
    };
    unfit || unformed
}

/// The value and how far off it may be.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    value: f64,
    room: f64,
}

/// The value for the sums of a pair of rankings.
fn wanted(form: Form, [concordant, discordant]: [Sum; 2], room: f64) -> Wanted {
    let exact = |sum: Sum| Wanted { value: sum.value, room: room * sum.size };
    let signed = concordant.less(discordant);
    match form {
        Form::Kernel | Form::Order(_) => exact(concordant),
        Form::Signed => exact(signed),
        Form::Distance => exact(discordant),
        Form::Mallows(lambda) => {
            let value = (-lambda * discordant.value).exp();
            Wanted { value, room: room * value }
        }
        Form::Correlation => {
            let both = concordant.value + discordant.value;
            let value = if both == 0.0 { 0.0 } else { signed.value / both };
            let factor = if both == 0.0 { 1.0 } else { signed.size / both.abs() };
            Wanted { value, room: 3.0 * room * factor }
        }
    }
}

/// The value divided by those for each ranking and itself. `None` if these are next to nothing.
fn normalized(value: Wanted, [of_s, of_t]: [Wanted; 2]) -> Option<Wanted> {
    if of_s.value.abs() <= 1e3 * of_s.room || of_t.value.abs() <= 1e3 * of_t.room {
        let nothing = [of_s, of_t].iter().any(|own| own.value == 0.0 && own.room == 0.0);
        // Products of very small weights are 0 here, though not in truth.
        return (nothing && !HARD_WEIGHTS).then_some(Wanted { value: 0.0, room: 0.0 });
    }
    let unit = of_s.value.sqrt() * of_t.value.sqrt();
    let parts = of_s.room / of_s.value + of_t.room / of_t.value;
    Some(Wanted { value: value.value / unit, room: value.room / unit + (value.value / unit).abs() * parts })
}

struct Run {
    rows: usize,
    columns: usize,
    square: bool,
    normal: bool,
    /// Whether values are those of a normalized kernel: a correlation with weights of both signs has no bound.
    bounded: bool,
    what: String,
}

/// Compares a matrix with the definition, and looks whether a square one is symmetric to the last bit.
fn compare<T: Element + Into<f64>>(run: &Run, out: &[T], wanted: impl Fn(usize, usize) -> Option<Wanted>) {
    let at = |p: usize, q: usize| -> f64 { out[p * run.columns + q].into() };
    for p in 0..run.rows {
        for q in 0..run.columns {
            let found = at(p, q);
            if run.square {
                assert_eq!(found.to_bits(), at(q, p).to_bits(), "{p}, {q} is not symmetric: {}", run.what);
            }
            if HARD_WEIGHTS && run.bounded {
                let most = 1.0 + if size_of::<T>() == 4 { ROOM_SINGLE } else { 1e-9 };
                assert!(found.abs() <= most, "{p}, {q} is {found:?}: {}", run.what);
            }
            let Some(wanted) = wanted(p, q) else { continue };
            // What is smaller than the smallest number may become 0.
            let least = if size_of::<T>() == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            let fits = (found - wanted.value).abs() <= wanted.room + least;
            assert!(fits, "{p}, {q} is {found:?}, but must be {wanted:?}: {}", run.what);
            assert!(!run.bounded || found.abs() <= 1.0 + 1e-9 + wanted.room, "{p}, {q} is {found:?}: {}", run.what);
        }
    }
}

/// The backend by its name, which is refused if there is none such.
fn backend(bytes: &mut Bytes<'_>) -> Option<(String, Backend)> {
    let Err(Error::UnknownBackend { strategies, instruction_sets, .. }) = "".parse::<Backend>() else { unreachable!() };
    let mut one_of =
        |names: &[&'static str]| bytes.below(names.len() + 1).checked_sub(1).map_or("", |index| names[index]);
    let (strategy, level) = (one_of(strategies), one_of(instruction_sets));
    if bytes.below(16) == 15 {
        let name = String::from_utf8_lossy(bytes.0).into_owned();
        if let Err(error) = name.parse::<Backend>() {
            check_message(&error);
            assert!(matches!(error, Error::UnknownBackend { name: found, .. } if found == name));
        }
        return None;
    }
    let name = match (strategy, level) {
        ("", "") => return Some((String::new(), Backend::default())),
        ("", one) | (one, "") => one.to_owned(),
        (one, other) => format!("{one}-{other}"),
    };
    Some((name.clone(), name.parse().expect("the name of a backend")))
}

fn options(bytes: &mut Bytes<'_>, backend: Backend) -> Options<'static> {
    let threads = [Some(1), Some(1), Some(1), Some(2), None][bytes.below(5)];
    let tile = [None, Some(1), Some(2), Some(48)][bytes.below(4)];
    Options { threads, tile, backend, ..Options::default() }
}

/// Errors that every backend may give, on any machine.
fn is_no_way(error: &Error, single: bool) -> bool {
    check_message(error);
    matches!(error, Error::CannotCompute { .. } | Error::MissingInstructions { .. })
        || (single && matches!(error, Error::BeyondSingle { .. }))
}

/// Some permutations, some of them equal.
fn permutations(bytes: &mut Bytes<'_>, m: usize, n: usize) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for row in 0..m {
        let same = bytes.below(8);
        let ranks = bytes.permutation(n).iter().map(|&rank| rank as usize - 1).collect();
        rows.push(if same == 7 && row > 0 { rows[row - 1].clone() } else { ranks });
    }
    rows
}

fn complete<T: Element + Into<f64>>(bytes: &mut Bytes<'_>, n: usize, room: f64) {
    let Some((name, backend)) = backend(bytes) else { return };
    let form = form(bytes);
    let normal = bytes.flag();
    let options = options(bytes, backend);
    let (m, m2) = (bytes.below(6), bytes.below(6));
    let (xs, ys) = (permutations(bytes, m, n), permutations(bytes, m2, n));
    let (weight, naive) = weight(bytes, n);
    let naive = if matches!(form, Form::Distance | Form::Mallows(_)) && !is_refused(&naive, Form::Kernel, n) {
        Naive::Standard
    } else {
        naive
    };
    let measure = match measure(&weight, form, n) {
        Ok(measure) => measure,
        Err(error) => {
            check_message(&error);
            assert!(is_refused(&naive, form, n) || HARD_WEIGHTS, "{error}: {weight:?}, {form:?}");
            return;
        }
    };
    assert!(!is_refused(&naive, form, n), "{weight:?}, {form:?}");
    let Ok(measure) = (if normal { measure.try_normalized() } else { Ok(measure) }) else { return };
    let set = |rows: &[Vec<usize>]| Rankings::from_ranks(rows.len(), n, &rows.concat()).expect("permutations");
    let (x, y) = (set(&xs), (m2 > 0).then(|| set(&ys)));
    let columns = if m2 > 0 { &ys } else { &xs };
    let mut out = vec![T::default(); m * columns.len()];
    let single = size_of::<T>() == 4;
    if let Err(error) = gram_into(&measure, &x, y.as_ref(), &mut out, options) {
        return assert!(is_no_way(&error, single), "{error}");
    }
    let order = if let Form::Order(order) = form { order } else { 2 };
    let naive = if normal || form == Form::Correlation { naive.scaled() } else { naive };
    let value = |s: &[usize], t: &[usize]| wanted(form, sums(&naive, order, s, t), room);
    let what = format!("{weight:?}, {form:?}, normalized {normal}, {name:?}, x {xs:?}, y {ys:?}");
    let normal = normal && form != Form::Distance;
    let bounded = normal && form != Form::Correlation;
    let run = Run { rows: m, columns: columns.len(), square: m2 == 0, normal, bounded, what };
    compare(&run, &out, |p, q| {
        let (s, t) = (&xs[p], &columns[q]);
        if run.normal { normalized(value(s, t), [value(s, s), value(t, t)]) } else { Some(value(s, t)) }
    });
}

/// A row of small numbers, NaN for some.
fn tied(bytes: &mut Bytes<'_>, m: usize, n: usize, missing: Missing) -> Vec<Vec<f64>> {
    let number = |byte: u8| if byte >= 200 && missing != Missing::Error { f64::NAN } else { f64::from(byte % 16) };
    (0..m).map(|_| (0..n).map(|_| number(bytes.next())).collect()).collect()
}

/// The block of each item of a row; `None` if it can be anywhere.
fn blocks(row: &[f64], missing: Missing) -> Vec<Option<Range<usize>>> {
    let known = row.iter().filter(|value| !value.is_nan()).count();
    let block = |value: f64| {
        let (ahead, same) = (row.iter().filter(|&&v| v < value).count(), row.iter().filter(|&&v| v == value).count());
        ahead..ahead + same
    };
    row.iter()
        .map(|&value| match (value.is_nan(), missing) {
            (false, _) => Some(block(value)),
            (true, Missing::Anywhere) => None,
            (true, _) => Some(known..row.len()),
        })
        .collect()
}

fn incomplete<T: Element + Into<f64>>(bytes: &mut Bytes<'_>, n: usize, room: f64) {
    let Some((name, backend)) = backend(bytes) else { return };
    let form = form(bytes);
    let normal = bytes.flag();
    let options = options(bytes, backend);
    let missing = [Missing::Error, Missing::Bottom, Missing::Anywhere][bytes.below(3)];
    let (m, m2) = (bytes.below(4), bytes.below(4));
    let (xs, ys) = (tied(bytes, m, n, missing), tied(bytes, m2, n, missing));
    let (weight, naive) = weight(bytes, n);
    let Ok(measure) = measure(&weight, form, n) else { return };
    let naive = if form == Form::Distance { Naive::Standard } else { naive };
    let Ok(measure) = (if normal { measure.try_normalized() } else { Ok(measure) }) else { return };
    let set = |rows: &[Vec<f64>]| Incomplete::from_ranks(rows.len(), n, &rows.concat(), missing).expect("numbers");
    let (x, y) = (set(&xs), (m2 > 0).then(|| set(&ys)));
    let columns = if m2 > 0 { &ys } else { &xs };
    let mut out = vec![T::default(); m * columns.len()];
    let single = size_of::<T>() == 4;
    let has_mean = matches!(form, Form::Kernel | Form::Signed | Form::Distance | Form::Order(2))
        && !matches!(naive, Naive::Tensor(..) | Naive::Factors(..) | Naive::Quadruples(_));
    let has_places = missing != Missing::Anywhere || matches!(naive, Naive::Standard);
    if let Err(error) = gram_into(&measure, &x, y.as_ref(), &mut out, options) {
        let known = match error {
            Error::IncompleteOrder { .. } | Error::IncompleteQuadruples => !has_mean,
            Error::UnknownPlaces => !has_places || form == Form::Order(1),
            ref other => is_no_way(other, single),
        };
        return assert!(known, "{error}: {weight:?}, {form:?}, {missing:?}");
    }
    // Where there is no ranking, or none that is incomplete, nothing has to be refused.
    if !has_mean || !has_places {
        return;
    }
    let naive = if normal { naive.scaled() } else { naive };
    let value = |s: &[f64], t: &[f64], room: f64| {
        let (s, t) = (blocks(s, missing), blocks(t, missing));
        let of_pair = if missing == Missing::Anywhere {
            mean_anywhere(&s, &t)
        } else {
            let placed = |row: Vec<Option<Range<usize>>>| row.into_iter().flatten().collect::<Vec<_>>();
            mean_sums(&naive, &placed(s), &placed(t))
        };
        wanted(form, of_pair, room)
    };
    let what = format!("{weight:?}, {form:?}, normalized {normal}, {name:?}, {missing:?}, x {xs:?}, y {ys:?}");
    let normal = normal && form != Form::Distance;
    let bounded = normal && form != Form::Correlation;
    let run = Run { rows: m, columns: columns.len(), square: m2 == 0, normal, bounded, what };
    compare(&run, &out, |p, q| {
        let (s, t) = (&xs[p], &columns[q]);
        let found = value(s, t, room);
        if run.normal { normalized(found, [value(s, s, room), value(t, t, room)]) } else { Some(found) }
    });
    let own = diagonal(&measure, &x, Options::default()).expect("as the matrix");
    for (row, found) in xs.iter().zip(own) {
        let wanted = value(row, row, ROOM);
        let wanted = if run.normal { normalized(wanted, [wanted; 2]) } else { Some(wanted) };
        let fits = wanted.is_none_or(|wanted| (found - wanted.value).abs() <= wanted.room);
        assert!(fits, "the diagonal is {found:?}, but must be {wanted:?}: {row:?}, {}", run.what);
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let (kind, n) = (bytes.below(4), bytes.below(13));
    match kind {
        0 => complete::<f64>(&mut bytes, n, ROOM),
        1 => complete::<f32>(&mut bytes, n, ROOM_SINGLE),
        2 => incomplete::<f64>(&mut bytes, n.min(8), ROOM),
        _ => incomplete::<f32>(&mut bytes, n.min(8), ROOM_SINGLE),
    }
});
