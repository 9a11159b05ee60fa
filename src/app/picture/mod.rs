//! Pictures as plain data: what the screen shows, what tests look at, and what files get is the same [`Scene`] or
//! [`Chart`]. Colours are roles here; a palette gives them their values when they are painted.

pub mod banks;
pub mod bars;
mod chart;
pub mod chart_painter;
mod chart_svg;
mod crowd;
mod labels;
pub mod loads;
pub mod micro_world;
pub mod product;
pub mod raster;
pub mod roofline;
mod scene;
pub mod scene_painter;
mod scene_svg;
pub mod sheet;
mod svg_parts;
pub mod tile;

pub use chart::{Chart, Dot, Ink, Mark as ChartMark, Region, Scale, Series};
pub use scene::{Align, Fill, Mark, Part, PartId, Role, Scene, Shape};
pub use sheet::{Body, Piece, Sheet};
