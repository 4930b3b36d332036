fn f(x: &[f64; 4]) -> f64 {
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            x.chunks(2).map(|part| scope.spawn(|| part.iter().map(|x| x * x).sum::<f64>())).collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[1.0, 2.0, 3.0, 4.0]));
}
