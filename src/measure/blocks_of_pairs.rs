//! Two rankings or lists as blocks of items, with numbers for the pairs of items. `ItemWeighted` uses them.

use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::lists::List;
use crate::simd::tops::TopBlock;

/// The largest number of items that a list of the rows and a list of the columns have together, plus one.
pub(super) fn most_items(rows: &[List<'_>], columns: &[List<'_>]) -> usize {
    let longest = |lists: &[List<'_>]| lists.iter().map(|list| list.len()).max().unwrap_or(0);
    longest(rows) + longest(columns) + 1
}

/// The numbers of a block of ranks. If block A is before block B, an item of A and an item of B have the inner product
/// of `A.first` and `B.second`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    pub(super) first: [f64; 2],
    pub(super) second: [f64; 2],
    /// The number of an ordered pair of tied items.
    pub(super) tied: f64,
    /// The numbers for the average weight.
    pub(super) top: TopBlock,
}

/// A ranking of all items.
pub(super) struct Ranked<'a> {
    pub(super) order: &'a [u32],
    /// The number of the block of each item.
    pub(super) block_of: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    /// The sum for this ranking and itself.
    pub(super) own: f64,
}

impl Ranked<'_> {
    pub(super) fn side(&self) -> Side<'_> {
        Side { order: self.order, block_of: &self.block_of, blocks: &self.blocks }
    }
}

/// A list with its blocks. The last block has the items that are not listed.
pub(super) struct Listed<'a> {
    pub(super) list: List<'a>,
    /// The entries from the first block to the last.
    pub(super) order: Vec<u32>,
    /// The number of the block of each entry.
    pub(super) block_of: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    pub(super) own: f64,
}

/// One of two rankings of the same items.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) order: &'a [u32],
    pub(super) block_of: &'a [u32],
    pub(super) blocks: &'a [Block],
}

impl<'a> Side<'a> {
    pub(super) fn block(self, item: u32) -> &'a Block {
        &self.blocks[self.block_of[item as usize] as usize]
    }

    /// The items of each block.
    pub(super) fn in_blocks(self) -> impl Iterator<Item = &'a [u32]> {
        self.order.chunk_by(move |&one, &other| self.block_of[one as usize] == self.block_of[other as usize])
    }

    /// The number of an ordered pair of items.
    pub(super) fn number(self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.block_of[i], self.block_of[j]);
        let (first, second) = (&self.blocks[a as usize], &self.blocks[b as usize]);
        match a.cmp(&b) {
            std::cmp::Ordering::Less => first.first[0] * second.second[0] + first.first[1] * second.second[1],
            std::cmp::Ordering::Equal => first.tied,
            std::cmp::Ordering::Greater => 0.0,
        }
    }
}

/// Memory for the items of two lists. The items are numbered: first the items of the first list, then the items that
/// only the second list has, and one number for all other items.
pub(super) struct Union {
    pub(super) order: [Vec<u32>; 2],
    pub(super) block_of: [Vec<u32>; 2],
    pub(super) v: Vec<f64>,
    pub(super) items: Vec<u32>,
    /// The numbers of the entries of the second list.
    pub(super) numbers: Vec<u32>,
}

impl Union {
    pub(super) fn new(most: usize) -> Result<Self, Error> {
        let list = || memory::with_capacity(most);
        Ok(Self {
            order: [list()?, list()?],
            block_of: [list()?, list()?],
            v: memory::with_capacity(most)?,
            items: list()?,
            numbers: list()?,
        })
    }

    /// Returns both lists as rankings of the numbered items, the weights of these items, and a sum over pairs of items
    /// that are not listed: each pair adds the product of its two weights. The function `rest` gets the listed items.
    /// It returns the weight of all other items, and this sum.
    pub(super) fn of<'b>(
        &'b mut self,
        s: &'b Listed<'_>,
        t: &'b Listed<'_>,
        weight_of: impl Fn(usize) -> f64,
        rest: impl FnOnce(&[u32]) -> (f64, f64),
    ) -> ([Side<'b>; 2], &'b [f64], f64) {
        let Self { order: [order_s, order_t], block_of: [block_s, block_t], v, items, numbers } = self;
        for list in [&mut *order_s, order_t, block_s, block_t, items, numbers] {
            list.clear();
        }
        let [tail_s, tail_t] = [s, t].map(|list| list.blocks.len() as u32 - 1);
        items.extend(s.list.iter().map(|entry| entry[0]));
        block_s.extend(&s.block_of);
        block_t.resize(s.list.len(), tail_t);
        let mut place = 0;
        for (&[item, _], &block) in t.list.iter().zip(&t.block_of) {
            while s.list.get(place).is_some_and(|entry| entry[0] < item) {
                place += 1;
            }
            if s.list.get(place).is_some_and(|entry| entry[0] == item) {
                block_t[place] = block;
                numbers.push(place as u32);
            } else {
                numbers.push(items.len() as u32);
                items.push(item);
                block_s.push(tail_s);
                block_t.push(block);
            }
        }
        let listed = items.len();
        block_s.push(tail_s);
        block_t.push(tail_t);
        order_s.extend(&s.order);
        order_s.extend(s.list.len() as u32..=listed as u32);
        order_t.extend(t.order.iter().map(|&entry| numbers[entry as usize]));
        order_t.extend((0..s.list.len() as u32).filter(|&item| block_t[item as usize] == tail_t));
        order_t.push(listed as u32);
        v.clear();
        v.extend(items.iter().map(|&item| weight_of(item as usize)));
        let (rest, pairs) = rest(items);
        v.push(rest);
        let sides = [
            Side { order: order_s, block_of: block_s, blocks: &s.blocks },
            Side { order: order_t, block_of: block_t, blocks: &t.blocks },
        ];
        (sides, v, pairs)
    }
}

/// Memory for a pair of rankings with ties, for one thread.
pub(super) struct Memory {
    /// Trees of sums over blocks.
    pub(super) before: Vec<[f64; 4]>,
    pub(super) after: Vec<[f64; 4]>,
    pub(super) same: Vec<[f64; 2]>,
    pub(super) cells: Vec<f64>,
    pub(super) cancel: Cancel,
}

impl Memory {
    pub(super) fn new(most: usize, cancel: &Cancel) -> Result<Self, Error> {
        Ok(Self {
            before: memory::with_capacity(most + 1)?,
            after: memory::with_capacity(most + 1)?,
            same: memory::with_capacity(most)?,
            cells: memory::with_capacity(most)?,
            cancel: cancel.clone(),
        })
    }
}

/// All products of two times two numbers.
pub(super) fn products([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 4] {
    [a * c, a * d, b * c, b * d]
}

pub(super) fn dot4(one: [f64; 4], other: [f64; 4]) -> f64 {
    (one[0] * other[0] + one[1] * other[1]) + (one[2] * other[2] + one[3] * other[3])
}
