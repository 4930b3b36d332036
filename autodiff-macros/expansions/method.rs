// #[autodiff_reverse(d_height, Duplicated, Const, Active)]
// pub(crate) fn height(&self, at: usize) -> f64 {
//     self.heights[at]
// }

pub(crate) fn height(&self, at: usize) -> f64 {
    self.heights[at]
}
///Reverse-mode derivative of `height`: `self` Duplicated, `at` Const, return value Active.
#[allow(
    deprecated,
    unused_unsafe,
    clippy::too_many_arguments,
    clippy::used_underscore_binding
)]
#[track_caller]
pub(crate) fn d_height(&self, dself_0: &mut Self, at: usize, dret: f64) -> f64 {
    #[allow(unused_imports)]
    use ::autodiff::__private::NoLayout as _;
    ::autodiff::__private::Probe::<
        Self,
    >::check(
        ::core::concat!(::core::module_path!(), "::", "d_height"),
        "self",
        "dself_0",
        &*self,
        &*dself_0,
    );
    ::autodiff::__private::check_distinct(
        ::core::concat!(::core::module_path!(), "::", "d_height"),
        "self",
        "dself_0",
        &*self,
        &*dself_0,
    );
    let mut __place_0 = ::core::mem::ManuallyDrop::new(self);
    let mut __shadow_0_0 = ::core::mem::ManuallyDrop::new(dself_0);
    const {
        ::autodiff::__private::check_shared(::autodiff::__private::Probe::<Self>::SHARED)
    };
    let mut __place_1 = ::core::mem::ManuallyDrop::new(at);
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
                            (
                                *const &Self,
                                *const usize,
                                *mut ::core::mem::MaybeUninit<f64>,
                            ),
                            _,
                        >(
                            &|
                                __pointer_0: *const &Self,
                                __pointer_1: *const usize,
                                __out: *mut ::core::mem::MaybeUninit<f64>|
                            {
                                unsafe {
                                    *__out = ::core::mem::MaybeUninit::new(
                                        Self::height(
                                            ::core::ptr::read(__pointer_0),
                                            ::core::ptr::read(__pointer_1),
                                        ),
                                    );
                                }
                            },
                        ),
                        const {
                            &[
                                ::autodiff::__private::Param::exclusive(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<&Self>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::exclusive(
                                    ::autodiff::__private::Activity::Const,
                                    ::autodiff::__private::Probe::<usize>::LAYOUT,
                                ),
                                ::autodiff::__private::Param::exclusive(
                                    ::autodiff::__private::Activity::Duplicated,
                                    ::autodiff::__private::Probe::<f64>::LAYOUT,
                                ),
                            ]
                        },
                        ::core::concat!(::core::module_path!(), "::", "height"),
                    )
                    .at(::core::file!(), ::core::line!(), ::core::column!())
            },
            [
                ::autodiff::__private::place(&raw mut __place_0),
                ::autodiff::__private::place(&raw mut __shadow_0_0),
                ::autodiff::__private::place(&raw mut __place_1),
                ::autodiff::__private::place(&raw mut __out),
                ::autodiff::__private::place(&raw mut __seed),
            ],
        )
    };
    unsafe { __out.assume_init() }
}
