//! From arguments to what the engine is asked for; refuses what cannot be meant.

use std::collections::BTreeSet;

use super::args::{ChecksName, FillName, OrderName, RunArguments, SuiteName};
use super::failure::Failure;
use super::values::Target;
use crate::engine::{ChecksMode, Order, Request};
use crate::kernels::{Fill, suite::Suite};

/// The request that the arguments stand for.
///
/// # Errors
/// Wrong usage, with the cure.
pub(super) fn request(arguments: &RunArguments) -> Result<Request, Failure> {
    refuse_contradictions(arguments)?;
    let named = !arguments.kernel.is_empty() || !arguments.preset.is_empty();
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
        bytes: arguments.bytes.clone(),
        samples: arguments.samples,
        time_limit_s: arguments.time_limit,
        order: match arguments.order {
            Some(OrderName::Forward) | None => Order::Forward,
            Some(OrderName::Reverse) => Order::Reverse,
            Some(OrderName::Shuffle) => Order::Shuffle,
        },
        seed: arguments.seed.unwrap_or(0),
        fill: match arguments.fill {
            Some(FillName::Random) | None => Fill::Random,
            Some(FillName::Zero) => Fill::Zero,
            Some(FillName::Index) => Fill::Index,
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
        adapter: arguments.adapter.clone(),
        backend: arguments.backend.map(|backend| backend.word().to_owned()),
    })
}

fn suite(name: SuiteName) -> Result<Suite, Failure> {
    match name {
        SuiteName::Quick => Ok(Suite::Quick),
        SuiteName::Standard => Ok(Suite::Standard),
        SuiteName::Full => Ok(Suite::Full),
        SuiteName::Patterns => Ok(Suite::Patterns),
        SuiteName::Matmul => Err(Failure::Usage(
            "the suite 'matmul' is not built in yet: choose quick, standard, full or patterns".to_owned(),
        )),
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
