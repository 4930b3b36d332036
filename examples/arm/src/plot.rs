//! The picture: the arm from the side and from the front, and the way of its hand.

use std::path::Path;

use anyhow::{Result, anyhow};
use nalgebra::Vector3;
use plotters::prelude::*;
use plotters::style::register_font;

const SIZE: (u32, u32) = (1200, 600);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);
/// Of so many poses, one is drawn.
const EVERY: usize = 15;

/// Draws a PNG picture into the file `path`.
pub(crate) fn draw(path: &Path, poses: &[[Vector3<f64>; 7]]) -> Result<()> {
    // A font of our own: the machine need not have any.
    register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the font cannot be read"))?;
    let canvas = BitMapBackend::new(path, SIZE).into_drawing_area();
    canvas.fill(&WHITE)?;
    for (panel, (title, axis)) in canvas.split_evenly((1, 2)).iter().zip([("side", 0), ("front", 1)]) {
        let mut chart = ChartBuilder::on(panel)
            .caption(format!("From the {title}"), ("sans-serif", 26))
            .margin(20)
            .x_label_area_size(50)
            .y_label_area_size(70)
            .build_cartesian_2d(-0.8..1.2, -0.2..1.6)?;
        chart
            .configure_mesh()
            .x_desc(if axis == 0 { "x in m" } else { "y in m" })
            .y_desc("z in m")
            .axis_desc_style(("sans-serif", 20))
            .label_style(("sans-serif", 16))
            .bold_line_style(BLACK.mix(0.12))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let flat = |point: &Vector3<f64>| (point[axis], point[2]);
        for pose in poses.iter().step_by(EVERY) {
            chart.draw_series(LineSeries::new(pose.iter().map(flat), BLUE.mix(0.6).stroke_width(2)))?;
            chart.draw_series(pose.iter().map(|joint| Circle::new(flat(joint), 4, BLUE.filled())))?;
        }
        let way = poses.iter().map(|pose| flat(&pose[6]));
        chart.draw_series(LineSeries::new(way, ORANGE.stroke_width(3)))?;
    }
    canvas.present()?;
    Ok(())
}
