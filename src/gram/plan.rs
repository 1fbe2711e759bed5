//! How a Gram matrix is computed: tile size and number of threads, from the size of the work.

use crate::measure::Measure;

/// A tile should take about this long: short enough to share out the work and to stop soon, long enough not to be felt.
const TILE_NS: f64 = 4e6;
/// Tiles this wide keep the rankings of a tile in the second cache and the pieces of rows few.
const WIDEST_TILE: usize = 128;
/// With this many tiles for each thread the last ones to finish keep the others waiting for a few percent only.
const TILES_PER_THREAD: usize = 8;
/// Waking threads takes some 50 microseconds (two cores, Xeon 2.3 GHz); work this short is done sooner on the calling thread.
const WORTH_THREADS_NS: f64 = 2e5;
/// More threads than any machine of today has use for; keeps a slip of the keyboard from starting a million.
const MOST_THREADS: usize = 512;

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
        let threads = threads.unwrap_or_else(default_threads).clamp(1, MOST_THREADS);
        let tile = tile.unwrap_or_else(|| {
            let by_time = (TILE_NS / pair_ns).sqrt();
            let by_share = (cells / (threads * TILES_PER_THREAD) as f64).sqrt();
            by_time.min(if threads > 1 { by_share } else { by_time }) as usize
        });
        let tile = tile.clamp(1, WIDEST_TILE.max(tile.min(rows.max(columns))));
        let tiles = rows.div_ceil(tile).saturating_mul(columns.div_ceil(tile));
        let threads = if cells * pair_ns < WORTH_THREADS_NS { 1 } else { threads.min(tiles) };
        Self { tile, threads }
    }
}

/// How many threads run when nothing is said: `RAYON_NUM_THREADS` or else `OMP_NUM_THREADS`, by which schedulers divide a
/// machine among processes, or else one for each core that the process may use.
#[must_use]
pub fn default_threads() -> usize {
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS"].into_iter().find_map(threads_from).unwrap_or_else(super::pool::cores)
}

/// A positive number in an environment variable; of a list, as OpenMP allows for nested levels, the first.
fn threads_from(variable: &str) -> Option<usize> {
    let value = std::env::var(variable).ok()?;
    value.split(',').next()?.trim().parse().ok().filter(|&threads| threads > 0)
}
