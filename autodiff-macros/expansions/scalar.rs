// #[autodiff_reverse(d_cube, Active, Active)]
// fn cube(x: f64) -> f64 {
//     x * x * x
// }

fn cube(x: f64) -> f64 {
    x * x * x
}
///Reverse-mode derivative of `cube`: `x` Active, return value Active.
#[allow(deprecated, unused_unsafe, clippy::used_underscore_binding)]
#[track_caller]
fn d_cube(x: f64, dret: f64) -> (f64, f64) {
    let mut __place_0 = ::core::mem::ManuallyDrop::new(x);
    let mut __gradient_0: f64 = ::autodiff::__private::zero::<f64>();
    const { ::autodiff::__private::check_result::<f64>() };
    let mut __out = ::core::mem::MaybeUninit::<f64>::uninit();
    let mut __seed = ::core::mem::ManuallyDrop::new(dret);
    unsafe {
        ::autodiff::__private::call(
            const {
                #[allow(unused_imports)]
                use ::autodiff::__private::NoLayout as _;
                &::autodiff::__private::Site::new(
                        ::autodiff::__private::Mode::Reverse,
                        1u32,
                        ::autodiff::__private::shim::<
                            (*const f64, *mut ::core::mem::MaybeUninit<f64>),
                            _,
                        >(
                            &|
                                __pointer_0: *const f64,
                                __out: *mut ::core::mem::MaybeUninit<f64>|
                            {
                                unsafe {
                                    *__out = ::core::mem::MaybeUninit::new(
                                        cube(::core::ptr::read(__pointer_0)),
                                    );
                                }
                            },
                        ),
                        const {
                            &[
                                ::autodiff::__private::Param::pointer(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<f64>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::pointer(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<f64>::LAYOUT,
                                ),
                            ]
                        },
                        ::core::concat!(::core::module_path!(), "::", "cube"),
                    )
                    .at(::core::file!(), ::core::line!(), ::core::column!())
            },
            [
                ::autodiff::__private::place(&raw mut __place_0),
                ::autodiff::__private::place(&raw mut __gradient_0),
                ::autodiff::__private::place(&raw mut __out),
                ::autodiff::__private::place(&raw mut __seed),
            ],
        )
    };
    (unsafe { __out.assume_init() }, __gradient_0)
}
