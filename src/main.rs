//! The program: hands its command line to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sectorscope::cli::main(std::env::args_os())
}
