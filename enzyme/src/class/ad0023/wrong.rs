fn scaled<const N: u32>(x: f64) -> f64 {
    f64::from(N) * x
}

macro_rules! functions {
    ($($n:literal)*) => { [$([
        scaled::<{ $n }>, scaled::<{ $n + 1 }>, scaled::<{ $n + 2 }>, scaled::<{ $n + 3 }>, scaled::<{ $n + 4 }>,
    ]),*] };
}

fn main() {
    let all: [[fn(f64) -> f64; 5]; 13] = functions!(0 5 10 15 20 25 30 35 40 45 50 55 60);
    let chosen = all[std::env::args().count()][1];
    println!("{}", autodiff::derivative(|x: f64| chosen(x), 3.0));
}
