//! General weights for rankings with ties: products of mean tensors, which are made line by line.
//!
//! A line has what one item has with all items; weights with one axis have one line. The lines of all rankings of a
//! tile are made and multiplied together, so that memory does not grow with the square of the number of items. Those of
//! large blocks need the mean of many rows of weights, which is kept for as long as the tile.

use std::borrow::Cow;
use std::ops::Range;

use super::setting::Setting;
use crate::error::Error;
use crate::gram::cost::ASK_EVERY_NS;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::measure::symmetry;
use crate::memory;
use crate::parallel::{self, Crew, Proceed, Stop, Watch};
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{Real, Row};
use crate::weight::lowered::Lowered;
use crate::weight::mean_tensor::{Direction, MeanTensor};
use crate::weight::own;

/// Rankings side by side in a product.
const G: usize = 24;
/// Features that are multiplied at a time, as for complete rankings.
const BLOCK: usize = 112;
/// The mean rows of blocks of more items than this are kept; those of smaller ones are made each time.
const SMALL: usize = 16;

/// One tensor of weights or several.
pub(super) struct Tensors<'a> {
    order: usize,
    items: usize,
    entries: Cow<'a, [f64]>,
    /// Whether it is one matrix that equals its transpose or the negative of it: then half of it is enough.
    halved: bool,
}

impl<'a> Tensors<'a> {
    /// The tensors of a weight; factors are multiplied out.
    pub(super) fn new(weight: &'a Lowered, items: usize) -> Result<Self, Error> {
        let (order, entries) = match weight {
            Lowered::Tensor { order, entries } => (*order, Cow::Borrowed(&**entries)),
            Lowered::Factors { order, vectors } => (*order, Cow::Owned(expanded(vectors, *order, items)?)),
            Lowered::Count { .. }
            | Lowered::Later
            | Lowered::Sums(_)
            | Lowered::Products(_)
            | Lowered::Quadruples(_) => return Err(Error::CannotCompute { name: "product".to_owned() }),
        };
        let halved = order == 2 && symmetry(&entries, items).is_some();
        Ok(Self { order, items, entries, halved })
    }

    /// The tensors one by one.
    fn members(&self) -> impl Iterator<Item = &[f64]> {
        self.entries.chunks_exact(if self.order == 2 { self.items * self.items } else { self.items }.max(1))
    }

    /// Lines of each tensor.
    fn lines(&self) -> usize {
        if self.order == 2 { self.items } else { self.items.min(1) }
    }

    /// How many entries of a line are multiplied.
    fn length(&self, line: usize) -> usize {
        if self.halved { line + 1 } else { self.items }
    }

    /// The sum of the squares of the mean tensors of a ranking.
    fn square(&self, set: &Incomplete, row: usize, stop: &Stop, lines: &mut [f64]) -> Result<f64, Error> {
        let mut total = 0.0;
        for member in self.members() {
            let tensor = MeanTensor::new(member, self.order, set.row(row), Direction::Forward)?;
            let square = |line: &[f64]| own::sum(line.iter().map(|entry| entry * entry));
            if self.order == 1 {
                let line = &mut lines[..self.items];
                tensor.singles(line);
                total += square(line);
            } else {
                tensor.each_line(lines, |_, line| {
                    total += square(line);
                    !stop.is_set()
                });
            }
        }
        Ok(total)
    }

    /// The value of each ranking and itself; 0 if it may be rounding, by the rule in [`own`].
    pub(super) fn own_values(
        &self,
        set: &Incomplete,
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Vec<f64>, Error> {
        let negative = self.entries.iter().any(|&entry| entry < 0.0);
        let sizes = if negative {
            let entries = Cow::Owned(memory::collect(self.entries.iter().map(|entry| entry.abs()))?);
            Some(Tensors { entries, ..*self })
        } else {
            None
        };
        let ns = 2.0 * self.entries.len() as f64;
        let mut values = memory::filled(set.rows(), 0.0)?;
        let rows = ((ASK_EVERY_NS / ns.max(1.0)) as usize).max(1);
        let threads = parallel::threads_for(ns * set.rows() as f64, threads);
        let jobs = memory::collect(values.chunks_mut(rows).enumerate())?;
        parallel::run(
            jobs,
            Crew::new(threads, ns),
            watch,
            |stop| Ok((stop.clone(), memory::filled(2 * self.items, 0.0)?)),
            |(index, values): (usize, &mut [f64]), (stop, lines), proceed| {
                for (row, value) in (index * rows..).zip(values) {
                    if !proceed() {
                        break;
                    }
                    *value = self.square(set, row, stop, lines)?;
                    if let Some(sizes) = &sizes {
                        *value = own::unless_rounding(*value, sizes.square(set, row, stop, lines)?);
                    }
                }
                Ok(())
            },
        )?;
        Ok(values)
    }
}

/// The sum of the products of vectors, one for each axis.
fn expanded(vectors: &[f64], order: usize, items: usize) -> Result<Vec<f64>, Error> {
    let size = if order == 2 { items.checked_mul(items) } else { Some(items) };
    let mut entries = memory::filled(size.ok_or(Error::TooLarge { rows: items, columns: items })?, 0.0)?;
    for term in vectors.chunks_exact((order * items).max(1)) {
        let (first, second) = term.split_at(items);
        if order == 1 {
            entries.iter_mut().zip(first).for_each(|(entry, factor)| *entry += factor);
            continue;
        }
        for (line, factor) in entries.chunks_exact_mut(items).zip(first) {
            line.iter_mut().zip(second).for_each(|(entry, other)| *entry += factor * other);
        }
    }
    Ok(entries)
}

/// The lines of one tensor for one ranking.
struct Lines<'a> {
    tensor: MeanTensor<'a>,
    starts: &'a [u32],
    /// The mean rows of large blocks, one behind the other, and by the first rank of a block where its own begins.
    kept: Vec<f64>,
    kept_at: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(member: &'a [f64], order: usize, set: &'a Incomplete, row: usize) -> Result<Self, Error> {
        let blocks = set.row(row);
        let tensor = MeanTensor::new(member, order, blocks, Direction::Forward)?;
        let items = blocks.starts.len();
        let (mut kept, mut kept_at) = (Vec::new(), Vec::new());
        let large = |block: &Range<usize>| order == 2 && block.len() > SMALL;
        if tensor.ranges().any(|block| large(&block)) {
            kept_at = memory::filled(items, 0)?;
            for block in tensor.ranges().filter(large) {
                let first = kept.len();
                kept_at[block.start] = first;
                memory::resize(&mut kept, first + items, 0.0)?;
                tensor.row(&block, &mut kept[first..]);
            }
        }
        Ok(Self { tensor, starts: blocks.starts, kept, kept_at })
    }

    /// Writes a line; `rows` is memory.
    fn write(&self, order: usize, item: usize, rows: &mut [f64], line: &mut [f64]) {
        if order == 1 {
            return self.tensor.singles(line);
        }
        let block = self.tensor.block(self.starts[item]);
        let row = if block.len() > SMALL {
            &self.kept[self.kept_at[block.start]..][..rows.len()]
        } else {
            self.tensor.row(&block, rows)
        };
        self.tensor.line(&block, row, line);
        line[item] = self.tensor.own(&block);
    }
}

/// Fills tiles with products of mean tensors.
pub(super) struct TiedTensors<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) tensors: Tensors<'a>,
    /// For matrix products; without it one pair of rankings is taken at a time.
    pub(super) isa: Option<Isa>,
}

/// Memory for one thread.
pub(super) struct Scratch {
    /// A line and the mean of rows it is made of, for a ranking and another one.
    lines: [Vec<f64>; 2],
    rows: Vec<f64>,
    left: Vec<Row<f64, G>>,
    right: Vec<Row<f64, G>>,
    sums: Vec<Square<G>>,
}

impl TiedTensors<'_> {
    fn sources<'s>(
        &'s self,
        member: &'s [f64],
        set: &'s Incomplete,
        range: Range<usize>,
        proceed: Proceed<'_>,
    ) -> Result<Option<Vec<Lines<'s>>>, Error> {
        let mut all = memory::with_capacity(range.len())?;
        for row in range {
            if !proceed() {
                return Ok(None);
            }
            all.push(Lines::new(member, self.tensors.order, set, row)?);
        }
        Ok(Some(all))
    }

    /// Puts some lines of rankings side by side, in groups, one group after the other; how long these are.
    fn make(
        &self,
        sources: &[Lines<'_>],
        lines: Range<usize>,
        factor: f64,
        memory: (&mut [f64], &mut [f64]),
        panel: &mut Vec<Row<f64, G>>,
    ) -> Result<usize, Error> {
        let (rows, line) = memory;
        let length = lines.clone().map(|line| self.tensors.length(line)).sum();
        panel.clear();
        memory::resize(panel, sources.len().div_ceil(G) * length, Row([0.0; G]))?;
        for (index, source) in sources.iter().enumerate() {
            let (group, lane) = (&mut panel[index / G * length..][..length], index % G);
            let mut features = group.iter_mut();
            for number in lines.clone() {
                source.write(self.tensors.order, number, rows, line);
                let size = self.tensors.length(number);
                for (other, (&entry, feature)) in line[..size].iter().zip(features.by_ref()).enumerate() {
                    feature[lane] = if self.tensors.halved && other < number { factor * entry } else { entry };
                }
            }
        }
        Ok(length)
    }

    /// Adds the products of one tensor; whether to proceed.
    fn multiply(
        &self,
        isa: Isa,
        sources: [&[Lines<'_>]; 2],
        squares: &[(usize, usize)],
        scratch: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<bool, Error> {
        let Scratch { lines: [line, _], rows, left, right, sums } = scratch;
        let together = (BLOCK / self.tensors.items.max(1)).max(1);
        for first in (0..self.tensors.lines()).step_by(together) {
            if !proceed() {
                return Ok(false);
            }
            let lines = first..self.tensors.lines().min(first + together);
            // Of a matrix that is halved the numbers off the diagonal come twice.
            let length = self.make(sources[0], lines.clone(), 2.0, (rows, line), left)?;
            self.make(sources[1], lines, 1.0, (rows, line), right)?;
            for start in (0..length).step_by(BLOCK) {
                let part = start..length.min(start + BLOCK);
                for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                    let (row, column) = (&left[row * length..][part.clone()], &right[column * length..][part.clone()]);
                    f64::multiply(isa, row, column, true, sums);
                }
            }
        }
        Ok(true)
    }

    fn product<T: Element>(
        &self,
        isa: Isa,
        tile: &mut Tile<'_, T>,
        scratch: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        let setting = self.setting;
        let (rows, columns) = (tile.rows(), tile.columns());
        let squares: Vec<(usize, usize)> = memory::collect(tile.squares::<G>())?;
        scratch.sums.clear();
        memory::resize(&mut scratch.sums, squares.len(), [[0.0; G]; G])?;
        for member in self.tensors.members() {
            let Some(of_rows) = self.sources(member, setting.x, rows.clone(), proceed)? else { return Ok(()) };
            let Some(of_columns) = self.sources(member, setting.y, columns.clone(), proceed)? else { return Ok(()) };
            if !self.multiply(isa, [&of_rows, &of_columns], &squares, scratch, proceed)? {
                return Ok(());
            }
        }
        for (&(row, column), sums) in squares.iter().zip(&mut scratch.sums) {
            for (row, sums) in (rows.start + row * G..rows.end).zip(sums) {
                for (column, sum) in (columns.start + column * G..columns.end).zip(sums) {
                    *sum = setting.finished(*sum, row, column);
                }
            }
        }
        tile.store(isa, &scratch.sums);
        Ok(())
    }

    /// The value of two rankings; `None` when told not to proceed.
    fn between(
        &self,
        row: usize,
        column: usize,
        scratch: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<Option<f64>, Error> {
        let Scratch { lines: [left, right], rows, .. } = scratch;
        let (order, mut total) = (self.tensors.order, 0.0);
        for member in self.tensors.members() {
            let one = Lines::new(member, order, self.setting.x, row)?;
            let other = Lines::new(member, order, self.setting.y, column)?;
            for number in 0..self.tensors.lines() {
                if !proceed() {
                    return Ok(None);
                }
                one.write(order, number, rows, left);
                other.write(order, number, rows, right);
                total += own::sum(left.iter().zip(&*right).map(|(left, right)| left * right));
            }
        }
        Ok(Some(self.setting.finished(total, row, column)))
    }
}

impl Fill for TiedTensors<'_> {
    type Scratch = Scratch;

    fn scratch(&self, _: &Stop) -> Result<Scratch, Error> {
        let line = || memory::filled(self.tensors.items, 0.0);
        let (left, right, sums) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Scratch { lines: [line()?, line()?], rows: line()?, left, right, sums })
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        if let Some(isa) = self.isa {
            return self.product(isa, tile, scratch, proceed);
        }
        let mut failed = Ok(());
        tile.fill(|row, column| {
            self.between(row, column, scratch, proceed).map_err(|error| failed = Err(error)).ok().flatten()
        });
        failed
    }
}
