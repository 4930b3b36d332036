//! Object files from the C compiler, as small as they can be, read, changed, linked and run.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use autodiff_enzyme::protocol::{Activity, Layout, Location, Mode, Param};
use fs_err as fs;
use tempfile::TempDir;

use super::{
    archive,
    elf::Elf,
    inputs::{self, Inputs},
    patch::{self, Changes, Pointer},
    site::{self, Record},
};

/// A program with a derivative call: its record, a local shim, and a local static that a derivative may
/// want to use.
const PROGRAM: &str = r#"
    struct layout;
    struct field { unsigned long offset; const struct layout *layout; };
    struct layout {
        unsigned kind, reserved;
        unsigned long size, count;
        const struct field *fields;
        unsigned long fields_len;
    };
    struct param { unsigned kind, activity; const struct layout *layout; };
    struct site {
        char magic[16];
        const void *shim, *derivative;
        const struct param *params;
        unsigned long params_len;
        const char *name;
        unsigned long name_len;
        unsigned mode, width;
        const char *file;
        unsigned long file_len;
        unsigned line, column;
        const char *reason;
    };
    static int state = 40;
    static void shim(void) { state++; }
    static const struct layout f64 = { 2, 0, 8, 1 };
    static const struct field element = { 0, &f64 };
    static const struct layout slice = { 5, 0, 8, ~0ul, &element, 1 };
    static const struct field members[] = { { 0, &slice }, { 16, 0 } };
    static const struct layout pair = { 4, 0, 24, 1, members, 2 };
    static const struct param params[] = { { 1, 1, &pair }, { 0, 0 }, { 2, 2, &f64 } };
    const struct site record = {
        "\x7f" "autodiff site\x03", shim, 0, params, 3, "loss", 4, 1, 2, "src/main.rs", 11, 7, 5,
    };
    int run(void) {
        int (*derivative)(void) = (int (*)(void))((volatile const struct site *)&record)->derivative;
        const char *reason = ((volatile const struct site *)&record)->reason;
        return derivative ? derivative() : reason ? *reason : 1;
    }
"#;

struct Fixture {
    dir: TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn cc(&self, arguments: &[&str]) {
        let status = Command::new("cc").args(arguments).current_dir(self.dir.path()).status().unwrap();
        assert!(status.success());
    }

    fn compile(&self, name: &str, source: &str) -> PathBuf {
        fs::write(self.path(&format!("{name}.c")), source).unwrap();
        self.cc(&["-c", "-O1", "-fPIC", "-fdata-sections", "-ffunction-sections", &format!("{name}.c")]);
        self.path(&format!("{name}.o"))
    }

    fn run(&self, objects: &[&Path]) -> i32 {
        self.compile("main", "int run(void); int main(void) { return run(); }");
        let objects: Vec<_> = objects.iter().map(|o| o.to_str().unwrap()).collect();
        self.cc(&[&["main.o", "-o", "program"], &*objects].concat());
        Command::new(self.path("program")).status().unwrap().code().unwrap()
    }
}

fn pointer_to_derivative(record: &Record) -> Pointer {
    pointer(record, site::DERIVATIVE, &record.site.symbol)
}

fn pointer(record: &Record, field: u64, symbol: &str) -> Pointer {
    Pointer { section: record.section, offset: record.offset + field, symbol: symbol.to_owned() }
}

#[test]
fn reads_records() {
    let fixture = Fixture::new();
    let data = fs::read(fixture.compile("program", PROGRAM)).unwrap();
    let records = site::find(&[Elf::parse(&data).unwrap()]).unwrap();
    let [Record { site, .. }] = &*records else { panic!("{records:?}") };
    let f64 = Layout::Float { size: 8 };
    let slice = Layout::Array { stride: 8, count: None, element: Box::new(f64.clone()) };
    let pair = Layout::Struct { size: 24, fields: vec![(0, slice), (16, Layout::Unknown)] };
    assert_eq!(site.shim, "shim");
    assert_eq!(site.name, "loss");
    assert_eq!(site.location, Some(Location { file: "src/main.rs".into(), line: 7, column: 5 }));
    assert_eq!((site.mode, site.width), (Mode::Forward, 2));
    assert_eq!(
        site.params,
        [
            Param { integer: false, exclusive: false, activity: Activity::Duplicated, layout: Some(pair) },
            Param { integer: true, exclusive: false, activity: Activity::Const, layout: None },
            Param { integer: false, exclusive: true, activity: Activity::DuplicatedOnly, layout: Some(f64) },
        ]
    );
}

#[test]
fn names_derivatives_by_what_they_are() {
    let fixture = Fixture::new();
    let symbol = |name: &str, source: &str| {
        let data = fs::read(fixture.compile(name, source)).unwrap();
        site::find(&[Elf::parse(&data).unwrap()]).unwrap().remove(0).site.symbol
    };
    let original = symbol("a", PROGRAM);
    assert_eq!(symbol("b", &PROGRAM.replace("11, 7, 5", "11, 8, 9")), original);
    assert_ne!(symbol("c", &PROGRAM.replace("4, 1, 2", "4, 0, 2")), original);
}

#[test]
fn changed_object_calls_the_derivative() {
    let fixture = Fixture::new();
    let program = fixture.compile("program", PROGRAM);
    assert_eq!(fixture.run(&[&program]), 1);

    let data = fs::read(&program).unwrap();
    let elf = Elf::parse(&data).unwrap();
    let record = site::find(&[Elf::parse(&data).unwrap()]).unwrap().remove(0);
    let state = elf.definition_of_local("state").unwrap();
    assert!(!elf.global("state"));
    let changes = Changes {
        pointers: vec![pointer_to_derivative(&record)],
        exports: vec![(state, "state".into()), (state, "alias".into())],
    };
    let copy = patch::apply(&elf, &changes).unwrap();
    assert!(site::find(&[Elf::parse(&copy).unwrap()]).unwrap().is_empty());
    assert!(Elf::parse(&copy).unwrap().global("alias"));
    fs::write(fixture.path("copy.o"), &copy).unwrap();
    let source =
        format!("extern int state, alias; int {}(void) {{ state++; return ++alias; }}", record.site.symbol);
    let derivative = fixture.compile("derivative", &source);
    assert_eq!(fixture.run(&[&fixture.path("copy.o"), &derivative]), 42);
}

#[test]
fn changed_object_knows_why_there_is_no_derivative() {
    let fixture = Fixture::new();
    let data = fs::read(fixture.compile("program", PROGRAM)).unwrap();
    let elf = Elf::parse(&data).unwrap();
    let record = site::find(&[Elf::parse(&data).unwrap()]).unwrap().remove(0);
    let changes = Changes { pointers: vec![pointer(&record, site::REASON, "reason")], ..Changes::default() };
    let copy = patch::apply(&elf, &changes).unwrap();
    assert!(site::find(&[Elf::parse(&copy).unwrap()]).unwrap().is_empty());
    fs::write(fixture.path("copy.o"), &copy).unwrap();
    let text = fixture.compile("text", "const char reason[] = \"7\";");
    assert_eq!(fixture.run(&[&fixture.path("copy.o"), &text]), i32::from(b'7'));
}

#[test]
fn other_versions_are_noticed() {
    let fixture = Fixture::new();
    let older = PROGRAM.replace("site\\x03", "site\\x01");
    let data = fs::read(fixture.compile("program", &older)).unwrap();
    let error = site::find(&[Elf::parse(&data).unwrap()]).unwrap_err().to_string();
    assert!(error.contains("different versions"), "{error}");
}

#[test]
fn changed_archive_keeps_its_members() {
    let fixture = Fixture::new();
    let program = fs::read(fixture.compile("program", PROGRAM)).unwrap();
    let other = fs::read(fixture.compile("other", "int other(void) { return 0; }")).unwrap();
    let members: [archive::Member; 3] = [
        ("lib.rmeta".into(), site::MAGIC),
        ("a-name-that-does-not-fit-into-the-header.o".into(), &program),
        ("other.o".into(), &other),
    ];
    let original = fixture.path("liboriginal.a");
    archive::write(&original, b"!<arch>\n", &members).unwrap();

    let files = inputs::read(std::slice::from_ref(&original)).unwrap();
    let inputs = Inputs::parse(&files).unwrap();
    let record = site::find(&inputs.objects).unwrap().remove(0);
    let mut changes: Vec<_> = inputs.objects.iter().map(|_| Changes::default()).collect();
    changes[record.object].pointers.push(pointer_to_derivative(&record));
    let copies = inputs.write_changed(&changes, &fixture.path("copies")).unwrap();
    let [(from, copy)] = &*copies else { panic!("{copies:?}") };
    assert_eq!(*from, original);

    let content = fs::read(copy).unwrap();
    let kept = archive::members(&content).unwrap();
    assert_eq!(kept.iter().map(|m| &*m.0).collect::<Vec<_>>(), members.each_ref().map(|m| &*m.0));
    assert_eq!(kept[2].1, other);
    assert!(kept[1].1.len() > program.len());
    let source = format!("int {}(void) {{ return 7; }}", record.site.symbol);
    assert_eq!(fixture.run(&[copy, &fixture.compile("derivative", &source)]), 7);
}

#[test]
fn other_kinds_of_objects_are_noticed() {
    let mut data = b"\xcf\xfa\xed\xfe".to_vec();
    data.resize(64, 0);
    data.extend(site::MAGIC);
    let files = [inputs::InputFile { path: "a.o".into(), data }];
    assert_eq!(Inputs::parse(&files).unwrap().foreign, Some(object::FileKind::MachO64));
}
