//! Neighbours, as they are returned.

/// The rankings that are most alike each of some others: see [`neighbors`](crate::neighbors).
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    /// How many there are for each ranking.
    pub count: usize,
    /// Their numbers, the best first: `count` for the first ranking, then those for the second, and so on.
    pub indices: Vec<usize>,
    /// Their values, in the same order.
    pub values: Vec<f64>,
}

/// All rankings that are at least so much alike each of some others: see [`within`](crate::within).
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// Where the entries of each ranking begin; the last is the number of all entries.
    pub starts: Vec<usize>,
    /// Numbers of rankings, in rising order for each.
    pub indices: Vec<usize>,
    /// Their values.
    pub values: Vec<f64>,
}
