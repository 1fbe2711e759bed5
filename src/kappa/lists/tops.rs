//! What the average weight gives to two blocks of ranks: sums over the tops of all lengths, in closed form.

/// A block of ranks, and what is asked of it for each k: whether a given item of it is in the top k, or whether two
/// given ones are, the one before the other.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) start: usize,
    pub(super) size: usize,
    /// Whether two items are asked for.
    pub(super) tied: bool,
}

impl Block {
    pub(super) fn new(start: usize, size: usize) -> Self {
        Self { start, size, tied: false }
    }

    pub(super) fn tied(self) -> Self {
        Self { tied: true, ..self }
    }

    fn end(self) -> usize {
        self.start + self.size
    }

    /// The ways to choose what is asked for among x more ranks than `inside`, as multiples of 1, x and x (x - 1) / 2.
    fn ways(self, inside: usize) -> [f64; 3] {
        let inside = inside as f64;
        if self.tied { [inside * (inside - 1.0) / 2.0, inside, 1.0] } else { [inside, 1.0, 0.0] }
    }

    /// What the ways are divided by to give the chance.
    fn all_ways(self) -> f64 {
        let size = self.size as f64;
        if self.tied { size * (size - 1.0) } else { size }
    }

    /// The chance once the whole block is in the top k.
    fn chance(self) -> f64 {
        if self.tied { 0.5 } else { 1.0 }
    }
}

/// The sum over k = 1..n of the product of the chances of two blocks.
///
/// Each chance rises from 0 at the first rank to a constant at the end of the block: first both rise, then the one that
/// ends last does so alone, then both are constant. No term is negative, so that nothing cancels.
pub(super) fn over_tops(items: usize, one: Block, other: Block) -> f64 {
    if one.size == 1 && other.size == 1 {
        return (items - one.start.max(other.start)) as f64;
    }
    let (start, first_end) = (one.start.max(other.start), one.end().min(other.end()));
    let (last, first) = if one.end() >= other.end() { (one, other) } else { (other, one) };
    let both = first_end.saturating_sub(start);
    let [a, b] = [one, other].map(|block| block.ways(start - block.start));
    let rising = if both > 0 { sum_of_products(a, b, both) / (one.all_ways() * other.all_ways()) } else { 0.0 };
    let from = start.max(first_end);
    let [constant, linear, pairs] = last.ways(from - last.start);
    let more = (last.end() - from) as f64;
    let alone = constant * more + linear * choose(more, 2) + pairs * choose(more, 3);
    let ends = (items - last.end()) as f64;
    rising + first.chance() * (alone / last.all_ways()) + ends * (first.chance() * last.chance())
}

/// The sum over x = 1..count of the product of two numbers that are given as multiples of 1, x and x (x - 1) / 2.
fn sum_of_products(a: [f64; 3], b: [f64; 3], count: usize) -> f64 {
    let count = count as f64;
    let (line, mixed, pairs) = (a[1] * b[1], a[1] * b[2] + a[2] * b[1], a[2] * b[2]);
    a[0] * b[0] * count
        + (a[0] * b[1] + a[1] * b[0] + line) * choose(count, 2)
        + (a[0] * b[2] + a[2] * b[0] + 2.0 * line + 2.0 * mixed + pairs) * choose(count, 3)
        + (3.0 * mixed + 6.0 * pairs) * choose(count, 4)
        + 6.0 * pairs * choose(count, 5)
}

/// The ways to choose so many of `count` + 1.
fn choose(count: f64, chosen: u32) -> f64 {
    let mut ways = count + 1.0;
    for step in 1..chosen {
        ways *= (count + 1.0 - f64::from(step)) / f64::from(step + 1);
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(k: usize, block: Block) -> f64 {
        let inside = k.saturating_sub(block.start).min(block.size) as f64;
        let size = block.size as f64;
        if block.tied { inside * (inside - 1.0) / 2.0 / (size * (size - 1.0)) } else { inside / size }
    }

    #[test]
    fn the_closed_form_is_the_sum() {
        let items = 9;
        let mut blocks = Vec::new();
        for start in 0..items {
            for size in 1..=items - start {
                blocks.push(Block::new(start, size));
                if size > 1 {
                    blocks.push(Block::new(start, size).tied());
                }
            }
        }
        for &one in &blocks {
            for &other in &blocks {
                let sum: f64 = (1..=items).map(|k| chance(k, one) * chance(k, other)).sum();
                let found = over_tops(items, one, other);
                assert!((found - sum).abs() <= 1e-14 * sum, "{found} and not {sum}");
            }
        }
    }
}
