//! A text of SVG as a PNG: rasterised by a library on the processor, so that it is the same on every machine, with the
//! letters of the window.

use std::sync::Arc;

use eframe::egui::FontDefinitions;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels a point: sharp on paper and on a projector.
pub const SCALE: f32 = 2.0;
/// More pixels than these to a side are an error, not a picture.
const MOST: f32 = 16_384.0;

/// The picture as the bytes of a PNG file, so many pixels a point.
///
/// # Errors
/// What is wrong with the text, in words: none that this program writes.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    pixels(svg, scale)?.encode_png().map_err(|error| format!("the picture could not be packed: {error}"))
}

fn pixels(svg: &str, scale: f32) -> Result<Pixmap, String> {
    let options = Options { fontdb: Arc::new(fonts()), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| format!("the picture could not be read: {error}"))?;
    let size = [tree.size().width(), tree.size().height()].map(|length| (length * scale).ceil());
    if size.iter().any(|length| !(1.0..=MOST).contains(length)) {
        return Err(format!("a picture of {} x {} pixels is too large", size[0], size[1]));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds, as checked above")]
    let mut pixels = Pixmap::new(size[0] as u32, size[1] as u32).ok_or("a picture without pixels")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

/// The fonts that the window brings along: no other is looked for.
fn fonts() -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    for font in FontDefinitions::default().font_data.into_values() {
        fonts.load_font_source(fontdb::Source::Binary(font.font.clone()));
    }
    let letters = fonts.faces().find_map(|face| {
        let (family, _) = face.families.first()?;
        (!face.monospaced && family.contains("Ubuntu")).then(|| family.clone())
    });
    if let Some(family) = letters {
        fonts.set_sans_serif_family(family);
    }
    fonts
}
