fn f(x: &[f64; 4], part: usize) -> f64 {
    x.chunks(2).nth(part).unwrap().iter().map(|x| x * x).sum()
}

fn main() {
    assert_eq!(autodiff::parallel::gradient(f, &[1.0, 2.0, 3.0, 4.0], 2), [2.0, 4.0, 6.0, 8.0]);
}
