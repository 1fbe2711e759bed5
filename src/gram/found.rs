//! The results of searches for neighbours.

/// The most similar rankings for each ranking: see [`neighbors`](crate::neighbors).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Neighbors {
    /// The number of neighbours of each ranking.
    pub count: usize,
    /// Their row numbers, the best first: `count` for the first ranking, then those for the second, and so on.
    pub indices: Vec<usize>,
    /// Their values, in the same order.
    pub values: Vec<f64>,
}

/// All rankings within a radius of each ranking: see [`within`](crate::within).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Within {
    /// The start of the entries of each ranking; the last is the number of all entries.
    pub starts: Vec<usize>,
    /// Row numbers of the neighbours, in increasing order for each ranking.
    pub indices: Vec<usize>,
    /// Their values.
    pub values: Vec<f64>,
}
