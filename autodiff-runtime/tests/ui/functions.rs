use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_later, Active, Active)]
async fn later(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_variadic, Const)]
unsafe extern "C" fn variadic(x: u8, ...) {}

#[autodiff_reverse(d_opaque, Active, Const)]
fn opaque(x: f64) -> impl Fn() -> f64 {
    move || x
}

#[autodiff_reverse(d_never, Active, Active)]
fn never(_x: f64) -> ! {
    loop {}
}

#[autodiff_reverse(d_structure, Active)]
struct Structure;

#[autodiff_reverse(d_method, Active)]
impl Structure {
    fn method(&self) {}
}

#[autodiff_forward(d_choice, Active)]
pub(crate) enum Choice {
    One,
}

#[autodiff_reverse(d_constant, Active)]
const CONSTANT: f64 = 1.0;

unsafe extern "C" {
    #[autodiff_reverse(d_foreign, Active, Active)]
    fn foreign(x: f64) -> f64;
}

impl Structure {
    #[autodiff_reverse(d_by_value, Duplicated, Active, Active)]
    fn by_value(self, x: f64) -> f64 {
        x
    }
}

fn main() {
    opaque(1.0);
    let _ = never;
    Structure.method();
    let _ = (CONSTANT, Choice::One);
    Structure.by_value(1.0);
}
