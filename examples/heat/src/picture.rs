//! The picture of the field.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::Result;

/// Writes a PNG picture of temperatures from 0, black, over red and yellow to 1, white.
pub(crate) fn write(path: &Path, field: &[f64], width: usize) -> Result<()> {
    let (columns, rows) = (u32::try_from(width)?, u32::try_from(field.len() / width)?);
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), columns, rows);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels: Vec<u8> = field.iter().flat_map(|&heat| colour(heat)).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(())
}

fn colour(heat: f64) -> [u8; 3] {
    #[allow(clippy::cast_sign_loss, reason = "it is not negative")]
    let byte = |part: f64| (255.0 * part.clamp(0.0, 1.0)) as u8;
    [3.0 * heat, 3.0 * heat - 1.0, 3.0 * heat - 2.0].map(byte)
}
