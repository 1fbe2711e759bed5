//! Lists that share one or two items with a query. All lists of a class that share the same items at the same places
//! have the same value, which is computed once for all of them. If a query has a popular item, hundreds of thousands of
//! lists share only this item and have similar values.

use super::postings::Postings;
use super::segment::Segment;
use super::shared::RANKS;
use crate::error::Error;
use crate::memory;
use crate::rankings::lists::List;

/// The maximum number of items of a pattern.
pub(super) const MAX_SHARED: usize = 2;
/// The code of a list that shares more than two items.
const MANY: u32 = u32::MAX;
/// The number of places for values. A value replaces another value that has the same place.
const PLACES: usize = 1 << 12;
/// In the time to compute one value, patterns can be found for about this many lists: lists of the index, or lists that
/// have an item of the query. A pattern takes 1 ns for each list and a value takes 240 ns, with 1,000,000 top-10 lists
/// on an AMD EPYC.
const WORTH_ONE: usize = 200;

/// Memory of one thread.
#[derive(Default)]
pub(super) struct Patterns {
    /// For each list, a code with two bytes for each item that it shares with the query: the place of the item in the
    /// query plus 1, and its first rank in the list. Empty if patterns are not used.
    codes: Vec<u32>,
    /// Values of lists, given by class and code.
    values: Vec<Option<Known>>,
}

#[derive(Clone, Copy)]
struct Known {
    class: u32,
    code: u32,
    value: f64,
}

impl Patterns {
    /// If there are at least this many candidates, it takes less time to find the patterns of all lists than to compute
    /// the values.
    pub(super) fn worth_from(query: List<'_>, Segment { lists, postings, longest, .. }: &Segment<'_>) -> usize {
        if query.len() >= usize::from(u8::MAX) || *longest > RANKS {
            return usize::MAX;
        }
        let met: usize = query.iter().map(|&[item, _]| postings.of_item(item).len()).sum();
        (lists.rows() + met) / WORTH_ONE + 1
    }

    /// Forgets all patterns.
    pub(super) fn clear(&mut self) {
        self.codes.clear();
    }

    /// Finds the patterns of all `lists` lists.
    pub(super) fn find(&mut self, query: List<'_>, postings: &Postings, lists: usize) -> Result<(), Error> {
        self.codes.clear();
        memory::resize(&mut self.codes, lists, 0)?;
        self.values.clear();
        memory::resize(&mut self.values, PLACES, None)?;
        for (place, &[item, _]) in (1..).zip(query) {
            let (lists, ranks) = postings.with_ranks(item);
            for (&list, &rank) in lists.iter().zip(ranks) {
                let code = &mut self.codes[list as usize];
                let longer = *code << 16 | place << 8 | u32::from(rank);
                *code = if *code >> 16 == 0 { longer } else { MANY };
            }
        }
        Ok(())
    }

    /// The pattern of a list, if it shares one or two items.
    pub(super) fn of(&self, list: u32) -> Option<u32> {
        self.codes.get(list as usize).copied().filter(|&code| code != MANY)
    }

    /// The value of lists of a class with this pattern, if it is known.
    pub(super) fn value(&self, class: usize, code: u32) -> Option<f64> {
        self.values[place_of(class, code)]
            .filter(|known| known.class as usize == class && known.code == code)
            .map(|known| known.value)
    }

    /// Keeps the value of lists of a class with this pattern.
    pub(super) fn keep(&mut self, class: usize, code: u32, value: f64) {
        self.values[place_of(class, code)] = Some(Known { class: class as u32, code, value });
    }
}

/// The place of a value. It is the upper bits of a product, because these depend on all bits of the class and the code.
fn place_of(class: usize, code: u32) -> usize {
    let mixed = (u64::from(code) << 20 ^ class as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - PLACES.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Cancel;
    use crate::rankings::Lists;

    #[test]
    fn patterns_tell_which_items_are_shared_and_where() {
        // Lists that share 0 to 4 items with the query 1, 3, 5, 7.
        let items = [&[2, 4][..], &[5, 2], &[2, 5], &[7, 1], &[1, 7], &[1, 3, 5], &[7, 5, 3, 1]];
        let bounds: Vec<usize> =
            (0..=items.len()).map(|end| items[..end].iter().map(|list| list.len()).sum()).collect();
        let values: Vec<_> = items.iter().flat_map(|list| 1..=list.len()).map(|place| place as f64).collect();
        let lists = Lists::from_ranks(9, &bounds, &items.concat(), &values).unwrap();
        let postings = Postings::new(&lists, &vec![1.0; values.len()], &Cancel::default()).unwrap();
        let mut patterns = Patterns::default();
        assert_eq!(patterns.of(1), None);
        patterns.find(&[[1, 0], [3, 1], [5, 2], [7, 3]], &postings, lists.rows()).unwrap();
        let found: Vec<_> = (1..7).map(|list| patterns.of(list)).collect();
        let expected = [0x300, 0x301, 0x101_0400, 0x100_0401].map(Some);
        assert_eq!(found, [&expected[..], &[None, None]].concat());
        patterns.clear();
        assert_eq!(patterns.of(1), None);
    }

    #[test]
    fn values_are_those_of_their_class_and_pattern() {
        let mut patterns = Patterns { codes: Vec::new(), values: vec![None; PLACES] };
        let all = || (0..40).flat_map(|class| (1..500_u32).map(move |code| (class, code << 8)));
        let value_of = |class: usize, code: u32| class as f64 * 1e6 + f64::from(code);
        for (class, code) in all() {
            patterns.keep(class, code, value_of(class, code));
            assert_eq!(patterns.value(class, code), Some(value_of(class, code)));
        }
        // Some values were replaced, but no value is taken for another.
        let found: Vec<_> = all().map(|(class, code)| (patterns.value(class, code), value_of(class, code))).collect();
        assert!(found.iter().all(|&(found, expected)| found.is_none_or(|found| found == expected)));
        assert!(found.iter().filter(|(found, _)| found.is_some()).count() > PLACES / 2);
    }
}
