//! The view "Your WGSL": what is typed, dropped and chosen in it, and the figures that follow, worked out by hand.

use eframe::App as _;
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use sectorscope::app::{Start, Told};
use sectorscope::engine::Event;
use sectorscope::record::Row;
use sectorscope::shader::wgsl_sha256;

use crate::fake::{Bench, Memory, device, document, row};

/// Reads a stride that is a uniform.
const STRIDED: &str = "struct Params { stride: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[g.x] = a[g.x * params.stride];
}";

fn opened() -> Bench {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Your WGSL").click();
    bench.run();
    bench.settle();
    bench
}

/// Replaces the text in the editor.
fn write(bench: &mut Bench, text: &str) {
    type_into(bench, Role::MultilineTextInput, "WGSL", text);
}

fn type_into(bench: &mut Bench, role: Role, label: &str, text: &str) {
    bench.harness.get_by_role_and_label(role, label).focus();
    bench.run();
    bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    bench.run();
    bench.harness.get_by_role_and_label(role, label).type_text(text);
    bench.run();
    bench.settle();
}

fn shows(bench: &Bench, text: &str) -> bool {
    bench.harness.query_by_label_contains(text).is_some()
}

/// The example: 256 x 256 numbers, 16 x 16 workgroups of 16 x 16 lanes, of which 48 are counted: 384 subgroups of 32 lanes,
/// each with one load.
/// A subgroup has two rows of y and 16 of x: 16 places 1024 bytes apart, each of two numbers beside each other. So 16
/// sectors a request, where 128 bytes fit into 4: 6144 against 1536, of the load and of the store.
#[test]
fn the_example_has_its_costs_beside_its_lines_and_a_cure_that_is_applied() {
    let mut bench = opened();
    bench.harness.get_by_label("Line 9: 384 requests, 6144 sectors, at best 1536");
    bench.harness.get_by_label("Line 10: 384 requests, 6144 sectors, at best 1536");
    bench.harness.get_by_label("Line 9 wastes most: 6144 sectors, where 1536 would do.");
    bench.harness.get_by_label("Asked 128 B · 16 sectors = 512 B · 25 % used");
    bench.harness.get_all_by_label_contains("Apply the cure of line 9").next().unwrap().click();
    bench.run();
    bench.settle();
    bench.harness.get_by_label("Line 9: 384 requests, 1536 sectors, at best 1536");
    bench.harness.get_by_label("No line costs more than it must.");
}

#[test]
fn an_error_is_shown_with_line_and_column_and_the_last_counts_stay() {
    let mut bench = opened();
    // Four blanks and 35 letters stand before the wrong name.
    write(&mut bench, &sectorscope::app::own::EXAMPLE.replace("* number", "* nummer"));
    assert!(shows(&bench, "line 10, column 40"));
    assert!(shows(&bench, "The counts are those of the last text that was valid."));
    bench.harness.get_by_label("Line 9: 384 requests, 6144 sectors, at best 1536, in the last text that was valid");
    assert!(bench.harness.get_by_label("Measure on this GPU").accesskit_node().is_disabled());
    assert!(bench.script.borrow().requests.is_empty());
}

/// 32 lanes, 4 bytes each, 4 x stride bytes apart: 4 x stride sectors until every lane has its own.
#[test]
fn a_stride_typed_into_the_inputs_changes_the_sectors() {
    let mut bench = opened();
    write(&mut bench, STRIDED);
    type_into(&mut bench, Role::TextInput, "Dispatch", "1");
    for (stride, sectors) in [("1", 4), ("2", 8), ("4", 16), ("64", 32)] {
        type_into(&mut bench, Role::TextInput, "params.stride", stride);
        let both = sectors + 4;
        // The load, the store, and the uniform, which every lane reads from one sector.
        let label = format!("Line 7: 3 requests, {} sectors, at best 9", both + 1);
        assert!(shows(&bench, &label), "stride {stride}: {label}");
    }
    // A size nobody can read is an error of its own setting, and the counts stay.
    type_into(&mut bench, Role::TextInput, "size of a", "much");
    assert!(shows(&bench, "buffer a: "));
    assert!(shows(&bench, "in the last text that was valid"));
}

#[test]
fn of_several_entry_points_one_is_chosen() {
    let mut bench = opened();
    let entry = |name: &str, step: u32| {
        format!(
            "@compute @workgroup_size(32) fn {name}(@builtin(global_invocation_id) g: vec3<u32>) {{ o[g.x * {step}u] = 1u; }}\n"
        )
    };
    let head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";
    write(&mut bench, &format!("{head}{}{}", entry("near", 1), entry("far", 8)));
    assert!(shows(&bench, "several compute entry points"));
    for (name, label) in
        [("near", "Line 2: 8 requests, 32 sectors, at best 32"), ("far", "Line 3: 8 requests, 256 sectors, at best 32")]
    {
        // Eight workgroups of one subgroup: 8 requests.
        bench.harness.get_by_label(name).click();
        type_into(&mut bench, Role::TextInput, "Dispatch", "8");
        assert!(shows(&bench, label), "{name}");
    }
}

#[test]
fn a_file_that_is_opened_brings_the_settings_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strided.wgsl");
    std::fs::write(&path, format!("\u{feff}{}", STRIDED.replace('\n', "\r\n"))).unwrap();
    std::fs::write(folder.path().join("strided.sectorscope.toml"), "uniform.params = { stride = 2 }\n").unwrap();
    let mut bench = opened();
    bench.harness.event(eframe::egui::Event::PointerGone);
    bench.harness.input_mut().dropped_files.push(dropped(&path));
    bench.run();
    bench.harness.input_mut().dropped_files.clear();
    let start = sectorscope::platform::now();
    while bench.state().own.file.is_none() && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(5));
        bench.run();
    }
    bench.settle();
    assert_eq!(bench.state().own.text, STRIDED);
    bench.harness.get_by_label("Line 7: 3 requests, 13 sectors, at best 9");
}

#[derive(Debug)]
struct File(std::path::PathBuf);

impl eframe::egui::DroppedFile for File {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

fn dropped(path: &std::path::Path) -> std::sync::Arc<dyn eframe::egui::DroppedFile + Send + Sync> {
    std::sync::Arc::new(File(path.to_owned()))
}

#[test]
fn a_line_that_is_clicked_is_looked_at_request_by_request() {
    let mut bench = opened();
    bench.harness.get_by_label("Line 10: 384 requests, 6144 sectors, at best 1536").click();
    bench.run();
    bench.harness.get_by_label("Line 10: stores to `halves`");
    // 256 lanes are 8 subgroups of 32.
    bench.harness.get_by_label("Subgroup 1/8");
    bench.harness.get_by_label("Next subgroup").click();
    bench.run();
    assert_eq!(bench.state().own.look.subgroup, 1);
}

#[test]
fn buffers_whose_contents_matter_are_marked() {
    let mut bench = opened();
    let text = "@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[places[g.x]] = 1u;
}";
    write(&mut bench, text);
    assert!(shows(&bench, "Its contents decide addresses of line 5. Nobody chose them"));
    type_into(&mut bench, Role::TextInput, "contents of places", "index");
    bench.harness.get_by_label("Its contents decide addresses of line 5.");
}

#[test]
fn measuring_asks_for_the_text_with_checks_and_its_row_stands_beside_the_prediction() {
    let mut bench = opened();
    bench.harness.get_by_label("Measure on this GPU").click();
    bench.run();
    let request = bench.script.borrow().requests[0].clone();
    let shader = &request.shaders[0];
    assert_eq!((shader.wgsl.as_str(), shader.unchecked), (bench.state().own.text.as_str(), false));
    assert_eq!(shader.inputs.dispatch, Some([16, 16, 1]));
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    let params = [("entry".to_owned(), "main".into()), ("dispatch".to_owned(), "16,16,1".into())];
    let own = Row {
        kernel: shader.name.clone(),
        params: params.into_iter().collect(),
        wgsl_sha256: wgsl_sha256(&shader.wgsl),
        inputs_sha256: Some(shader.inputs.sha256()),
        checks: "on".into(),
        ..row(1, 123.0)
    };
    bench.event(Event::Row { index: 0, row: Box::new(own) });
    bench.tell(Told::Ended(Ok(())));
    bench.harness.get_by_label("123 GB/s of useful bytes, 1.00 ms a dispatch");
    assert!(shows(&bench, "Predicted: "));
    // Other inputs have no figures, nor has another text.
    type_into(&mut bench, Role::TextInput, "size of source", "2MiB");
    assert!(!shows(&bench, "123 GB/s of useful bytes"));
    write(&mut bench, STRIDED);
    assert!(!shows(&bench, "123 GB/s of useful bytes"));
}

#[test]
fn text_and_inputs_are_those_of_last_time() {
    let mut bench = opened();
    write(&mut bench, STRIDED);
    type_into(&mut bench, Role::TextInput, "Dispatch", "1");
    type_into(&mut bench, Role::TextInput, "params.stride", "3");
    let mut memory = Memory::default();
    bench.harness.state_mut().save(&mut memory);
    let mut bench = Bench::new();
    bench.harness.state_mut().recall(&memory, &Start::default());
    bench.run();
    bench.settle();
    assert_eq!((bench.state().own.text.as_str(), bench.state().own.typed.get("uniform.params.stride")), (STRIDED, "3"));
    // 32 lanes 12 bytes apart touch 384 bytes: 12 sectors, beside 4 of the store and 1 of the uniform.
    bench.harness.get_by_label("Line 7: 3 requests, 17 sectors, at best 9");
}
