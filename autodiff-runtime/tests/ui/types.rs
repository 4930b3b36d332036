use autodiff::autodiff_reverse;

struct Point {
    x: f64,
}

#[autodiff_reverse(d_point, Active, Active)]
fn point(p: Point) -> f64 {
    p.x
}

#[autodiff_reverse(d_generic, Active, Active)]
fn generic<T: Copy>(x: [T; 2]) -> T {
    x[0]
}

#[autodiff_reverse(d_count, Active, Const, Active)]
fn count(n: u32, x: f64) -> f64 {
    x * f64::from(n)
}

// Fine: an alias is the type itself.
type Real = f64;

#[autodiff_reverse(d_alias, Active, Active)]
fn alias(x: Real) -> Real {
    x
}

fn main() {
    point(Point { x: 1.0 });
    alias(count(1, generic([1.0; 2])));
}
