//! The names of the strategies, and the choice of the caller.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::simd::{Isa, Level};

/// A strategy to compute a Gram matrix. All strategies compute the same counts. Their weighted sums differ only by
/// rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Bits of pairs of items, for measures that are counts.
    Bits,
    /// A matrix product of features, for weighted sums.
    Product,
    /// A grid of positions and values for every pair of rankings, with vector instructions.
    Pairs,
    /// The partition algorithm of the paper of Jiao and Vert, with another choice of the pivot.
    Partition,
}

impl Strategy {
    pub(crate) const ALL: [Self; 4] = [Self::Bits, Self::Product, Self::Pairs, Self::Partition];
    const NAMES: [&str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = Self::ALL[index].name();
            index += 1;
        }
        names
    };

    const fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Product => "product",
            Self::Pairs => "pairs",
            Self::Partition => "partition",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A strategy and an instruction set. If you leave out one of the two, the cost model chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backend {
    strategy: Option<Strategy>,
    level: Option<Level>,
}

impl Backend {
    /// The strategy, if one was chosen.
    pub(in crate::gram) fn strategy(self) -> Option<Strategy> {
        self.strategy
    }

    /// The same instruction set with this strategy.
    pub(in crate::gram) fn with(self, strategy: Strategy) -> Self {
        Self { strategy: Some(strategy), ..self }
    }

    /// The chosen instruction set, or the widest.
    pub(in crate::gram) fn isa(self) -> Result<Isa, Error> {
        match self.level {
            None => Ok(Isa::widest()),
            Some(level) => Isa::new(level).ok_or(Error::MissingInstructions { name: level.to_string() }),
        }
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// A strategy ("bits", "product", "pairs" or "partition"), one of the
    /// [`instruction_sets`](crate::instruction_sets), or both with a dash in between, as in "bits-portable".
    fn from_str(name: &str) -> Result<Self, Error> {
        let mut backend = Self::default();
        for part in name.split('-') {
            let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == part);
            let level = Level::ALL.into_iter().find(|level| level.name() == part);
            let taken = backend.strategy.is_some() && strategy.is_some() || backend.level.is_some() && level.is_some();
            if taken || (strategy.is_none() && level.is_none()) {
                return Err(Error::UnknownBackend {
                    name: name.to_owned(),
                    strategies: &Strategy::NAMES,
                    instruction_sets: &Level::NAMES,
                });
            }
            backend.strategy = backend.strategy.or(strategy);
            backend.level = backend.level.or(level);
        }
        Ok(backend)
    }
}
