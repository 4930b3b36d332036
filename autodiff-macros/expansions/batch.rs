// #[autodiff_forward(directions, 2, Dual, Dual)]
// fn product(x: &[f64; 2]) -> f64 {
//     x[0] * x[1]
// }

fn product(x: &[f64; 2]) -> f64 {
    x[0] * x[1]
}
///Forward-mode derivative of `product`: `x` Dual, return value Dual.
#[allow(deprecated, unused_unsafe, clippy::used_underscore_binding)]
#[track_caller]
fn directions(x: &[f64; 2], bx_0: &[f64; 2], bx_1: &[f64; 2]) -> [f64; 3usize] {
    const { ::autodiff::__private::check_result::<f64>() };
    let mut __out = ::core::mem::MaybeUninit::<f64>::uninit();
    let mut __tangent_0 = ::core::mem::MaybeUninit::<f64>::zeroed();
    let mut __tangent_1 = ::core::mem::MaybeUninit::<f64>::zeroed();
    unsafe {
        ::autodiff::__private::call(
            const {
                #[allow(unused_imports)]
                use ::autodiff::__private::NoLayout as _;
                &::autodiff::__private::Site::new(
                        ::autodiff::__private::Mode::Forward,
                        2u32,
                        ::autodiff::__private::shim::<
                            (*const [f64; 2], *mut ::core::mem::MaybeUninit<f64>),
                            _,
                        >(
                            &|
                                __pointer_0: *const [f64; 2],
                                __out: *mut ::core::mem::MaybeUninit<f64>|
                            {
                                unsafe {
                                    *__out = ::core::mem::MaybeUninit::new(
                                        product(&*__pointer_0),
                                    );
                                }
                            },
                        ),
                        const {
                            &[
                                ::autodiff::__private::Param::pointer(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<[f64; 2]>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::pointer(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<f64>::LAYOUT,
                                ),
                            ]
                        },
                        ::core::concat!(::core::module_path!(), "::", "product"),
                    )
                    .at(::core::file!(), ::core::line!(), ::core::column!())
            },
            [
                ::autodiff::__private::reference(&*x),
                ::autodiff::__private::reference(&*bx_0),
                ::autodiff::__private::reference(&*bx_1),
                ::autodiff::__private::place(&raw mut __out),
                ::autodiff::__private::place(&raw mut __tangent_0),
                ::autodiff::__private::place(&raw mut __tangent_1),
            ],
        )
    };
    [
        unsafe { __out.assume_init() },
        unsafe { __tangent_0.assume_init() },
        unsafe { __tangent_1.assume_init() },
    ]
}
