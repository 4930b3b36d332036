//! LLVM's intrusive lists as iterators.

/// Makes an iterator type over a list given by "first of parent" and "next of item". The next item
/// is fetched before the current one is handed out, so erasing the current one is fine.
macro_rules! list {
    ($(#[$doc:meta])* $name:ident: $item:ident, $next:path) => {
        $(#[$doc])*
        pub(crate) struct $name<'c> {
            next: Option<$item<'c>>,
        }

        impl<'c> $name<'c> {
            pub(super) fn from(first: Option<$item<'c>>) -> Self {
                $name { next: first }
            }
        }

        impl<'c> Iterator for $name<'c> {
            type Item = $item<'c>;

            fn next(&mut self) -> Option<$item<'c>> {
                let current = self.next?;
                // SAFETY: `current` has not been handed out yet, so it is still in its list.
                self.next = unsafe { $item::wrap($next(current.raw())) };
                Some(current)
            }
        }
    };
}

pub(super) use list;
