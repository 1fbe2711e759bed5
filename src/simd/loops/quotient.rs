//! Dividing the values of a row of a matrix by the roots of the row and of the columns.

use super::task;

task! {
    /// Divides each value by the product of two roots, `root` and its own. The quotient is between -1 and 1, and 0 if a
    /// root is 0. Returns whether any is near 1.
    pub(crate) fn divide(_arch: A, values: &mut [f64], root: f64, roots: &[f64]) -> bool {
        let mut near = 0;
        for (value, &other) in values.iter_mut().zip(roots) {
            let unit = root * other;
            let quotient = *value / unit;
            let quotient = if quotient > 1.0 { 1.0 } else { quotient };
            let quotient = if quotient < -1.0 { -1.0 } else { quotient };
            *value = if unit == 0.0 { 0.0 } else { quotient };
            near |= u64::from(*value > 0.99);
        }
        near != 0
    }
}
