//! The names of all backends, as the crate lists them where it does not know one.
#![allow(dead_code)]

use wkendall::{Backend, Error};

type Names = &'static [&'static str];

fn known() -> (Names, Names) {
    match "no backend".parse::<Backend>() {
        Err(Error::UnknownBackend { strategies, instruction_sets, .. }) => (strategies, instruction_sets),
        other => panic!("{other:?}"),
    }
}

pub fn strategies() -> Names {
    known().0
}

/// Those that this CPU does not have, too.
pub fn instruction_sets() -> Names {
    known().1
}
