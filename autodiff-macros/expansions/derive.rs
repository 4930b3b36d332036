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
