//! The kernels of this folder: a WGSL file and the file of settings beside it make a program.

use std::path::{Path, PathBuf};

use sectorscope::inputs::{Defaulted, Inputs, read_shader};
use sectorscope::program::Program;

/// A kernel with all that it needs to run.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) program: Program,
    #[allow(dead_code, reason = "outputs do not depend on who chose the inputs")]
    pub(crate) defaulted: Vec<Defaulted>,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wild/kernels")
}

/// One kernel, by the name of its file.
pub(crate) fn kernel(name: &str) -> Kernel {
    let path = folder().join(name).with_extension("wgsl");
    let inputs = Inputs::load(&Inputs::beside(&path)).unwrap();
    let text = read_shader(&path).unwrap();
    let (program, defaulted) = inputs.program(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    Kernel { name: name.to_owned(), program, defaulted }
}

/// All of them, by name.
pub(crate) fn all() -> Vec<Kernel> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.iter().map(|name| kernel(name)).collect()
}
