//! What the fuzz targets share: numbers from bytes, and the kernels by their definitions.

pub mod bytes;
pub mod definitions;
