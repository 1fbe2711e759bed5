//! Queries by a sum over pairs of items.

use super::query::{Compare, MAX_READY, find_common};
use super::segment::Segment;
use super::shared::SharedSums;
use crate::error::Error;
use crate::gram::strategies::lists::setting::ListSetting;
use crate::memory;
use crate::pair::lists::bounds::Bound;
use crate::pair::lists::{ListWorkspace, Listed};
use crate::parallel::Cancel;
use crate::rankings::lists::List;
use crate::simd::Isa;

/// Memory of one thread.
pub(super) struct SumQuery<'a> {
    segment: &'a Segment<'a>,
    setting: &'a ListSetting<'a>,
    row: usize,
    /// The query.
    s: Listed<'a>,
    memory: ListWorkspace,
    /// One prepared list of each class.
    ready: Vec<Listed<'a>>,
    /// For each class, the sum with a list that shares no item with the query; `None` if every list of this class must
    /// share an item with the query.
    disjoint: Vec<Option<f64>>,
    bounds: Vec<Bound>,
    norms: Vec<f64>,
    common: Vec<[u32; 2]>,
}

impl<'a> SumQuery<'a> {
    /// The memory for the rows and columns of a setting. The columns are the lists of the segment.
    pub(super) fn new(segment: &'a Segment<'a>, setting: &'a ListSetting<'a>, cancel: &Cancel) -> Result<Self, Error> {
        let members = segment.classes.members();
        let mut ready = Vec::new();
        if members.len() <= MAX_READY {
            for lists in members {
                memory::push(&mut ready, setting.listed(setting.y.row(lists[0] as usize))?)?;
            }
        }
        Ok(Self {
            segment,
            setting,
            row: 0,
            s: setting.listed(&[])?,
            memory: setting.memory(Some(Isa::widest()), cancel)?,
            ready,
            disjoint: memory::filled(members.len(), None)?,
            bounds: memory::filled(members.len(), Bound::default())?,
            norms: Vec::new(),
            common: Vec::new(),
        })
    }
}

impl Compare for SumQuery<'_> {
    fn begin(&mut self, row: usize) -> Result<(), Error> {
        let (setting, sums) = (self.setting, self.setting.sums());
        self.row = row;
        self.s = setting.listed(setting.x.row(row))?;
        for (class, members) in self.segment.classes.members().iter().enumerate() {
            let mut made;
            let t = if let Some(ready) = self.ready.get_mut(class) {
                ready
            } else {
                made = setting.listed(setting.y.row(members[0] as usize))?;
                &mut made
            };
            self.bounds[class] = sums.bound(self.segment.by, &self.s, t);
            let can_be_disjoint = self.s.list.len() + t.list.len() <= setting.y.items();
            self.disjoint[class] =
                if can_be_disjoint { Some(setting.value_from_sum(sums.disjoint(&mut self.s, t)?)) } else { None };
        }
        Ok(())
    }

    fn query(&self) -> List<'_> {
        self.s.list
    }

    fn add_bounds(&mut self, shared: &mut SharedSums) -> Result<(), Error> {
        let Self { segment, s, norms, bounds, .. } = self;
        self.setting.sums().find_norms(segment.by, s, norms)?;
        shared.meet(s.list, norms, &segment.postings, bounds, segment.classes.all());
        Ok(())
    }

    fn disjoint(&self, class: usize, list: usize) -> Option<f64> {
        self.disjoint[class].map(|sum| self.setting.finished(sum, self.row, list))
    }

    fn bound(&self, class: usize, added: f64) -> f64 {
        let sum = self.bounds[class].without + added;
        let column = self.segment.classes.members()[class][0] as usize;
        self.setting.finished(self.setting.value_from_sum(sum), self.row, column)
    }

    fn value(&mut self, list: usize) -> Result<f64, Error> {
        let setting = self.setting;
        find_common(self.s.list, setting.y.row(list), &mut self.common)?;
        let mut made;
        let t = if let Some(ready) = self.ready.get_mut(self.segment.classes.of(list)) {
            // The prepared numbers depend only on the sizes of blocks, which all lists of the class share.
            ready.list = setting.y.row(list);
            ready
        } else {
            made = setting.listed(setting.y.row(list))?;
            &mut made
        };
        let sum = setting.sums().of_common(&mut self.s, t, &self.common, &mut self.memory)?;
        Ok(setting.finished(setting.value_from_sum(sum), self.row, list))
    }

    fn fetch(&self, list: usize) -> u32 {
        self.setting.fetch(list)
    }
}
