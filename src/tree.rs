//! Running sums that change: a Fenwick tree in a slice.
//!
//! Node 0 is not used. Node k has the sum of the places from `k - (k & -k)` to `k - 1`. A sum over all places before a
//! given place takes O(log n) nodes, and so does a change of one place.

use std::ops::AddAssign;

/// Numbers that are added.
pub(crate) trait Summand: Copy + Default {
    fn add(&mut self, other: Self);
}

macro_rules! summands {
    ($($number:ty),*) => {$(
        impl Summand for $number {
            fn add(&mut self, other: Self) {
                self.add_assign(other);
            }
        }
    )*};
}

summands!(u32, i64, f64);

impl<T: Summand, const N: usize> Summand for [T; N]
where
    Self: Default,
{
    fn add(&mut self, other: Self) {
        self.iter_mut().zip(other).for_each(|(sum, number)| sum.add(number));
    }
}

/// The sum over the places before `end`. A tree for n places has n + 1 nodes, at first zeros.
pub(crate) fn sum_up_to<T: Summand>(tree: &[T], end: usize) -> T {
    let (mut sum, mut node) = (T::default(), end);
    while node > 0 {
        sum.add(tree[node]);
        node &= node - 1;
    }
    sum
}

/// Adds a number to a place.
pub(crate) fn add_at<T: Summand>(tree: &mut [T], place: usize, number: T) {
    let mut node = place + 1;
    while let Some(sum) = tree.get_mut(node) {
        sum.add(number);
        node += node & node.wrapping_neg();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_list() {
        for places in 0..40 {
            let (mut tree, mut list) = (vec![[0_i64; 2]; places + 1], vec![[0; 2]; places]);
            for step in 0..3 * places {
                let (place, number) = (step * 7 % places, [step as i64 - 20, 1]);
                add_at(&mut tree, place, number);
                list[place].add(number);
                for end in 0..=places {
                    let mut expected = [0; 2];
                    list[..end].iter().for_each(|&number| expected.add(number));
                    assert_eq!(sum_up_to(&tree, end), expected);
                }
            }
        }
    }
}
