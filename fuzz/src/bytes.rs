//! Numbers from bytes. Every input means something: where the bytes end, zeros follow.

/// The bytes that are left.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }

    pub fn flag(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.next()))
    }

    /// A permutation of 1..=n; zeros give the identity.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut ranks: Vec<u32> = (1..=n as u32).collect();
        for i in 0..n.saturating_sub(1) {
            let step = self.below(n - i);
            ranks.swap(i, i + step);
        }
        ranks
    }
}

/// An error must be one line that says something.
pub fn check_message(error: &wkendall::Error) {
    let message = error.to_string();
    assert!(!message.trim().is_empty() && !message.contains(['\n', '\r']), "{message:?}");
}
