//! Weighted correlations of lists: quotients of two means, each of which is a kernel of lists.

use crate::error::Error;
use crate::measure::Measure;
use crate::weight::own::ROUNDING;

/// `(C - D) / (C + D)` of the means of the concordant and the discordant sum; `values` computes a kernel for all pairs.
pub(in crate::gram) fn correlations(
    measure: &Measure,
    mut values: impl FnMut(&Measure) -> Result<Vec<f64>, Error>,
) -> Result<Vec<f64>, Error> {
    let (mut signed, both) = sums(measure, &mut values)?;
    // A sum that cancels leaves only rounding errors.
    let sizes = measure.without_signs()?.map(|measure| sums(&measure, &mut values)).transpose()?;
    for (pair, (value, both)) in signed.iter_mut().zip(both).enumerate() {
        let size = sizes.as_ref().map_or(0.0, |(_, sizes)| sizes[pair]);
        *value = if both.abs() <= ROUNDING * size { 0.0 } else { *value / both };
    }
    Ok(signed)
}

/// The means of the concordant sum minus the discordant one, and of both together.
fn sums(
    measure: &Measure,
    mut values: impl FnMut(&Measure) -> Result<Vec<f64>, Error>,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let [signed, concordant] = measure.kernels_of_correlation();
    let (signed, mut both) = (values(&signed)?, values(&concordant)?);
    both.iter_mut().zip(&signed).for_each(|(both, signed)| *both = 2.0 * *both - signed);
    Ok((signed, both))
}
