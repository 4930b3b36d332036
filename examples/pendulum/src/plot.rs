//! The picture: samples, the motion before the fit and after it.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::register_font;

use crate::motion::{Motion, Pendulum};
use crate::samples::Sample;

const SIZE: (u32, u32) = (1200, 700);
const POINTS: usize = 240;
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);
const GREY: RGBColor = RGBColor(140, 140, 140);

/// Draws a PNG picture into the file `path`.
pub(crate) fn draw(path: &Path, samples: &[Sample], start: Pendulum, fit: Pendulum) -> Result<()> {
    // A font of our own: the machine need not have any.
    register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the font cannot be read"))?;
    let duration = samples.last().map_or(1.0, |sample| sample.time);
    let start = curve(start, duration);
    let fit = curve(fit, duration);
    let angles =
        samples.iter().map(|sample| sample.angle).chain(start.iter().chain(&fit).map(|point| point.1));
    let largest = 1.1 * angles.fold(0.0, |largest: f64, angle| largest.max(angle.abs()));

    let canvas = BitMapBackend::new(path, SIZE).into_drawing_area();
    canvas.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&canvas)
        .caption("A damped pendulum, found from noisy samples", ("sans-serif", 30))
        .margin(20)
        .x_label_area_size(60)
        .y_label_area_size(80)
        .build_cartesian_2d(0.0..duration, -largest..largest)?;
    chart
        .configure_mesh()
        .x_desc("time in s")
        .y_desc("angle in rad")
        .axis_desc_style(("sans-serif", 22))
        .label_style(("sans-serif", 18))
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(TRANSPARENT)
        .draw()?;

    let grey = GREY.stroke_width(2);
    chart
        .draw_series(DashedLineSeries::new(start, 8, 6, grey))?
        .label("start")
        .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 30, y)], 8, 6, grey));
    let blue = BLUE.stroke_width(3);
    chart
        .draw_series(LineSeries::new(fit, blue))?
        .label("fit")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 30, y)], blue));
    let orange = ORANGE.filled();
    chart
        .draw_series(samples.iter().map(|sample| Circle::new((sample.time, sample.angle), 4, orange)))?
        .label("samples")
        .legend(move |(x, y)| Circle::new((x + 15, y), 4, orange));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 20))
        .legend_area_size(40)
        .margin(15)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    canvas.present()?;
    Ok(())
}

/// Points of a pendulum's motion.
fn curve(pendulum: Pendulum, duration: f64) -> Vec<(f64, f64)> {
    let mut motion = Motion::new(pendulum);
    (0..=POINTS)
        .map(|i| duration * i as f64 / POINTS as f64)
        .map(|time| (time, motion.angle_at(time)))
        .collect()
}
