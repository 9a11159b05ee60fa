//! From arguments to what the engine is asked for; refuses what cannot be meant.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::args::{ChecksName, OrderName, RunArguments, SuiteName};
use super::failure::Failure;
use super::shader::{Given, ShaderArguments, inputs, wgsl};
use super::values::{FillChoice, Target};
use crate::engine::{ChecksMode, Order, Request, UserShader};
use crate::kernels::{Fill, suite::Suite};

/// The request that the arguments stand for.
///
/// # Errors
/// Wrong usage, with the cure.
pub(super) fn request(arguments: &RunArguments) -> Result<Request, Failure> {
    refuse_contradictions(arguments)?;
    let named = !(arguments.kernel.is_empty() && arguments.preset.is_empty() && arguments.wgsl.is_empty());
    let suite = match arguments.suite {
        Some(name) => Some(suite(name)?),
        None if named => None,
        None => Some(Suite::Standard),
    };
    Ok(Request {
        suite,
        kernels: arguments.kernel.clone(),
        presets: arguments.preset.clone(),
        set: arguments.set.clone(),
        rows: Vec::new(),
        shaders: shaders(arguments)?,
        bytes: arguments.bytes.clone(),
        samples: arguments.samples,
        time_limit_s: arguments.time_limit,
        order: match arguments.order {
            Some(OrderName::Forward) | None => Order::Forward,
            Some(OrderName::Reverse) => Order::Reverse,
            Some(OrderName::Shuffle) => Order::Shuffle,
        },
        seed: arguments.seed.unwrap_or(0),
        fill: match arguments.fill.last() {
            Some(FillChoice::All(fill)) => *fill,
            Some(FillChoice::One(_)) | None => Fill::Random,
        },
        checks: match arguments.checks {
            Some(ChecksName::Off) | None => ChecksMode::Off,
            Some(ChecksName::On) => ChecksMode::On,
            Some(ChecksName::Both) => ChecksMode::Both,
        },
        peak_gb_per_s: arguments.peak,
        model: arguments.model.clone(),
        subgroup: arguments.subgroup,
        sector: arguments.sector,
        fetch: arguments.fetch,
        predict_only: arguments.predict_only,
        brief: false,
        adapter: arguments.adapter.clone(),
        backend: arguments.backend.map(|backend| backend.word().to_owned()),
    })
}

/// The shaders of the user's own with what they are given.
fn shaders(arguments: &RunArguments) -> Result<Vec<UserShader>, Failure> {
    let one = |fill: &FillChoice| match fill {
        FillChoice::One(text) => Some(text.clone()),
        FillChoice::All(_) => None,
    };
    let fills: Vec<String> = arguments.fill.iter().filter_map(one).collect();
    let seed = arguments.seed.map(|seed| seed.to_string());
    let given = Given { fills: &fills, seed: seed.as_deref() };
    let shader = |file: &PathBuf| {
        Ok(UserShader {
            name: file.display().to_string(),
            wgsl: wgsl(file)?,
            inputs: inputs(file, &arguments.shader, &given)?,
            unchecked: arguments.unchecked,
        })
    };
    arguments.wgsl.iter().map(shader).collect()
}

fn suite(name: SuiteName) -> Result<Suite, Failure> {
    match name {
        SuiteName::Quick => Ok(Suite::Quick),
        SuiteName::Standard => Ok(Suite::Standard),
        SuiteName::Full => Ok(Suite::Full),
        SuiteName::Patterns => Ok(Suite::Patterns),
        SuiteName::Matmul => Ok(Suite::Matmul),
    }
}

fn refuse_contradictions(arguments: &RunArguments) -> Result<(), Failure> {
    match (&arguments.json, &arguments.csv) {
        (Some(Target::Stdout), Some(Target::Stdout)) => {
            return Err(Failure::Usage(
                "--json - and --csv - cannot both have standard output: write one of them to a file".to_owned(),
            ));
        }
        (Some(Target::File(json)), Some(Target::File(csv))) if json == csv => {
            return Err(Failure::Usage(format!(
                "--json and --csv both name {}: give them different files",
                json.display()
            )));
        }
        _ => {}
    }
    if let (Some(sector), Some(fetch)) = (arguments.sector, arguments.fetch)
        && fetch < sector
    {
        return Err(Failure::Usage(format!(
            "--fetch {fetch} is below --sector {sector}: memory delivers whole sectors, so write {sector} or more"
        )));
    }
    refuse_mixed_shaders(arguments)?;
    let mut names = BTreeSet::new();
    for (name, _) in &arguments.set {
        if !names.insert(name) {
            return Err(Failure::Usage(format!(
                "--set {name}=.. is given twice: write --set {name}=A,B for several values"
            )));
        }
    }
    Ok(())
}

/// Options of one's own shader without one, and those of built-in kernels beside one.
fn refuse_mixed_shaders(arguments: &RunArguments) -> Result<(), Failure> {
    let refuse = |text: &str| Err(Failure::Usage(text.to_owned()));
    let own = !arguments.wgsl.is_empty();
    let of_all = arguments.fill.iter().filter(|fill| matches!(fill, FillChoice::All(_))).count();
    if !own && of_all < arguments.fill.len() {
        return refuse("--fill NAME=CONTENTS belongs to --wgsl FILE: built-in kernels take random, zero or index");
    }
    if own && of_all > 0 {
        return refuse("--fill of --wgsl names a buffer: write --fill NAME=random, for example");
    }
    if of_all > 1 {
        return refuse("--fill is given twice: write it once");
    }
    if !own && arguments.shader != ShaderArguments::default() {
        return refuse(
            "--entry, --dispatch, --override, --buffer, --uniform, --texture and --inputs belong to a shader: add --wgsl FILE",
        );
    }
    if arguments.wgsl.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        return refuse("--wgsl - is given twice: standard input can be read once");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::args::Arguments;
    use super::*;

    fn parse(line: &str) -> Request {
        let words = ["sectorscope", "--bench"].into_iter().chain(line.split_whitespace());
        request(&Arguments::try_parse_from(words).unwrap().run).unwrap()
    }

    #[test]
    fn nothing_given_is_the_standard_suite() {
        let expected = Request { suite: Some(Suite::Standard), ..Request::default() };
        assert_eq!(parse(""), expected);
        assert_eq!(parse("--order forward --seed 0 --fill random --checks off --suite standard"), expected);
    }

    #[test]
    fn every_option_arrives() {
        assert_eq!(parse("--suite quick").suite, Some(Suite::Quick));
        assert_eq!(parse("--suite full").suite, Some(Suite::Full));
        assert_eq!(parse("--suite patterns").suite, Some(Suite::Patterns));
        let named = parse("--kernel read copy --kernel write,triad");
        assert_eq!(
            (named.suite, named.kernels),
            (None, ["read", "copy", "write", "triad"].map(str::to_owned).to_vec())
        );
        let preset = parse("--preset a --preset b");
        assert_eq!((preset.suite, preset.presets), (None, ["a", "b"].map(str::to_owned).to_vec()));
        let both = parse("--suite quick --preset a");
        assert_eq!((both.suite, both.presets.len()), (Some(Suite::Quick), 1));
        let set =
            [("stride".to_owned(), vec!["1".to_owned(), "2".to_owned()]), ("items".to_owned(), vec!["4".to_owned()])];
        assert_eq!(parse("--kernel read --set stride=1,2 --set items=4").set, set);
        assert_eq!(parse("--bytes 1MiB,64MiB --bytes 4096").bytes, [1 << 20, 64 << 20, 4096]);
        assert_eq!(parse("--samples 30").samples, Some(30));
        assert_eq!(parse("--time-limit 1.5").time_limit_s, Some(1.5));
        assert_eq!((parse("--order reverse").order, parse("--order shuffle").order), (Order::Reverse, Order::Shuffle));
        assert_eq!(parse("--seed 0xff").seed, 255);
        assert_eq!((parse("--fill zero").fill, parse("--fill index").fill), (Fill::Zero, Fill::Index));
        assert_eq!((parse("--checks on").checks, parse("--checks both").checks), (ChecksMode::On, ChecksMode::Both));
        assert_eq!(parse("--peak 4800").peak_gb_per_s, Some(4800.0));
        assert_eq!(parse("--model lesson").model.as_deref(), Some("lesson"));
        let given = parse("--subgroup 64 --sector 32 --fetch 128");
        assert_eq!((given.subgroup, given.sector, given.fetch), (Some(64), Some(32), Some(128)));
        assert!(parse("--predict-only").predict_only);
        assert_eq!(parse("--adapter 1").adapter.as_deref(), Some("1"));
        for backend in ["vulkan", "metal", "dx12", "gl"] {
            assert_eq!(parse(&format!("--backend {backend}")).backend.as_deref(), Some(backend));
        }
    }

    #[test]
    fn outputs_do_not_change_the_request() {
        assert_eq!(parse("--json - --csv a.csv --csv-sep ;"), parse(""));
    }
}
