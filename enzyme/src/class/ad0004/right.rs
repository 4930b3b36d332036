fn f(x: &[f64]) -> f64 {
    let mut last = [0.0; 4];
    for (index, x) in x.iter().enumerate() {
        last[index % 4] += x * x;
    }
    last[0] * last[1]
}

fn main() {
    assert_eq!(autodiff::gradient(f, &[1.0, 2.0][..]), [8.0, 4.0]);
}
