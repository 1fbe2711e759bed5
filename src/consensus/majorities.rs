//! Majorities: which items come before which in more than half of the rankings, and what that says about every order.
//!
//! The items fall into components: within one, majorities go round in circles; between two, all go the same way. The
//! best order has the components one after the other, so each can be ordered by itself. If every component has one
//! item, no order is better than the one that follows all majorities: Condorcet's.

use super::terms::Signs;
use crate::error::Error;
use crate::memory;
use crate::parallel::Stop;

/// Circles of three are looked for among so many items: a second for 1,000 of them.
const MOST_FOR_CIRCLES: usize = 1000;

/// The components, the first one first; the items of each by number. Margins of at most `least` are ties.
pub(crate) fn components(signs: &Signs, least: f64, stop: &Stop) -> Result<Vec<Vec<u32>>, Error> {
    let n = signs.items;
    let mut walk = Walk {
        numbers: memory::filled(n, usize::MAX)?,
        lowest: memory::filled(n, 0)?,
        open: memory::with_capacity(n)?,
        is_open: memory::filled(n, false)?,
        found: Vec::new(),
        count: 0,
    };
    // From the last item to the first, so that of components without majorities between them the smaller number comes
    // first.
    for root in (0..n).rev() {
        if walk.numbers[root] == usize::MAX {
            walk.from(root, signs, least, stop)?;
        }
    }
    // The last component is closed first.
    walk.found.reverse();
    Ok(walk.found)
}

/// Tarjan's walk through all majorities.
struct Walk {
    numbers: Vec<usize>,
    lowest: Vec<usize>,
    open: Vec<u32>,
    is_open: Vec<bool>,
    found: Vec<Vec<u32>>,
    count: usize,
}

impl Walk {
    fn from(&mut self, root: usize, signs: &Signs, least: f64, stop: &Stop) -> Result<(), Error> {
        // Items on the way, and before which one to look further from each.
        let mut way = memory::with_capacity(signs.items)?;
        self.enter(root);
        way.push((root, signs.items));
        while let Some(&mut (item, ref mut next)) = way.last_mut() {
            if stop.is_set() {
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

    /// Closes the component that was entered with this item, if there is one.
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

/// The most that any order of the items can have: all margins are positive, but of each circle of three one has to
/// turn round. What a circle takes of its margins is not there for others.
pub(crate) fn most(signs: &Signs, stop: &Stop) -> Result<f64, Error> {
    let n = signs.items;
    let all = signs.margins.iter().map(|margin| margin.abs()).sum::<f64>() / 2.0;
    if n > MOST_FOR_CIRCLES {
        return Ok(all);
    }
    // What is left of each positive margin.
    let mut left = memory::collect(signs.margins.iter().map(|margin| margin.max(0.0)))?;
    let mut turned = 0.0;
    for first in 0..n {
        if stop.is_set() {
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
