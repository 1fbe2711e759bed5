//! Classes of lists. The lists of a class differ only in their items. If a query shares no item with two lists of a
//! class, it has the same value with both.

use std::collections::HashMap;

use crate::error::Error;
use crate::memory;
use crate::pair::lists::bounds::find_shape;
use crate::parallel::Cancel;
use crate::rankings::Lists;

/// The number of lists between two checks for cancellation.
const STOP_CHECK_INTERVAL: usize = 1 << 14;

/// The classes of some lists. The lists of a class have the same sizes of blocks and the same divisor of values. The
/// divisor is a function of the sizes, but it can be rounded differently, because the rounding depends on the order of
/// the items.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    /// The class of each list. It is empty if there is only one class; this saves reads of distant memory.
    of_list: Vec<u32>,
    /// The lists of each class, in increasing order.
    members: Vec<Vec<u32>>,
}

impl Classes {
    pub(super) fn new(lists: &Lists, roots: Option<&[f64]>, cancel: &Cancel) -> Result<Self, Error> {
        let (mut shapes, mut classes) = (HashMap::<Vec<u32>, u32>::new(), HashMap::<(u32, u64), u32>::new());
        let mut of_list = memory::with_capacity(lists.rows())?;
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut shape = Vec::new();
        for list in 0..lists.rows() {
            if list % STOP_CHECK_INTERVAL == 0 && cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            find_shape(lists.row(list), &mut shape)?;
            let number = if let Some(&number) = shapes.get(&shape) {
                number
            } else {
                let number = shapes.len() as u32;
                let bytes = size_of_val(&shape[..]);
                shapes.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes })?;
                shapes.insert(memory::collect(shape.iter().copied())?, number);
                number
            };
            classes.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes: size_of::<(u32, u64)>() })?;
            let root = roots.map_or(0, |roots| roots[list].to_bits());
            let class = *classes.entry((number, root)).or_insert(members.len() as u32);
            if class as usize == members.len() {
                memory::push(&mut members, Vec::new())?;
            }
            memory::push(&mut members[class as usize], list as u32)?;
            of_list.push(class);
        }
        if members.len() == 1 {
            of_list = Vec::new();
        }
        Ok(Self { of_list, members })
    }

    /// The classes, given the numbers that [`Classes::all`] returns; `None` if these are not valid classes of `rows`
    /// lists.
    pub(super) fn from_numbers(of_list: Vec<u32>, rows: usize) -> Result<Option<Self>, Error> {
        let mut members: Vec<Vec<u32>> = Vec::new();
        if of_list.is_empty() {
            if rows > 0 {
                memory::push(&mut members, memory::collect(0..rows as u32)?)?;
            }
            return Ok(Some(Self { of_list, members }));
        }
        for (list, &class) in (0..).zip(&of_list) {
            // Classes are numbered in the order of their first lists.
            if class as usize == members.len() {
                memory::push(&mut members, Vec::new())?;
            }
            match members.get_mut(class as usize) {
                Some(lists) => memory::push(lists, list)?,
                None => return Ok(None),
            }
        }
        Ok((of_list.len() == rows).then_some(Self { of_list, members }))
    }

    /// The class of a list.
    pub(super) fn of(&self, list: usize) -> usize {
        if self.of_list.is_empty() { 0 } else { self.of_list[list] as usize }
    }

    /// The class of each list, if there are several.
    pub(super) fn all(&self) -> &[u32] {
        &self.of_list
    }

    /// The lists of each class.
    pub(super) fn members(&self) -> &[Vec<u32>] {
        &self.members
    }
}
