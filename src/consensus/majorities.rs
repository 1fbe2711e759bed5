//! Majorities: for which pairs more than half of the rankings have one item before the other, and what follows for the
//! best order.
//!
//! The majorities split the items into components. Within a component, the majorities form cycles. Between two
//! components, all majorities go in the same direction. The best order has the components one after another, so each
//! component can be ordered separately. If every component has only one item, the best order agrees with all
//! majorities. This is Condorcet's order.

use super::terms::Signs;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// The largest number of items for which cycles of three items are searched. For 1,000 items, this takes a second.
const MAX_FOR_CIRCLES: usize = 1000;

/// The components in their order. The items of a component are sorted by number. Margins of at most `least` are ties.
pub(crate) fn components(signs: &Signs, least: f64, cancel: &Cancel) -> Result<Vec<Vec<u32>>, Error> {
    let n = signs.items;
    let mut walk = Walk {
        numbers: memory::filled(n, usize::MAX)?,
        lowest: memory::filled(n, 0)?,
        open: memory::with_capacity(n)?,
        is_open: memory::filled(n, false)?,
        found: Vec::new(),
        count: 0,
    };
    // The search goes from the last item to the first. So, of two components without majorities between them, the
    // component with the smaller item number comes first.
    for root in (0..n).rev() {
        if walk.numbers[root] == usize::MAX {
            walk.from(root, signs, least, cancel)?;
        }
    }
    // The search closes the last component first, so the list is reversed.
    walk.found.reverse();
    Ok(walk.found)
}

/// Tarjan's depth-first search through all majorities.
struct Walk {
    numbers: Vec<usize>,
    lowest: Vec<usize>,
    open: Vec<u32>,
    is_open: Vec<bool>,
    found: Vec<Vec<u32>>,
    count: usize,
}

impl Walk {
    fn from(&mut self, root: usize, signs: &Signs, least: f64, cancel: &Cancel) -> Result<(), Error> {
        // The items on the path, and, for each of them, the next item to look at.
        let mut way = memory::with_capacity(signs.items)?;
        self.enter(root);
        way.push((root, signs.items));
        while let Some(&mut (item, ref mut next)) = way.last_mut() {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            let row = &signs.margins[item * signs.items..][..signs.items];
            let Some(other) = (0..*next).rev().find(|&other| row[other] > least) else {
                way.pop();
                if let Some(&(before, _)) = way.last() {
                    self.lowest[before] = self.lowest[before].min(self.lowest[item]);
                }
                self.close(item)?;
                continue;
            };
            *next = other;
            if self.numbers[other] == usize::MAX {
                self.enter(other);
                way.push((other, signs.items));
            } else if self.is_open[other] {
                self.lowest[item] = self.lowest[item].min(self.numbers[other]);
            }
        }
        Ok(())
    }

    fn enter(&mut self, item: usize) {
        self.numbers[item] = self.count;
        self.lowest[item] = self.count;
        self.count += 1;
        self.open.push(item as u32);
        self.is_open[item] = true;
    }

    /// If the component that was entered with this item is complete, closes it.
    fn close(&mut self, item: usize) -> Result<(), Error> {
        if self.lowest[item] != self.numbers[item] {
            return Ok(());
        }
        let first = self.open.iter().rposition(|&open| open as usize == item).unwrap_or(0);
        let mut component = memory::collect(self.open.drain(first..))?;
        for &item in &component {
            self.is_open[item as usize] = false;
        }
        component.sort_unstable();
        memory::push(&mut self.found, component)
    }
}

/// An upper bound of the value of all orders of the items. It begins with the sum of all positive margins. In each
/// cycle of three items, an order must reverse at least one margin, so the smallest margin of the cycle is subtracted.
/// A margin that is used for one cycle is not used for other cycles.
pub(crate) fn most(signs: &Signs, cancel: &Cancel) -> Result<f64, Error> {
    let n = signs.items;
    let all = signs.margins.iter().map(|margin| margin.abs()).sum::<f64>() / 2.0;
    if n > MAX_FOR_CIRCLES {
        return Ok(all);
    }
    // For each positive margin, the part that no cycle has used yet.
    let mut left = memory::collect(signs.margins.iter().map(|margin| margin.max(0.0)))?;
    let mut turned = 0.0;
    for first in 0..n {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        for second in first + 1..n {
            if left[first * n + second] <= 0.0 {
                continue;
            }
            for third in first + 1..n {
                let sides = [first * n + second, second * n + third, third * n + first];
                let part = sides.iter().fold(f64::INFINITY, |part, &side| part.min(left[side]));
                if part > 0.0 {
                    for side in sides {
                        left[side] -= part;
                    }
                    turned += part;
                }
            }
        }
    }
    Ok(all - 2.0 * turned)
}
