//! How a Gram matrix is computed: tile size and number of threads, from the size of the work.

use crate::measure::Measure;
use crate::parallel;

/// A tile should take about this long: short enough to share out the work, long enough not to be felt.
const TILE_NS: f64 = 4e6;
/// Narrower tiles than the first are made for few rankings only, since every tile takes memory for each of its rows; wider ones
/// than the second no longer fit the second cache with their rankings.
const TILE_WIDTHS: (usize, usize) = (32, 256);
/// With this many tiles for each thread the last ones to finish keep the others waiting for a few percent only.
const TILES_PER_THREAD: usize = 8;

pub(super) struct Plan {
    /// Rows and columns of a tile.
    pub(super) tile: usize,
    pub(super) threads: usize,
}

impl Plan {
    pub(super) fn new(
        measure: &Measure,
        rows: usize,
        columns: usize,
        threads: Option<usize>,
        tile: Option<usize>,
    ) -> Self {
        let pair_ns = measure.cost_ns();
        let cells = rows as f64 * columns as f64;
        let threads = parallel::threads_for(cells * pair_ns, threads);
        let tile = tile.unwrap_or_else(|| {
            let by_time = ((TILE_NS / pair_ns).sqrt() as usize).clamp(TILE_WIDTHS.0, TILE_WIDTHS.1);
            let by_share = (cells / (threads * TILES_PER_THREAD) as f64).sqrt() as usize;
            if threads > 1 { by_time.min(by_share) } else { by_time }
        });
        Self { tile: tile.max(1), threads }
    }
}
