//! The architecture page and the rules of the repository, held true.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Modules from the lowest layer to the highest: a module may import only from those before it, or from its own.
const LAYERS: &[&[&str]] = &[
    &["units", "stats", "platform", "contents", "suggest"],
    &["trace", "record"],
    &["memory_model", "program", "shader"],
    &["kernels", "inputs"],
    &["plan"],
    &["interpreter", "predict", "gpu"],
    &["analysis"],
    &["engine", "report"],
    &["session"],
    &["app", "cli"],
];
/// Most lines of a source file.
const FILE_BUDGET: usize = 450;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The top-level module that a file belongs to.
fn module(path: &Path) -> String {
    let relative = path.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The part of a file that ships: tests inside it may look anywhere.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap()
}

fn fail_if_any(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_keeps_to_one_idea() {
    let mut problems = Vec::new();
    for path in files("src", "rs").into_iter().chain(files("tests", "rs")) {
        let text = text(&path);
        if !text.starts_with("//! ") {
            problems.push(format!("{} does not begin with a //! sentence", path.display()));
        }
        if text.lines().count() > FILE_BUDGET {
            problems.push(format!("{} has {} lines: split it by meaning", path.display(), text.lines().count()));
        }
    }
    fail_if_any(&problems);
}

#[test]
fn modules_import_only_from_lower_layers() {
    let layer: BTreeMap<&str, usize> =
        LAYERS.iter().enumerate().flat_map(|(k, names)| names.iter().map(move |name| (*name, k))).collect();
    let mut problems = Vec::new();
    for path in files("src", "rs") {
        let own = module(&path);
        let Some(own_layer) = layer.get(own.as_str()) else {
            assert!(["lib", "main"].contains(&own.as_str()), "{own} is in no layer: add it to LAYERS and to lib.rs");
            continue;
        };
        let text = text(&path);
        for piece in shipped(&text).split("crate::").skip(1) {
            let name: String = piece.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let Some(other) = layer.get(name.as_str()) else { continue };
            // Within a layer modules do not know each other, but for what is plain data by nature.
            let sibling_is_fine = own_layer == other && own_layer < &3;
            if name != own && other >= own_layer && !sibling_is_fine {
                problems.push(format!("{} imports {name} from its own or a higher layer", path.display()));
            }
        }
    }
    fail_if_any(&problems);
}

#[test]
fn borders_to_other_crates_hold() {
    let borders: &[(&str, &[&str])] = &[
        ("wgpu::", &["gpu", "platform"]),
        ("egui", &["app", "platform"]),
        ("eframe", &["app", "platform"]),
        ("naga::", &["shader", "interpreter", "analysis"]),
        ("clap::", &["cli"]),
        ("target_arch", &["platform"]),
        ("target_os", &["platform"]),
        ("std::process", &["cli", "main"]),
    ];
    let mut problems = Vec::new();
    for path in files("src", "rs") {
        let (own, text) = (module(&path), text(&path));
        for (word, allowed) in borders {
            if shipped(&text).contains(word) && !allowed.contains(&own.as_str()) {
                problems.push(format!("{} mentions {word}, which only {allowed:?} may", path.display()));
            }
        }
    }
    fail_if_any(&problems);
}

#[test]
fn there_is_one_naga_and_it_is_wgpus() {
    let lock = text(&root().join("Cargo.lock"));
    let versions: Vec<&str> = lock
        .split("[[package]]")
        .filter(|package| package.contains("\nname = \"naga\"\n"))
        .filter_map(|package| package.split("version = \"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(versions.len(), 1, "several nagas: {versions:?}");
    let wgpu = lock.split("name = \"wgpu\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    assert_eq!(wgpu.and_then(major), major(versions[0]), "naga and wgpu are of different releases");
}

#[test]
fn every_module_stands_on_the_architecture_page() {
    let page = text(&root().join("src/lib.rs"));
    for name in LAYERS.iter().copied().flatten() {
        assert!(page.contains(&format!("| [`{name}`] | ")), "lib.rs has no sentence on {name}");
    }
}

#[test]
fn every_shader_is_registered_and_every_kernel_has_its_file() {
    let registered: Vec<PathBuf> = sectorscope::kernels::ALL
        .iter()
        .map(|kernel| root().join("shaders").join(kernel.family).join(format!("{}.wgsl", kernel.id)))
        .collect();
    for path in &registered {
        assert!(path.is_file(), "{} is registered and not there", path.display());
    }
    for path in files("shaders/patterns", "wgsl").into_iter().chain(files("shaders/matmul", "wgsl")) {
        assert!(registered.contains(&path), "{} has no entry in src/kernels", path.display());
        let first = text(&path).lines().next().unwrap_or_default().to_owned();
        let kernel = sectorscope::kernels::by_id(path.file_stem().unwrap().to_str().unwrap()).unwrap();
        assert_eq!(first, format!("// {}", kernel.question), "{}", path.display());
    }
}

#[test]
fn the_readme_lists_the_registry() {
    let readme = text(&root().join("README.md"));
    for kernel in sectorscope::kernels::ALL {
        let row = format!("| `{}` | {} |", kernel.id, kernel.question);
        assert!(readme.contains(&row), "README.md lacks the row:\n{row}");
    }
    for preset in sectorscope::kernels::PRESETS {
        assert!(readme.contains(&format!("`{}`", preset.id)), "README.md lacks the preset {}", preset.id);
    }
}

#[test]
fn nothing_names_the_machine_it_was_made_on() {
    let words = ["/home/", "/root/", "TODO", "FIXME", "todo!(", "unimplemented!("];
    let all = ["src", "shaders"].iter().flat_map(|folder| files(folder, "rs").into_iter().chain(files(folder, "wgsl")));
    for path in all {
        let text = text(&path);
        for word in words {
            assert!(!text.contains(word), "{} says {word}", path.display());
        }
    }
}
