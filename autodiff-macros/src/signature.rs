//! What a derivative looks like from outside.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Type;
use syn::ext::IdentExt;

use crate::activity::{Activity, Mode};
use crate::args::Args;
use crate::primal::{Parameter, Primal, mutable};

/// A parameter of the primal, what happens to it, and its shadows.
pub(crate) struct Argument {
    pub(crate) parameter: Parameter,
    pub(crate) activity: Activity,
    pub(crate) shadows: Vec<Ident>,
}

/// A derivative, all but its body.
pub(crate) struct Derivative {
    pub(crate) mode: Mode,
    pub(crate) width: u32,
    pub(crate) arguments: Vec<Argument>,
    /// Type and activity of the return value.
    pub(crate) output: Option<(Type, Activity)>,
    /// Name of the seed parameter.
    pub(crate) seed: Option<Ident>,
    /// Whether the primal writes out `-> ()`.
    writes_unit: bool,
}

impl Derivative {
    /// Puts a function and its activities together.
    pub(crate) fn new(mode: Mode, args: &Args, primal: &Primal, parameters: Vec<Parameter>) -> Self {
        let output = primal.output().cloned().zip(args.activities.last().map(|(activity, _)| *activity));
        let seeded =
            mode == Mode::Reverse && matches!(output, Some((_, Activity::Active | Activity::ActiveOnly)));
        let mut names: Vec<String> = parameters.iter().map(|parameter| parameter.name.to_string()).collect();
        let arguments = parameters
            .into_iter()
            .zip(&args.activities)
            .map(|(parameter, (activity, _))| {
                let shadows = shadows(mode, args.width, *activity, &parameter.name, &mut names);
                Argument { parameter, activity: *activity, shadows }
            })
            .collect();
        Self {
            mode,
            width: args.width,
            arguments,
            output,
            seed: seeded.then(|| unique("dret".to_owned(), &mut names)),
            writes_unit: primal.writes_unit(),
        }
    }

    /// Whether the caller must know that an argument's contents are scratch afterwards.
    pub(crate) fn is_unsafe(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument.activity, Activity::DualOnly | Activity::DuplicatedOnly))
    }

    /// The parameters, in order.
    pub(crate) fn inputs(&self) -> Vec<TokenStream> {
        let mut inputs = Vec::new();
        for argument in &self.arguments {
            inputs.push(argument.parameter.declaration.clone());
            let ty = argument.shadow_type();
            inputs.extend(argument.shadows.iter().map(|shadow| quote!(#shadow: #ty)));
        }
        if let (Some(seed), Some((ty, _))) = (&self.seed, &self.output) {
            let ty = self.widened(ty);
            inputs.push(quote!(#seed: #ty));
        }
        inputs
    }

    /// The return type.
    pub(crate) fn result(&self) -> TokenStream {
        let width = self.width as usize;
        match self.mode {
            Mode::Reverse => self.reverse_result(),
            Mode::Forward => match &self.output {
                None => quote!(()),
                Some((ty, Activity::Dual)) if width > 1 => {
                    let length = width + 1;
                    quote!([#ty; #length])
                }
                Some((ty, Activity::DualOnly | Activity::DualvOnly)) if width > 1 => quote!([#ty; #width]),
                Some((ty, Activity::Dual | Activity::Dualv)) => quote!((#ty, #ty)),
                Some((ty, _)) => ty.to_token_stream(),
            },
        }
    }

    /// The type of gradients and seeds: with a width, there is one for each direction.
    pub(crate) fn widened(&self, ty: &Type) -> TokenStream {
        match self.width as usize {
            1 => ty.to_token_stream(),
            width => quote!([#ty; #width]),
        }
    }

    fn reverse_result(&self) -> TokenStream {
        let gradients = self
            .arguments
            .iter()
            .filter(|argument| argument.activity == Activity::Active)
            .map(|argument| self.widened(&argument.parameter.ty));
        let mut parts: Vec<_> = self.returned_primal().into_iter().collect();
        parts.extend(gradients);
        tuple(&parts)
    }

    /// Type of the primal value in a reverse derivative's result. A literal `-> ()` counts, if
    /// there are gradients to stand beside it.
    pub(crate) fn returned_primal(&self) -> Option<TokenStream> {
        match &self.output {
            Some((_, Activity::ActiveOnly)) => None,
            Some((ty, _)) => Some(ty.to_token_stream()),
            None => self.writes_unit.then(|| quote!(())),
        }
    }
}

impl Argument {
    /// Type of the shadows.
    pub(crate) fn shadow_type(&self) -> Type {
        if self.activity.is_duplicated() { mutable(&self.parameter.ty) } else { self.parameter.ty.clone() }
    }
}

/// One part bare, others as a tuple: the way gradients are returned.
pub(crate) fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => one.clone(),
        parts => quote!((#(#parts),*)),
    }
}

fn shadows(mode: Mode, width: u32, activity: Activity, name: &Ident, names: &mut Vec<String>) -> Vec<Ident> {
    let prefix = match mode {
        Mode::Forward => "b",
        Mode::Reverse => "d",
    };
    let count = match activity {
        Activity::Const | Activity::Active | Activity::ActiveOnly => 0,
        Activity::Dualv | Activity::DualvOnly => 1,
        _ => width,
    };
    let name = name.unraw();
    (0..count).map(|index| unique(format!("{prefix}{name}_{index}"), names)).collect()
}

/// The name, longer if a parameter has it.
fn unique(mut name: String, names: &mut Vec<String>) -> Ident {
    while names.contains(&name) {
        name.push('_');
    }
    names.push(name.clone());
    Ident::new(&name, Span::mixed_site())
}
