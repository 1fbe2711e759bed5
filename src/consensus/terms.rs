//! The value of an order of items, and the gain of a change of the order.
//!
//! An order is a list of items, the best first. Its value is a sum over pairs of positions a < b; item i is at position
//! a, and item j at position b. A change is a sequence of exchanges of adjacent items, or one exchange of any two
//! items. A gain is computed only from the terms that change.

use crate::memory;
use crate::parallel::Cancel;
use crate::{Error, consensus::places::Placing};

/// The terms of the function that is maximised.
pub(crate) enum ObjectiveTerms {
    /// `margin[i, j]`.
    Signs(Signs),
    /// Products of a factor of the items and a factor of the positions.
    Tensors(TensorTerms),
    /// A term depends on both items and the later position.
    Later(LaterTerms),
}

/// An antisymmetric matrix of margins, row by row.
pub(crate) struct Signs {
    pub(crate) items: usize,
    pub(crate) margins: Vec<f64>,
}

/// Sums over components of `of_items[i, j] * of_places[a, b]`, and of a term of each item and its position.
#[derive(Default)]
pub(crate) struct TensorTerms {
    pub(crate) items: usize,
    pub(crate) components: Vec<Component>,
    /// The term of each item and position; empty if there are no such terms.
    pub(crate) own: Vec<f64>,
    /// Whether the terms of an item depend only on the set of items before it, and not on their order. If so, how the
    /// weights are a product.
    pub(crate) placing: Placing,
}

/// Two matrices with zero diagonals, both symmetric or both antisymmetric.
pub(crate) struct Component {
    pub(crate) symmetric: bool,
    pub(crate) of_items: Vec<f64>,
    pub(crate) of_places: Vec<f64>,
}

/// The term of item i before item j, where j is at position b. The axes are j, b and i.
pub(crate) struct LaterTerms {
    pub(crate) items: usize,
    pub(crate) numbers: Vec<f64>,
}

impl ObjectiveTerms {
    pub(crate) fn items(&self) -> usize {
        match self {
            Self::Signs(terms) => terms.items,
            Self::Tensors(terms) => terms.items,
            Self::Later(terms) => terms.items,
        }
    }

    /// The value of an order.
    pub(crate) fn value(&self, order: &[u32]) -> f64 {
        (0..order.len()).map(|place| self.of_last(&order[..=place])).sum()
    }

    /// The terms that the last item of a list adds to the value.
    pub(crate) fn of_last(&self, order: &[u32]) -> f64 {
        let Some((&last, earlier)) = order.split_last() else { return 0.0 };
        let (last, place) = (last as usize, earlier.len());
        match self {
            Self::Signs(terms) => {
                let column = &terms.margins[last * terms.items..][..terms.items];
                -sum_at(column, earlier)
            }
            Self::Tensors(terms) => {
                let n = terms.items;
                let own = if terms.own.is_empty() { 0.0 } else { terms.own[last * n + place] };
                let dot = |component: &Component| {
                    let row = &component.of_items[last * n..][..n];
                    let weights = &component.of_places[place * n..][..place];
                    earlier.iter().zip(weights).map(|(&item, weight)| row[item as usize] * weight).sum::<f64>()
                };
                own + terms.components.iter().map(dot).sum::<f64>()
            }
            Self::Later(terms) => sum_at(terms.row(last, place), earlier),
        }
    }

    /// The approximate time to compute a gain, in nanoseconds. Measured on two cores of an AMD EPYC with AVX-512.
    pub(crate) fn gain_ns(&self) -> f64 {
        match self {
            Self::Signs(_) => 2.0,
            Self::Tensors(terms) => 5.0 + 1.5 * (terms.items * terms.components.len()) as f64,
            Self::Later(terms) => 5.0 + 3.0 * terms.items as f64,
        }
    }

    /// The gain of exchanging the items at two positions.
    pub(crate) fn exchange(&self, order: &[u32], first: usize, second: usize) -> f64 {
        match self {
            Self::Signs(terms) => terms.exchange(order, first, second),
            Self::Tensors(terms) => terms.exchange(order, first, second),
            Self::Later(terms) => terms.exchange(order, first, second),
        }
    }

    /// The best new position for the item at `from`, and the gain. The other items keep their order. `work` is a
    /// workspace for an order.
    pub(crate) fn best_insertion(&self, order: &[u32], from: usize, work: &mut [u32]) -> (usize, f64) {
        let mut best = (from, 0.0);
        if let Self::Signs(terms) = self {
            // To pass an item gains twice the margin with this item, for any items in between.
            let row = &terms.margins[order[from] as usize * terms.items..][..terms.items];
            let mut gain = 0.0;
            for place in from + 1..order.len() {
                gain -= 2.0 * row[order[place] as usize];
                best = if gain > best.1 { (place, gain) } else { best };
            }
            gain = 0.0;
            for place in (0..from).rev() {
                gain += 2.0 * row[order[place] as usize];
                best = if gain > best.1 { (place, gain) } else { best };
            }
            return best;
        }
        work.copy_from_slice(order);
        let mut gain = 0.0;
        for place in from + 1..order.len() {
            gain += self.exchange(work, place - 1, place);
            work.swap(place - 1, place);
            best = if gain > best.1 { (place, gain) } else { best };
        }
        work.copy_from_slice(order);
        gain = 0.0;
        for place in (0..from).rev() {
            gain += self.exchange(work, place, place + 1);
            work.swap(place, place + 1);
            best = if gain > best.1 { (place, gain) } else { best };
        }
        best
    }

    /// The sum of the absolute values of the terms. Rounding errors are compared with it.
    pub(crate) fn size(&self) -> f64 {
        let total = |numbers: &[f64]| numbers.iter().map(|number| number.abs()).sum::<f64>();
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        match self {
            Self::Signs(terms) => total(&terms.margins),
            Self::Tensors(terms) => {
                let components = terms.components.iter();
                components.map(|part| total(&part.of_items) * largest(&part.of_places)).sum::<f64>() + total(&terms.own)
            }
            Self::Later(terms) => total(&terms.numbers) / terms.items.max(1) as f64,
        }
    }
}

fn sum_at(numbers: &[f64], places: &[u32]) -> f64 {
    places.iter().map(|&place| numbers[place as usize]).sum()
}

impl Signs {
    fn exchange(&self, order: &[u32], first: usize, second: usize) -> f64 {
        let row = |place: usize| &self.margins[order[place] as usize * self.items..][..self.items];
        let (first_row, second_row) = (row(first), row(second));
        let between = order[first + 1..second].iter().map(|&item| second_row[item as usize] - first_row[item as usize]);
        2.0 * (between.sum::<f64>() - first_row[order[second] as usize])
    }

    /// The margins among some of the items.
    pub(crate) fn among(&self, items: &[u32]) -> Result<Self, Error> {
        let mut margins = memory::with_capacity(items.len() * items.len())?;
        for &item in items {
            let row = &self.margins[item as usize * self.items..][..self.items];
            margins.extend(items.iter().map(|&other| row[other as usize]));
        }
        Ok(Self { items: items.len(), margins })
    }
}

impl TensorTerms {
    fn exchange(&self, order: &[u32], first: usize, second: usize) -> f64 {
        let n = self.items;
        let (i, j) = (order[first] as usize, order[second] as usize);
        let mut gain = 0.0;
        for component in &self.components {
            let items = |item: usize| &component.of_items[item * n..][..n];
            let places = |place: usize| &component.of_places[place * n..][..n];
            let (of_i, of_j, at_first, at_second) = (items(i), items(j), places(first), places(second));
            let mut sum = 0.0;
            for ((&item, to), from) in order.iter().zip(at_first).zip(at_second) {
                sum += (of_j[item as usize] - of_i[item as usize]) * (to - from);
            }
            // The sum has also changed the pair of the two exchanged items. This is corrected here.
            gain += if component.symmetric { sum + 2.0 * of_i[j] * at_first[second] } else { sum };
        }
        if !self.own.is_empty() {
            let own = |item: usize, place: usize| self.own[item * n + place];
            gain += own(j, first) + own(i, second) - own(i, first) - own(j, second);
        }
        gain
    }
}

impl LaterTerms {
    /// The terms of an item at a position with each earlier item.
    pub(crate) fn row(&self, item: usize, place: usize) -> &[f64] {
        &self.numbers[(item * self.items + place) * self.items..][..self.items]
    }

    fn exchange(&self, order: &[u32], first: usize, second: usize) -> f64 {
        let (i, j) = (order[first] as usize, order[second] as usize);
        let (i_first, i_second) = (self.row(i, first), self.row(i, second));
        let (j_first, j_second) = (self.row(j, first), self.row(j, second));
        let before = order[..first].iter().map(|&item| {
            let item = item as usize;
            i_second[item] - i_first[item] + j_first[item] - j_second[item]
        });
        let mut gain = before.sum::<f64>() + i_second[j] - j_second[i];
        for (place, &item) in (first + 1..second).zip(&order[first + 1..second]) {
            let item = item as usize;
            let row = self.row(item, place);
            gain += row[j] - row[i] + i_second[item] - j_second[item];
        }
        gain
    }
}

/// The best of all orders. All orders are tried, so there must be few items. It is used if terms depend on the
/// positions of all items. The second result tells whether the values of all other orders are smaller by more than
/// `least`.
pub(crate) fn best_of_all(terms: &ObjectiveTerms, least: f64, cancel: &Cancel) -> Result<(Vec<u32>, bool), Error> {
    let items = terms.items();
    let best = (f64::NEG_INFINITY, Vec::new());
    let mut search = Enumeration { terms, least, cancel, order: Vec::new(), best, unique: true };
    search.extend(0.0, &mut (0..items as u32).collect::<Vec<_>>());
    if cancel.is_cancelled() { Err(Error::Interrupted) } else { Ok((search.best.1, search.unique)) }
}

struct Enumeration<'a> {
    terms: &'a ObjectiveTerms,
    least: f64,
    cancel: &'a Cancel,
    order: Vec<u32>,
    best: (f64, Vec<u32>),
    unique: bool,
}

impl Enumeration<'_> {
    /// Tries all ways to continue the order. The remaining items are in `left`, in increasing order.
    fn extend(&mut self, value: f64, left: &mut Vec<u32>) {
        if left.is_empty() {
            if value >= self.best.0 - self.least {
                self.unique = value > self.best.0 + self.least;
            }
            if value > self.best.0 {
                self.best = (value, self.order.clone());
            }
            return;
        }
        for index in 0..left.len() {
            if left.len() > 6 && self.cancel.is_cancelled() {
                return;
            }
            let item = left.remove(index);
            self.order.push(item);
            let gained = self.terms.of_last(&self.order);
            self.extend(value + gained, left);
            self.order.pop();
            left.insert(index, item);
        }
    }
}
