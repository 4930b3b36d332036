use autodiff::autodiff_reverse;

struct Path {
    points: Vec<f64>,
}

#[autodiff_reverse(d_extend, Duplicated, Active, Active)]
fn extend(path: &mut Path, x: f64) -> f64 {
    path.points[1] = x * x;
    path.points.iter().sum()
}

fn main() {
    let (mut path, mut shadow) = (Path { points: vec![1.0; 2] }, Path { points: vec![0.0; 2] });
    assert_eq!(d_extend(&mut path, &mut shadow, 2.0, 1.0), (5.0, 4.0));
}
