// #[derive(Differentiable)]
// struct Layer<T> {
//     name: String,
//     weights: Vec<T>,
// }

#[automatically_derived]
impl<T: ::autodiff::__private::Describe> ::autodiff::__private::Describe for Layer<T> {
    const LAYOUT: &'static ::autodiff::__private::Layout = {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        &::autodiff::__private::Layout::structure(
            ::core::mem::size_of::<Self>(),
            const {
                &[
                    ::autodiff::__private::Field::new(
                        ::core::mem::offset_of!(Self, name),
                        ::autodiff::__private::Probe::<String>::LAYOUT,
                    ),
                    ::autodiff::__private::Field::new(
                        ::core::mem::offset_of!(Self, weights),
                        ::autodiff::__private::Probe::<Vec<T>>::LAYOUT,
                    ),
                ]
            },
        )
    };
    const SHAPED: ::core::primitive::bool = {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        false || ::autodiff::__private::Probe::<String>::SHAPED
            || ::autodiff::__private::Probe::<Vec<T>>::SHAPED
    };
    const FLOATS: ::core::primitive::bool = {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        false || ::autodiff::__private::Probe::<String>::FLOATS
            || ::autodiff::__private::Probe::<Vec<T>>::FLOATS
    };
    const SHARED: ::core::primitive::bool = {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        false || ::autodiff::__private::Probe::<String>::SHARED
            || ::autodiff::__private::Probe::<Vec<T>>::SHARED
    };
    #[inline]
    #[allow(unused_variables, unreachable_patterns)]
    fn difference(
        &self,
        shadow: &Self,
    ) -> ::core::option::Option<::autodiff::__private::Difference> {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        ::core::option::Option::None
            .or_else(|| ::autodiff::__private::Probe::<
                String,
            >::difference(&self.name, &shadow.name))
            .or_else(|| ::autodiff::__private::Probe::<
                Vec<T>,
            >::difference(&self.weights, &shadow.weights))
    }
    #[allow(unused_variables, unreachable_patterns)]
    fn owned(&self, addresses: &mut ::autodiff::__private::Addresses) {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        ::autodiff::__private::Probe::<String>::owned(&self.name, addresses);
        ::autodiff::__private::Probe::<Vec<T>>::owned(&self.weights, addresses);
    }
    #[allow(unused_variables, unreachable_patterns)]
    fn owns_only(
        &self,
        addresses: &[::core::primitive::usize],
    ) -> ::core::primitive::bool {
        #[allow(unused_imports)]
        use ::autodiff::__private::NoLayout as _;
        true && ::autodiff::__private::Probe::<String>::owns_only(&self.name, addresses)
            && ::autodiff::__private::Probe::<
                Vec<T>,
            >::owns_only(&self.weights, addresses)
    }
}
#[automatically_derived]
impl<T: ::autodiff::Differentiable> ::autodiff::Differentiable for Layer<T>
where
    for<'__part> String: ::autodiff::__private::Part<'__part>,
    for<'__part> Vec<T>: ::autodiff::__private::Part<'__part>,
{
    type View = Self;
    type Scalar = <Self as ::autodiff::Differentiable>::__Wider<::core::primitive::f32>;
    type __Wider<__Scalar: ::autodiff::Scalar> = <String as ::autodiff::Differentiable>::__Wider<
        <Vec<T> as ::autodiff::Differentiable>::__Wider<__Scalar>,
    >;
    const __FRESH: ::core::primitive::bool = false
        || <String as ::autodiff::Differentiable>::__FRESH
        || <Vec<T> as ::autodiff::Differentiable>::__FRESH;
    fn zero_tangent(&self) -> Self {
        match self {
            Self { name: ours_0, weights: ours_1 } => {
                Self {
                    name: ::autodiff::Differentiable::zero_tangent(ours_0),
                    weights: ::autodiff::Differentiable::zero_tangent(ours_1),
                }
            }
        }
    }
    #[inline]
    fn __view(&self) -> &Self {
        self
    }
    #[inline]
    fn __view_mut(&mut self) -> &mut Self {
        self
    }
    #[allow(unused_variables, unreachable_patterns)]
    fn __pairs(
        &self,
        other: &Self,
        visit: &mut impl ::core::ops::FnMut(
            ::core::primitive::f64,
            ::core::primitive::f64,
        ),
    ) {
        match (self, other) {
            (
                Self { name: ours_0, weights: ours_1, .. },
                Self { name: theirs_0, weights: theirs_1, .. },
            ) => {
                ::autodiff::Differentiable::__pairs(ours_0, theirs_0, visit);
                ::autodiff::Differentiable::__pairs(ours_1, theirs_1, visit);
            }
            _ => {}
        }
    }
    #[allow(unused_variables, unreachable_patterns)]
    fn __update(
        &mut self,
        new: &mut impl ::core::ops::FnMut(
            ::core::primitive::f64,
        ) -> ::core::primitive::f64,
    ) {
        match self {
            Self { name: ours_0, weights: ours_1, .. } => {
                ::autodiff::Differentiable::__update(ours_0, new);
                ::autodiff::Differentiable::__update(ours_1, new);
            }
            _ => {}
        }
    }
    #[allow(unused_variables, unreachable_patterns)]
    fn __update_with(
        &mut self,
        other: &Self,
        new: &mut impl ::core::ops::FnMut(
            ::core::primitive::f64,
            ::core::primitive::f64,
        ) -> ::core::primitive::f64,
    ) {
        match (self, other) {
            (
                Self { name: ours_0, weights: ours_1, .. },
                Self { name: theirs_0, weights: theirs_1, .. },
            ) => {
                ::autodiff::Differentiable::__update_with(ours_0, theirs_0, new);
                ::autodiff::Differentiable::__update_with(ours_1, theirs_1, new);
            }
            _ => {}
        }
    }
}
