//! The charts.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use plotters::style::register_font;

use crate::measurement::{Growth, Problem};

const SIZE: (u32, u32) = (1200, 600);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(213, 94, 0);

/// What a chart shows of a row.
type Of<T> = fn(&T) -> Option<f64>;

fn register() -> Result<()> {
    // A font of our own: the machine need not have any.
    register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("the font cannot be read"))
}

/// Bars of how many times longer gradients take than functions, and than adjoints written by hand.
pub(crate) fn problems(problems: &[Problem], path: &Path) -> Result<()> {
    register()?;
    let ours: Vec<_> = problems.iter().filter(|it| it.ratio.is_some()).collect();
    let ratios = ours.iter().flat_map(|it| [it.ratio, it.to_hand]).flatten();
    let largest = 1.1 * ratios.fold(1.0, f64::max);
    let canvas = BitMapBackend::new(path, SIZE).into_drawing_area();
    canvas.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&canvas)
        .caption("Time of a gradient", ("sans-serif", 30))
        .margin(20)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..ours.len() as f64, 0.0..largest)?;
    let name = |x: &f64| {
        let middle = |index: usize| index as f64 + 0.5;
        let found = ours.iter().enumerate().find(|(index, _)| (middle(*index) - x).abs() < 1e-6);
        found.map_or(String::new(), |(_, it)| it.name.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * ours.len() + 1)
        .x_label_formatter(&name)
        .label_style(("sans-serif", 16))
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let series: [(&str, RGBColor, f64, Of<Problem>); 2] = [
        ("to the function's", BLUE, 0.15, |it| it.ratio),
        ("to the adjoint's by hand", ORANGE, 0.5, |it| it.to_hand),
    ];
    for (label, colour, left, of) in series {
        let bars = ours.iter().enumerate().filter_map(|(index, it)| {
            let start = index as f64 + left;
            Some(Rectangle::new([(start, 0.0), (start + 0.35, of(it)?)], colour.filled()))
        });
        let square = move |(x, y)| Rectangle::new([(x, y - 6), (x + 14, y + 8)], colour.filled());
        chart.draw_series(bars)?.label(label).legend(square);
    }
    chart.configure_series_labels().background_style(WHITE).label_font(("sans-serif", 18)).draw()?;
    canvas.present().context("the chart cannot be written")
}

/// Lines of time and memory against size, both axes logarithmic.
pub(crate) fn growth(growth: &[Growth], path: &Path) -> Result<()> {
    register()?;
    let canvas = BitMapBackend::new(path, SIZE).into_drawing_area();
    canvas.fill(&WHITE)?;
    let panels: [(&str, Of<Growth>); 2] = [
        ("Time of a gradient in s", |it| Some(it.gradient)),
        ("Most memory of the process in bytes", |it| it.peak.map(|bytes| bytes as f64)),
    ];
    for (panel, (title, of)) in canvas.split_evenly((1, 2)).iter().zip(panels) {
        let points = |what: &str| -> Vec<(f64, f64)> {
            let rows = growth.iter().filter(|it| it.what == what);
            rows.filter_map(|it| Some((it.size as f64, of(it)?))).collect()
        };
        let (steps, parameters) = (points("steps"), points("parameters"));
        let all = || steps.iter().chain(&parameters);
        let least = all().map(|point| point.1).fold(f64::INFINITY, f64::min);
        let most = all().map(|point| point.1).fold(0.0, f64::max);
        if least >= most {
            continue;
        }
        let mut chart = ChartBuilder::on(panel)
            .caption(title, ("sans-serif", 24))
            .margin(20)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d((10f64..1e7).log_scale(), (0.5 * least..2.0 * most).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("steps, parameters")
            .axis_desc_style(("sans-serif", 18))
            .label_style(("sans-serif", 16))
            .x_label_formatter(&|x| format!("{x:.0e}"))
            .y_label_formatter(&|y| format!("{y:.0e}"))
            .bold_line_style(BLACK.mix(0.12))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (label, colour, points) in [("steps of a loop", BLUE, steps), ("parameters", ORANGE, parameters)]
        {
            let style = colour.stroke_width(3);
            chart
                .draw_series(LineSeries::new(points.clone(), style))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 30, y)], style));
            chart.draw_series(points.into_iter().map(|point| Circle::new(point, 5, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .label_font(("sans-serif", 16))
            .draw()?;
    }
    canvas.present().context("the chart cannot be written")
}
