//! What engines really said, shortened where dumps are long.

use super::*;

/// The beginning of a complaint about a function.
fn about(function: &str, said: &str) -> String {
    format!("error: <unknown>:0:0: in function {function} void (ptr, i64, ptr): Enzyme: {said}\n\n")
}

/// A module that the engine dumps before what it has to say, with things that look like it.
const DUMP: &str = r#"; ModuleID = 'catalyst_module'
target triple = "x86_64-unknown-linux-gnu"

@anon.70 = internal constant [40 x i8] c"internal error: entered unreachable code", align 1
@anon.71 = internal constant [77 x i8] c"fatal runtime error: assertion failed: key as usize != KEY_SENTVAL, aborting\0A"

define internal void @shim(ptr %0, i64 %1, ptr %2) #0 {
entry:
  br i1 %3, label %error, label %4

error:                                            ; preds = %entry
  unreachable
}

oval=  %7 = tail call noundef i64 @llvm.fshl.i64(i64 %6, i64 %6, i64 7) #10 icv=0
available inversion for ptr %0 of ptr %"'"
"#;

const STACK: &str = r#"PLEASE submit a bug report to https://example.org/issues/ and include the crash backtrace.
Stack dump:
0.	Program arguments: /home/me/.cache/engine --enzyme-fast-math=0 /tmp/x/prepared.bc
1.	Running pass "EnzymeNewPM" on module "catalyst_module"
 #0 0x000000000d8af7eb llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/home/me/engine+0xd8af7eb)
"#;

const ATOMIC: &str = r"; Function Attrs: mustprogress nonlazybind willreturn uwtable
define internal void @preprocess_shim(ptr noundef readonly captures(none) %0, i64 %1, ptr %2) #5 {
_RNvCsddHDd5vclAs_7snippet6atomic.exit:
  %7 = atomicrmw add ptr @_RNvCsddHDd5vclAs_7snippet1A, i64 %6 seq_cst, align 8, !noalias !14
  ret void
}

  %7 = atomicrmw add ptr @_RNvCsddHDd5vclAs_7snippet1A, i64 %6 seq_cst, align 8, !noalias !5
 Active atomic inst not yet handled";

const OPERATOR: &str = r"; Function Attrs: mustprogress nonlazybind willreturn uwtable
define internal void @preprocess_shim(ptr %0, i64 %1, ptr %2) #5 {
  %8 = udiv i64 %7, 3
  ret void
}

 constantarg[ptr %0] = 0 type: {[-1]:Pointer, [-1,8]:Float@double} - vals: {}
 constantinst[  %8 = udiv i64 %7, 3] = 0 val:0 type: {[-1]:Float@double}
cannot handle unknown binary operator:   %8 = udiv i64 %7, 3
";

const ANALYSIS: &str = r"<analysis>
ptr %0: {[-1]:Pointer}, intvals: {}
  %24 = uitofp i64 %.cast to double: {[-1]:Float@double}, intvals: {}
i64 %1: {[-1]:Integer}, intvals: {}
</analysis>
Illegal updateAnalysis prev:{[-1]:Float@double} new: {[-1]:Integer}
val:   %.cast = bitcast double %22 to i64 origin=  %24 = uitofp i64 %.cast to double
";

const CONSTANT_CALLEE: &str = r"; Function Attrs: nonlazybind uwtable
define internal void @preprocess_shim(ptr %0, i64 %1, ptr %2) #5 {
  ret void
}

in Mode: ReverseModeCombined
 orig:   %6 = call double %5(double %4) callval:   %5 = load ptr, ptr %3, align 8
 constant function being called, but active call instruction
";

const FAILED_CHECK: &str = "catalyst: /__w/some/where/Enzyme/GradientUtils.cpp:7205: llvm::Value* GradientUtils::lookupM(llvm::Value*): Assertion `isa<PHINode>(a)' failed.\n";
const LOST: &str = "catalyst: /__w/some/where/Enzyme/GradientUtils.cpp:6573: llvm::Value* GradientUtils::invertPointerM(llvm::Value*): Assertion `0 && \"cannot find deal with ptr that isnt arg\"' failed.\n";

fn what(text: &str) -> (Class, String) {
    let reason = reason(text);
    (reason.class, reason.what.unwrap_or_default())
}

#[test]
fn every_known_refusal_has_a_class() {
    let global = "cannot compute with global variable that doesn't have marked shadow global\n@_RNvCsddHDd5vclAs_7snippet1S = external global [72 x i8], align 8";
    let memset =
        "Cannot deduce type of memset   call void @llvm.memset.p0.i64(ptr %3, i8 0, i64 64, i1 false)";
    let value = "failed to deduce type of value   %.sroa.4 = alloca i64, align 8";
    let mystery = "No augmented forward pass found for mystery\n at context:   %6 = call double @mystery()";
    let loss = "_RNvCsddHDd5vclAs_7snippet4loss";
    let cases = [
        (mystery, Class::NoBody, "mystery"),
        ("No reverse pass found for mystery\n", Class::NoBody, "mystery"),
        ("No forward mode derivative found for mystery\n", Class::NoBody, "mystery"),
        ("No create nofree of empty function (syscall) syscall)", Class::NoBody, "syscall"),
        (global, Class::MutableStatic, loss),
        (memset, Class::Bytes, loss),
        (value, Class::Bytes, loss),
        ("Cannot deduce adding type (cast) of   %40 = bitcast i32 %39 to float", Class::Bytes, loss),
        ("No create nofree of unknown value\nptr %5", Class::Indirect, loss),
        (ATOMIC, Class::Atomic, loss),
        (OPERATOR, Class::Integers, loss),
        (ANALYSIS, Class::Bytes, loss),
    ];
    for (said, class, function) in cases {
        let reason = reason(&about(&format!("preprocess_{loss}"), said));
        assert_eq!((reason.class, reason.function.as_deref()), (class, Some(function)), "{said}");
    }
}

/// Whatever comes before, after or between, the user gets one line of words.
#[test]
fn nothing_of_a_dump_reaches_the_user() {
    let complaints = [ATOMIC, OPERATOR, ANALYSIS, CONSTANT_CALLEE, "something new", ""];
    let texts = complaints.map(|said| about("preprocess_shim", said)).into_iter();
    let texts = texts.chain([FAILED_CHECK, LOST, "", "Enzyme crashed\n"].map(str::to_owned));
    for said in texts {
        let variants =
            [said.clone(), format!("{DUMP}{said}"), format!("{said}{STACK}"), format!("{DUMP}{said}{STACK}")];
        for text in variants {
            let Some(what) = reason(&text).what else { continue };
            assert!(!what.contains('\n') && !what.is_empty(), "{what}");
            assert!(what.chars().count() < 200, "{what}");
            for word in
                ["; Function", "define ", "= internal", "; preds", "<analysis>", "/__w", "0x0", "in Mode"]
            {
                assert!(!what.contains(word), "`{word}` of\n{text}\nis in: {what}");
            }
        }
    }
}

#[test]
fn reason_comes_after_a_dump() {
    let expected = "constant function being called, but active call instruction";
    assert_eq!(what(&about("preprocess_shim", CONSTANT_CALLEE)), (Class::Refused, expected.to_owned()));
}

#[test]
fn offending_function_is_the_callee_or_the_one_complained_about() {
    let function = |text: &str| reason(text).function;
    let missing = "No augmented forward pass found for _RNvNtC1a1b1c(<a::b>::c)\n at context: x";
    assert_eq!(function(&about("preprocess__RNvC1a1f", missing)).as_deref(), Some("_RNvNtC1a1b1c"));
    assert_eq!(function(&about("preprocess__RNvC1a1f", ATOMIC)).as_deref(), Some("_RNvC1a1f"));
    assert_eq!(function(&about("fixaugmented__RNvC1a1f", "x")).as_deref(), Some("_RNvC1a1f"));
    let dumped = format!("{DUMP}{}", about("shim", "x"));
    assert_eq!(function(&dumped).as_deref(), Some("shim"));
    assert_eq!(function(DUMP), None);
    assert_eq!(function(""), None);
}

#[test]
fn failed_check_names_no_path_of_the_build_machine() {
    let expected = "Enzyme failed a check of its own (in GradientUtils.cpp)";
    assert_eq!(what(&format!("{DUMP}{FAILED_CHECK}{STACK}")), (Class::Failed, expected.to_owned()));
    assert_eq!(reason(&format!("{DUMP}{LOST}{STACK}")).class, Class::Address);
}

#[test]
fn crash_is_called_a_crash() {
    for text in [STACK.to_owned(), format!("{DUMP}{STACK}"), format!("{DUMP}{CRASHED}\n"), CRASHED.to_owned()]
    {
        assert_eq!(what(&text), (Class::Failed, "Enzyme crashed".to_owned()));
    }
    let text = format!("LLVM ERROR: out of memory\n{STACK}");
    assert_eq!(what(&text), (Class::Failed, "Enzyme needs more memory than there is".to_owned()));
}

#[test]
fn plain_words_are_passed_on() {
    let text = "Failed to load passes from 'x.so'. Request ignored.\nopt: unknown pass name 'enzyme'\n";
    assert_eq!(what(text), (Class::Refused, "opt: unknown pass name 'enzyme'".to_owned()));
    assert_eq!(what(""), (Class::Refused, "it gave no reason".to_owned()));
    let (_, what) = what(&about("f", &"very long ".repeat(100)));
    assert!(what.ends_with('…') && what.chars().count() < 200, "{what}");
}

#[test]
fn failures_are_known_again() {
    assert_eq!(key(&format!("{DUMP}{FAILED_CHECK}{STACK}")), Some("Assertion `isa<PHINode>(a)' failed."));
    assert_eq!(key(&about("preprocess_f", OPERATOR)), Some("cannot handle unknown binary operator:"));
    assert_eq!(key(&format!("{STACK}\n{CRASHED}\n")), None);
}

#[test]
fn guesses_about_numbers_are_complaints() {
    let remark = |what: &str| {
        format!(
            "remark: <unknown>:12:0: Cannot deduce type of store   store i64 %2, ptr %0, align 8, {what}, assumed {{[-1]:Pointer}}\n"
        )
    };
    assert_eq!(guess(&remark("!tbaa !3")), None);
    let text = format!("{}{}", remark("!tbaa !3"), remark("!autodiff_doubt !5"));
    let complaint = format!("error: {}", guess(&text).unwrap());
    assert_eq!((reason(&complaint).class, line(&complaint)), (Class::Bytes, Some(12)));
}

#[test]
fn functions_with_rules_are_named_as_the_user_does() {
    for (said, mode) in [("No forward mode derivative", "forward"), ("No augmented forward pass", "reverse")]
    {
        let text = about("preprocess_f", &format!("{said} found for __autodiff_custom_12.app.heat.solve"));
        let reason = reason(&text);
        assert_eq!((reason.class, reason.function), (Class::NoRule, None));
        let what =
            format!("`app::heat::solve` has no rule for {mode} mode, and its body is not differentiated");
        assert_eq!(reason.what, Some(what));
    }
}
