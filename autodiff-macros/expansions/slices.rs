// #[autodiff_reverse(d_scale, Active, Duplicated, Duplicated)]
// pub fn scale(factor: f64, x: &[f64], y: &mut [f64]) {
//     for (x, y) in x.iter().zip(y) {
//         *y = factor * x;
//     }
// }

pub fn scale(factor: f64, x: &[f64], y: &mut [f64]) {
    for (x, y) in x.iter().zip(y) {
        *y = factor * x;
    }
}
///Reverse-mode derivative of `scale`: `factor` Active, `x` Duplicated, `y` Duplicated.
#[allow(
    deprecated,
    unused_unsafe,
    clippy::too_many_arguments,
    clippy::used_underscore_binding
)]
#[track_caller]
pub fn d_scale(
    factor: f64,
    x: &[f64],
    dx_0: &mut [f64],
    y: &mut [f64],
    dy_0: &mut [f64],
) -> f64 {
    let __length_1: ::core::primitive::usize = <[_]>::len(&*x);
    ::autodiff::__private::check_length(
        ::core::concat!(::core::module_path!(), "::", "d_scale"),
        "x",
        "dx_0",
        __length_1,
        <[_]>::len(&*dx_0),
    );
    ::autodiff::__private::check_distinct(
        ::core::concat!(::core::module_path!(), "::", "d_scale"),
        "x",
        "dx_0",
        &*x,
        &*dx_0,
    );
    let __length_2: ::core::primitive::usize = <[_]>::len(&*y);
    ::autodiff::__private::check_length(
        ::core::concat!(::core::module_path!(), "::", "d_scale"),
        "y",
        "dy_0",
        __length_2,
        <[_]>::len(&*dy_0),
    );
    ::autodiff::__private::check_distinct(
        ::core::concat!(::core::module_path!(), "::", "d_scale"),
        "y",
        "dy_0",
        &*y,
        &*dy_0,
    );
    let mut __place_0 = ::core::mem::ManuallyDrop::new(factor);
    let mut __gradient_0: f64 = ::autodiff::__private::zero::<f64>();
    unsafe {
        ::autodiff::__private::call(
            const {
                #[allow(unused_imports)]
                use ::autodiff::__private::NoLayout as _;
                &::autodiff::__private::Site::new(
                        ::autodiff::__private::Mode::Reverse,
                        1u32,
                        ::autodiff::__private::shim::<
                            (
                                *const f64,
                                *const f64,
                                ::core::primitive::usize,
                                *mut f64,
                                ::core::primitive::usize,
                            ),
                            _,
                        >(
                            &|
                                __pointer_0: *const f64,
                                __pointer_1: *const f64,
                                __length_1: ::core::primitive::usize,
                                __pointer_2: *mut f64,
                                __length_2: ::core::primitive::usize|
                            {
                                unsafe {
                                    scale(
                                        ::core::ptr::read(__pointer_0),
                                        &*::core::ptr::slice_from_raw_parts(
                                            __pointer_1,
                                            __length_1,
                                        ),
                                        &mut *::core::ptr::slice_from_raw_parts_mut(
                                            __pointer_2,
                                            __length_2,
                                        ),
                                    );
                                }
                            },
                        ),
                        const {
                            &[
                                ::autodiff::__private::Param::exclusive(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<f64>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::pointer(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<[f64]>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::INTEGER,
                                ::autodiff::__private::Param::exclusive(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<[f64]>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::INTEGER,
                            ]
                        },
                        ::core::concat!(::core::module_path!(), "::", "scale"),
                    )
                    .at(::core::file!(), ::core::line!(), ::core::column!())
            },
            [
                ::autodiff::__private::place(&raw mut __place_0),
                ::autodiff::__private::place(&raw mut __gradient_0),
                ::autodiff::__private::elements(&*x),
                ::autodiff::__private::elements_mut(&mut *dx_0),
                ::autodiff::__private::length(__length_1),
                ::autodiff::__private::elements_mut(&mut *y),
                ::autodiff::__private::elements_mut(&mut *dy_0),
                ::autodiff::__private::length(__length_2),
            ],
        )
    };
    __gradient_0
}
