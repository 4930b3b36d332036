//! Allocations of nothing. For a collection without elements std neither allocates nor frees, so
//! an allocation that depends on a length is made on one of two ways. Enzyme then neither
//! recognises it nor tells it from other memory, and keeps far more than it needs. So the branch
//! goes: to Enzyme, nothing is allocated like anything else, and afterwards each call looks at its
//! size.

use crate::llvm::{Block, Builder, Context, Function, Instruction, Linkage, Module, Opcode, Place, Value};

/// What the branch is inlined by: no pass that would turn one branch into many.
pub(super) const PIPELINE: &str =
    "always-inline,cgscc(inline,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg))";

/// Makes allocations and frees unconditional that depend on a size only.
pub(super) fn join<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    for block in functions.flat_map(Function::blocks).collect::<Vec<_>>() {
        let Some(branch) = block.terminator() else { continue };
        let Some((size, empty, full)) = by_size(branch) else { continue };
        let calls = Calls { size, from: block, empty: branch.successors()[empty] };
        let full_block = branch.successors()[full];
        if let Some(call) = calls.frees(full_block).or_else(|| calls.allocates(full_block)) {
            let reached = full_block.terminator().into_iter().flat_map(Instruction::successors);
            let reached = reached.filter(|it| is_harmless(*it)).chain([full_block]);
            reached.collect::<Vec<_>>().into_iter().for_each(forget_assumptions);
            // What was known of the size came from the branch.
            for param in 0..call.arguments().len() as u32 {
                call.remove_call_attribute(Place::Param(param), "range");
            }
            branch.set_operand(0, context.int(1).constant(u64::from(full == 0)));
        }
    }
}

/// A branch on whether a number is zero: the number, and which successor is for zero and which not.
fn by_size(branch: Instruction<'_>) -> Option<(Value<'_>, usize, usize)> {
    let compare = branch.condition()?.as_instruction()?;
    let equal = compare.compares_equality()?;
    let zero = compare.operand(1).as_integer() == Some(0);
    zero.then_some(if equal { (compare.operand(0), 0, 1) } else { (compare.operand(0), 1, 0) })
}

/// A branch being looked at.
struct Calls<'c> {
    /// What is compared with zero.
    size: Value<'c>,
    from: Block<'c>,
    /// Where it goes for zero.
    empty: Block<'c>,
}

impl<'c> Calls<'c> {
    /// Whether a block only frees memory of that size, and then goes where it goes for zero.
    fn frees(&self, block: Block<'c>) -> Option<Instruction<'c>> {
        let free = only_call(block, "__rust_dealloc")?;
        let joins = block.terminator()?.successors() == [self.empty];
        (joins && self.is_size(free.operand(1)) && self.agree(block, None)).then_some(free)
    }

    /// Whether a block only allocates memory of that size, and then goes where it goes for zero.
    fn allocates(&self, block: Block<'c>) -> Option<Instruction<'c>> {
        let allocate =
            ["__rust_alloc", "__rust_alloc_zeroed"].iter().find_map(|name| only_call(block, name))?;
        // Where it goes when there is no memory does not matter: there is always enough of nothing.
        let branch = block.terminator()?;
        let (pointer, _, succeeded) = by_null(branch)?;
        let next = branch.successors()[succeeded];
        let last = if next == self.empty { block } else { next };
        let joins = last == block || (is_harmless(last) && last.terminator()?.successors() == [self.empty]);
        let same = pointer == allocate.value() && self.is_size(allocate.operand(0));
        (joins && same && self.agree(last, Some(allocate))).then_some(allocate)
    }

    /// Whether a number of bytes is zero exactly when the number compared is: the number itself, or
    /// it times the size of an element, which std has made sure does not overflow.
    fn is_size(&self, bytes: Value<'c>) -> bool {
        bytes == self.size
            || factor(bytes) == Some(self.size)
            || factor(self.size) == Some(bytes)
            || factor(bytes).is_some_and(|count| factor(self.size) == Some(count))
    }

    /// Whether everything that `empty` takes from its predecessors is the same from both.
    fn agree(&self, last: Block<'c>, allocate: Option<Instruction<'c>>) -> bool {
        let phis = self.empty.instructions().take_while(|it| it.opcode() == Opcode::Phi);
        phis.into_iter().all(|phi| {
            let from =
                |block| phi.incoming().into_iter().find(|(_, it)| *it == block).map(|(value, _)| value);
            let (Some(zero), Some(other)) = (from(self.from), from(last)) else { return false };
            zero == other
                || allocate.is_some_and(|call| {
                    let align = call.operand(1).as_integer();
                    let address = other == call.value() || is_address_of(other, call);
                    address && zero.as_address().is_some() && zero.as_address() == align
                })
                || zero.as_integer() == Some(0) && self.is_size(other)
        })
    }
}

/// The only call of a block whose other instructions have no effect, if it is of `name`.
fn only_call<'c>(block: Block<'c>, name: &str) -> Option<Instruction<'c>> {
    let mut calls = block.instructions().filter(|it| !is_without_effect(*it));
    let call = calls.next().filter(|it| it.callee().is_some_and(|callee| callee.name() == name));
    call.filter(|_| calls.next().is_none())
}

/// What a value is a constant multiple of.
fn factor(value: Value<'_>) -> Option<Value<'_>> {
    value.as_instruction()?.factor()
}

/// Whether a block does nothing but compute.
fn is_harmless(block: Block<'_>) -> bool {
    block.instructions().all(is_without_effect)
}

fn is_without_effect(instruction: Instruction<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Call => instruction.callee().is_some_and(|callee| callee.name() == ASSUME),
        Opcode::Branch | Opcode::ICmp | Opcode::PtrToInt => true,
        _ => instruction.factor().is_some(),
    }
}

const ASSUME: &str = "llvm.assume";

/// Removes what is assumed in a block, which may hold only where something is allocated.
fn forget_assumptions(block: Block<'_>) {
    let calls: Vec<_> = block.instructions().filter(|it| it.is_call()).collect();
    let assumes = calls.into_iter().filter(|it| it.callee().is_some_and(|callee| callee.name() == ASSUME));
    assumes.for_each(Instruction::erase);
}

fn is_address_of<'c>(value: Value<'c>, of: Instruction<'c>) -> bool {
    value.as_instruction().is_some_and(|it| it.opcode() == Opcode::PtrToInt && it.operand(0) == of.value())
}

/// A branch on whether a pointer is null: the pointer, and which successor is for null and which not.
fn by_null(branch: Instruction<'_>) -> Option<(Value<'_>, usize, usize)> {
    let compare = branch.condition()?.as_instruction()?;
    let equal = compare.compares_equality()?;
    let pointer = compare.operand(0);
    let null = pointer.ty().is_pointer() && compare.operand(1).is_null();
    null.then_some(if equal { (pointer, 0, 1) } else { (pointer, 1, 0) })
}

/// Has every allocation and free that may be of nothing look at its size again.
pub(super) fn split<'c>(context: &'c Context, module: &Module<'c>) {
    for name in ["__rust_alloc", "__rust_alloc_zeroed", "__rust_dealloc"] {
        let Some(function) = module.function(name) else { continue };
        let frees = name == "__rust_dealloc";
        let size = u32::from(frees);
        let calls = function.users().into_iter().filter_map(Value::as_instruction);
        let calls: Vec<_> = calls
            .filter(|call| {
                call.callee() == Some(function)
                    && call.operand(size).as_integer().is_none_or(|size| size == 0)
            })
            .collect();
        if calls.is_empty() {
            continue;
        }
        let checked = checked(context, module, function, size);
        for call in calls {
            call.set_callee(checked);
        }
    }
}

/// `function`, unless the size is zero.
fn checked<'c>(context: &'c Context, module: &Module<'c>, function: Function<'c>, size: u32) -> Function<'c> {
    let checked = module.add_function(&format!("{}_unless_empty", function.name()), function.signature());
    checked.set_linkage(Linkage::Internal);
    let entry = checked.append_block(context, c"entry");
    let (empty, full) = (checked.append_block(context, c"empty"), checked.append_block(context, c"full"));
    let zero = context.int(64).constant(0);
    let entry = Builder::at_end(context, entry);
    entry.branch_if(entry.equal(checked.param(size), zero), empty, full);
    let params: Vec<_> = (0..checked.param_count()).map(|index| checked.param(index)).collect();
    let (empty, full) = (Builder::at_end(context, empty), Builder::at_end(context, full));
    let result = full.call(function, &params);
    if result.ty().is_pointer() {
        full.return_value(result.value());
        // Where std has the elements of an empty collection: at the alignment.
        empty.return_value(empty.pointer(result.ty(), checked.param(1)));
    } else {
        full.return_void();
        empty.return_void();
    }
    checked
}
