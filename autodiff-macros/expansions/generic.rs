// #[autodiff_forward(slope, Const, Dual, Dual, crate = derivatives)]
// fn apply<T: Copy>(f: impl Fn(T) -> T, x: T) -> T {
//     f(x)
// }

fn apply<T: Copy>(f: impl Fn(T) -> T, x: T) -> T {
    f(x)
}
///Forward-mode derivative of `apply`: `f` Const, `x` Dual, return value Dual.
#[allow(
    deprecated,
    unused_unsafe,
    clippy::too_many_arguments,
    clippy::used_underscore_binding
)]
#[track_caller]
fn slope<T: Copy, __Impl0: Fn(T) -> T>(f: __Impl0, x: T, bx_0: T) -> (T, T) {
    #[allow(unused_imports)]
    use derivatives::__private::NoLayout as _;
    derivatives::__private::Probe::<
        T,
    >::check(
        ::core::concat!(::core::module_path!(), "::", "slope"),
        "x",
        "bx_0",
        &x,
        &bx_0,
    );
    let mut __place_0 = ::core::mem::ManuallyDrop::new(f);
    let mut __place_1 = ::core::mem::ManuallyDrop::new(x);
    let mut __shadow_1_0 = ::core::mem::ManuallyDrop::new(bx_0);
    const { derivatives::__private::check_result::<T>() };
    let mut __out = ::core::mem::MaybeUninit::<T>::uninit();
    let mut __tangent_0 = ::core::mem::MaybeUninit::<T>::zeroed();
    unsafe {
        derivatives::__private::call(
            const {
                #[allow(unused_imports)]
                use derivatives::__private::NoLayout as _;
                &derivatives::__private::Site::new(
                        derivatives::__private::Mode::Forward,
                        1u32,
                        derivatives::__private::shim::<
                            (*const __Impl0, *const T, *mut ::core::mem::MaybeUninit<T>),
                            _,
                        >(
                            &|
                                __pointer_0: *const __Impl0,
                                __pointer_1: *const T,
                                __out: *mut ::core::mem::MaybeUninit<T>|
                            {
                                unsafe {
                                    *__out = ::core::mem::MaybeUninit::new(
                                        apply::<
                                            T,
                                        >(
                                            ::core::ptr::read(__pointer_0),
                                            ::core::ptr::read(__pointer_1),
                                        ),
                                    );
                                }
                            },
                        ),
                        const {
                            &[
                                derivatives::__private::Param::exclusive(
                                    derivatives::__private::Activity::Const,
                                    derivatives::__private::Probe::<__Impl0>::LAYOUT,
                                ),
                                derivatives::__private::Param::exclusive(
                                    derivatives::__private::Activity::Duplicated,
                                    derivatives::__private::Probe::<T>::LAYOUT,
                                ),
                                derivatives::__private::Param::exclusive(
                                    derivatives::__private::Activity::Duplicated,
                                    derivatives::__private::Probe::<T>::LAYOUT,
                                ),
                            ]
                        },
                        ::core::concat!(::core::module_path!(), "::", "apply"),
                    )
                    .at(::core::file!(), ::core::line!(), ::core::column!())
            },
            [
                derivatives::__private::place(&raw mut __place_0),
                derivatives::__private::place(&raw mut __place_1),
                derivatives::__private::place(&raw mut __shadow_1_0),
                derivatives::__private::place(&raw mut __out),
                derivatives::__private::place(&raw mut __tangent_0),
            ],
        )
    };
    (unsafe { __out.assume_init() }, unsafe { __tangent_0.assume_init() })
}
