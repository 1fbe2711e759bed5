//! Columns in which most observations are 0. Counts over two columns are computed from their stored values.
//!
//! The observations of two columns are of four kinds: stored in both columns, only in x, only in y, or in neither. Only
//! pairs of the first kind are compared:
//!
//! ```text
//! both     - both       compared
//! both     - only x     sgn(x - x') sgn(y): by the rank of x among the stored values
//! both     - neither    sgn(x) sgn(y)
//! only x   - only y     - sgn(x) sgn(y')
//! the rest              tied in one column
//! ```

use super::Levels;
use super::finish::Counts;
use crate::error::{Error, Number};
use crate::memory;
use crate::pair::observed::{Observed, TieSums};
use crate::pair::pairs_of;
use crate::rankings::Value;
use crate::tree::{add_at, sum_up_to};

/// If at most this many observations are stored in both columns, all pairs of them are compared.
const FEW: usize = 48;

/// Columns of observations, given by the values that are not 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SparseColumns {
    observations: usize,
    /// Where the entries of each column begin.
    starts: Vec<usize>,
    entries: Vec<Stored>,
    columns: Vec<Summary>,
}

/// A stored value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Stored {
    observation: u32,
    /// The number of stored values of the column that are smaller, minus the number of stored values that are larger.
    /// It increases with the value.
    balance: i32,
    /// The number of stored values that are equal to this value. The value itself counts.
    tied: u32,
    sign: i8,
}

/// Numbers that describe a column.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Summary {
    ties: TieSums,
    /// Pairs of equal stored values.
    stored_ties: u64,
    /// The number of positive values minus the number of negative values.
    signs: i64,
    zeros: u64,
    /// The number of distinct values.
    levels: usize,
    /// The sum of the squares of the centred ranks, where all ranks are doubled.
    squares: f64,
}

impl SparseColumns {
    /// Columns from stored values, column by column. NaN is an error.
    pub(super) fn build<V: Value>(
        observations: usize,
        starts: &[usize],
        rows: &[usize],
        values: &[V],
    ) -> Result<Self, Error> {
        let fits = starts.first() == Some(&0)
            && starts.is_sorted()
            && starts.last() == Some(&values.len())
            && rows.len() == values.len();
        if !fits {
            return Err(Error::parameter(
                "starts",
                "not that",
                "where each column begins, from 0 to the number of values",
            ));
        }
        if i32::try_from(observations).is_err() {
            return Err(Error::parameter(
                "observations",
                observations.to_string(),
                "at most 2,147,483,647 for sparse columns",
            ));
        }
        if let Some(row) = rows.iter().find(|&&row| row >= observations) {
            return Err(Error::parameter("rows", format!("{row} at one place"), format!("below {observations}")));
        }
        let columns = starts.len() - 1;
        let mut built = Self {
            observations,
            starts: memory::with_capacity(columns + 1)?,
            entries: memory::with_capacity(values.len())?,
            columns: memory::with_capacity(columns)?,
        };
        built.starts.push(0);
        let mut sorted: Vec<(u64, V, u32)> = Vec::new();
        for (column, ends) in starts.windows(2).enumerate() {
            let (values, rows) = (&values[ends[0]..ends[1]], &rows[ends[0]..ends[1]]);
            sorted.clear();
            memory::reserve(&mut sorted, values.len())?;
            for (&value, &row) in values.iter().zip(rows) {
                if !value.is_known() {
                    let place = format!("NaN in row {row}, column {column}");
                    return Err(Error::parameter("values", place, "a number: pass a dense array for missing values"));
                }
                if sign(value) != 0 {
                    sorted.push((0, value, row as u32));
                }
            }
            if !sorted.is_sorted_by_key(|entry| entry.2) {
                sorted.sort_unstable_by_key(|entry| entry.2);
            }
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0].2 == pair[1].2) {
                let place = format!("given twice for row {}, column {column}", twice[0].2);
                return Err(Error::parameter("values", place, "given once for each row and column"));
            }
            built.push(&mut sorted);
            built.starts.push(built.entries.len());
        }
        Ok(built)
    }

    /// Adds a column of values, sorted by observation.
    fn push<V: Value>(&mut self, values: &mut [(u64, V, u32)]) {
        let zeros = (self.observations - values.len()) as u64;
        let mut summary = Summary { zeros, levels: usize::from(zeros > 0), ..Summary::default() };
        summary.ties.add(zeros);
        let first = self.entries.len();
        for (place, (key, value, observation)) in values.iter_mut().enumerate() {
            self.entries.push(Stored { observation: *observation, ..Stored::default() });
            (*key, *observation) = (value.key(), place as u32);
        }
        if !values.is_sorted_by_key(|entry| entry.0) {
            values.sort_unstable_by_key(|entry| entry.0);
        }
        let mut before = 0;
        for block in values.chunk_by(|one, other| one.1.order(other.1).is_eq()) {
            let after = values.len() - before - block.len();
            let sign = sign(block[0].1);
            let balance = before as i32 - after as i32;
            for &(_, _, place) in block {
                let entry = &mut self.entries[first + place as usize];
                *entry = Stored { balance, tied: block.len() as u32, sign, ..*entry };
            }
            let size = block.len() as u64;
            summary.ties.add(size);
            summary.stored_ties += pairs_of(size);
            summary.signs += i64::from(sign) * block.len() as i64;
            summary.levels += 1;
            let rank = (i64::from(balance) + i64::from(sign) * zeros as i64) as f64;
            summary.squares += size as f64 * rank * rank;
            before += block.len();
        }
        summary.squares += zeros as f64 * (summary.signs as f64) * (summary.signs as f64);
        self.columns.push(summary);
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn observations(&self) -> usize {
        self.observations
    }

    fn entries(&self, column: usize) -> &[Stored] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }

    /// The columns in this range.
    pub(super) fn part(&self, columns: std::ops::Range<usize>) -> Result<Self, Error> {
        let first = self.starts[columns.start];
        let entries = &self.entries[first..self.starts[columns.end]];
        Ok(Self {
            observations: self.observations,
            starts: memory::collect(self.starts[columns.start..=columns.end].iter().map(|start| start - first))?,
            entries: memory::collect(entries.iter().copied())?,
            columns: memory::collect(self.columns[columns].iter().copied())?,
        })
    }

    /// The levels of all observations of a column.
    pub(super) fn levels(&self, column: usize, out: &mut Levels) -> Result<(), Error> {
        let entries = self.entries(column);
        let mut order = memory::collect(0..entries.len())?;
        order.sort_unstable_by_key(|&place| (entries[place].balance, entries[place].observation));
        let negative = entries.iter().filter(|entry| entry.sign < 0).count();
        out.clear(self.observations)?;
        let mut level = 0;
        let add = |places: &[usize], level: &mut u32, out: &mut Levels| {
            for block in places.chunk_by(|&one, &other| entries[one].balance == entries[other].balance) {
                for &place in block {
                    out.of_items[entries[place].observation as usize] = *level;
                    out.order.push(entries[place].observation);
                }
                *level += 1;
            }
        };
        add(&order[..negative], &mut level, out);
        // The negative values have levels now. Positive values are marked, so all observations without a level are 0.
        // They get the next level.
        if entries.len() < self.observations {
            for entry in entries {
                if entry.sign > 0 {
                    out.of_items[entry.observation as usize] = 0;
                }
            }
            for item in 0..self.observations {
                if out.of_items[item] == Levels::MISSING {
                    out.of_items[item] = level;
                    out.order.push(item as u32);
                }
            }
            level += 1;
        }
        add(&order[negative..], &mut level, out);
        out.count = level as usize;
        Ok(())
    }
}

/// The places of the entries of a column; memory for one thread.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    /// For each observation, the number of its entry plus 1; 0 if its value is 0.
    places: Vec<u32>,
    column: Option<usize>,
    both: Vec<(Stored, Stored)>,
    /// A tree of sums, used if there are many common entries.
    tree: Vec<i64>,
}

impl Lookup {
    /// The entries of a column of `x` and a column of `y` that have the same observation.
    fn find(&mut self, x: &SparseColumns, row: usize, y: &SparseColumns, column: usize) -> Result<(), Error> {
        if self.column != Some(row) {
            match self.column {
                Some(last) if self.places.len() == x.observations => {
                    x.entries(last).iter().for_each(|entry| self.places[entry.observation as usize] = 0);
                }
                _ => {
                    self.places.clear();
                    memory::resize(&mut self.places, x.observations, 0)?;
                }
            }
            for (place, entry) in x.entries(row).iter().enumerate() {
                self.places[entry.observation as usize] = place as u32 + 1;
            }
            self.column = Some(row);
        }
        let (own, others) = (x.entries(row), y.entries(column));
        self.both.clear();
        memory::reserve(&mut self.both, own.len().min(others.len()))?;
        for &entry in others {
            let place = self.places[entry.observation as usize];
            if place > 0 {
                self.both.push((own[place as usize - 1], entry));
            }
        }
        Ok(())
    }

    /// The counts over a column of `x` and a column of `y`.
    pub(super) fn count(
        &mut self,
        x: &SparseColumns,
        row: usize,
        y: &SparseColumns,
        column: usize,
    ) -> Result<Counts, Error> {
        self.find(x, row, y, column)?;
        let (of_x, of_y) = (&x.columns[row], &y.columns[column]);
        let both = self.compare()?;
        let mut balance = both.balance - both.by_sign_y - both.by_sign_x;
        let (mut signs, mut signs_x, mut signs_y) = (0, 0, 0);
        let (mut tied_x, mut tied_y) = (0, 0);
        for (one, other) in &self.both {
            balance += i64::from(other.sign) * i64::from(one.balance) + i64::from(one.sign) * i64::from(other.balance);
            signs += i64::from(one.sign * other.sign);
            signs_x += i64::from(one.sign);
            signs_y += i64::from(other.sign);
            tied_x += u64::from(one.tied - 1);
            tied_y += u64::from(other.tied - 1);
        }
        let common = self.both.len() as u64;
        let neither = of_x.zeros + common - (y.entries(column).len() as u64);
        balance += neither as i64 * signs - (of_x.signs - signs_x) * (of_y.signs - signs_y);
        let only_x = of_x.stored_ties - (tied_x - both.tied_x);
        let only_y = of_y.stored_ties - (tied_y - both.tied_y);
        Ok(Counts {
            observed: Observed { observations: x.observations as u64, balance, ties: [of_x.ties, of_y.ties] },
            joint: pairs_of(neither) + both.tied_both + only_x + only_y,
            levels: of_x.levels.min(of_y.levels),
        })
    }

    /// Spearman's correlation of a column of `x` and a column of `y`.
    pub(super) fn spearman(
        &mut self,
        x: &SparseColumns,
        row: usize,
        y: &SparseColumns,
        column: usize,
    ) -> Result<f64, Error> {
        self.find(x, row, y, column)?;
        let (of_x, of_y) = (&x.columns[row], &y.columns[column]);
        // The centred ranks of the observations that are 0.
        let (zero_x, zero_y) = (-of_x.signs, -of_y.signs);
        let rank =
            |entry: &Stored, column: &Summary| i64::from(entry.balance) + i64::from(entry.sign) * column.zeros as i64;
        let mut sum: i128 = -(i128::from(x.observations as u64) * i128::from(zero_x) * i128::from(zero_y));
        for (one, other) in &self.both {
            sum += i128::from(rank(one, of_x) - zero_x) * i128::from(rank(other, of_y) - zero_y);
        }
        Ok((sum as f64 / (of_x.squares * of_y.squares).sqrt()).clamp(-1.0, 1.0))
    }

    /// Sums over the pairs of common entries.
    fn compare(&mut self) -> Result<Compared, Error> {
        let mut sums = Compared::default();
        if self.both.len() > FEW {
            return self.compare_many();
        }
        for (place, (x, y)) in self.both.iter().enumerate() {
            for (other_x, other_y) in &self.both[..place] {
                let s = (x.balance > other_x.balance) as i64 - (x.balance < other_x.balance) as i64;
                let t = (y.balance > other_y.balance) as i64 - (y.balance < other_y.balance) as i64;
                sums.balance += s * t;
                sums.by_sign_y += s * i64::from(y.sign - other_y.sign);
                sums.by_sign_x += t * i64::from(x.sign - other_x.sign);
                sums.tied_x += u64::from(s == 0);
                sums.tied_y += u64::from(t == 0);
                sums.tied_both += u64::from(s == 0 && t == 0);
            }
        }
        Ok(sums)
    }

    /// The same sums in O(k log k), for k common entries.
    fn compare_many(&mut self) -> Result<Compared, Error> {
        let Self { both, tree, .. } = self;
        let mut sums = Compared::default();
        // Now in the order of y: finds the levels for the tree, and the sums over this order.
        both.sort_unstable_by_key(|(_, y)| y.balance);
        let mut levels = memory::with_capacity(both.len())?;
        let mut level = 0;
        let mut before = 0;
        let count = both.len() as i64;
        for block in both.chunk_by(|one, other| one.1.balance == other.1.balance) {
            let size = block.len() as i64;
            let signs: i64 = block.iter().map(|(x, _)| i64::from(x.sign)).sum();
            // Adds sgn(x_i) (entries before - entries after), summed over i in the block.
            sums.by_sign_x += signs * (before - (count - before - size));
            sums.tied_y += pairs_of(block.len() as u64);
            levels.extend(std::iter::repeat_n(level, block.len()));
            level += 1;
            before += size;
        }
        let mut order = memory::collect(0..both.len())?;
        order.sort_unstable_by_key(|&place| (both[place].0.balance, levels[place]));
        tree.clear();
        memory::resize(tree, level + 1, 0)?;
        let mut before = 0;
        for block in order.chunk_by(|&one, &other| both[one].0.balance == both[other].0.balance) {
            let size = block.len() as i64;
            let signs: i64 = block.iter().map(|&place| i64::from(both[place].1.sign)).sum();
            sums.by_sign_y += signs * (before - (count - before - size));
            sums.tied_x += pairs_of(block.len() as u64);
            for run in block.chunk_by(|&one, &other| levels[one] == levels[other]) {
                sums.tied_both += pairs_of(run.len() as u64);
                let (below, up_to) = (sum_up_to(tree, levels[run[0]]), sum_up_to(tree, levels[run[0]] + 1));
                sums.balance += run.len() as i64 * (below - (before - up_to));
            }
            for &place in block {
                add_at(tree, levels[place], 1);
            }
            before += size;
        }
        Ok(sums)
    }
}

/// Sums over the pairs of entries that both columns have.
#[derive(Debug, Default)]
struct Compared {
    balance: i64,
    /// The sum of sgn(x - x') times the difference between the sign of y and the sign of y'.
    by_sign_y: i64,
    by_sign_x: i64,
    tied_x: u64,
    tied_y: u64,
    tied_both: u64,
}

fn sign<V: Value>(value: V) -> i8 {
    match value.number() {
        Number::Signed(value) => value.signum() as i8,
        Number::Unsigned(value) => i8::from(value > 0),
        Number::Real(value) => i8::from(value > 0.0) - i8::from(value < 0.0),
    }
}
