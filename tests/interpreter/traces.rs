//! What the observer hears, against counts made by hand.

use std::collections::{BTreeMap, BTreeSet};

use sectorscope::contents::Contents;
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::program::{Buffer, Program, Scalar, Uniforms};
use sectorscope::trace::{Access, AccessKind, Observer, Position, Site, Space};

use super::{buffer, program};

/// Everything that was heard.
#[derive(Default)]
pub(super) struct Log {
    sites: Vec<Site>,
    workgroups: Vec<[u32; 3]>,
    pub accesses: Vec<Heard>,
}

pub(super) struct Heard {
    site: usize,
    pub bytes: u32,
    /// Lane and address.
    pub lanes: Vec<(usize, u32)>,
    pub out_of_range: u32,
}

impl Observer for Log {
    fn site(&mut self, site: &Site) {
        self.sites.push(site.clone());
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.workgroups.push(id);
    }

    fn access(&mut self, access: &Access<'_>) {
        let site = &self.sites[access.site as usize];
        assert_eq!((site.kind, site.space, site.variable), (access.kind, access.space, access.variable));
        assert_eq!(site.element_bytes, access.element_bytes);
        assert!(!access.active.is_empty());
        self.accesses.push(Heard {
            site: access.site as usize,
            bytes: access.element_bytes,
            lanes: access.active.iter().map(|lane| (lane, access.addresses[lane])).collect(),
            out_of_range: access.out_of_range,
        });
    }
}

impl Log {
    /// The accesses of one variable and kind.
    pub(super) fn of(&self, name: &str, kind: AccessKind) -> Vec<&Heard> {
        let wanted = |heard: &&Heard| self.sites[heard.site].name == name && self.sites[heard.site].kind == kind;
        self.accesses.iter().filter(wanted).collect()
    }

    /// Kind and variable of every access, in order.
    fn order(&self) -> Vec<String> {
        self.accesses
            .iter()
            .map(|heard| format!("{:?} {}", self.sites[heard.site].kind, self.sites[heard.site].name))
            .collect()
    }
}

impl Heard {
    /// The lanes of the first subgroup of this width that has any.
    pub(super) fn first_request(&self, width: usize) -> Vec<(usize, u32)> {
        let first = self.lanes[0].0 / width;
        self.lanes.iter().copied().filter(|(lane, _)| lane / width == first).collect()
    }

    /// Distinct sectors of 32 bytes of the first request.
    fn sectors(&self, width: usize) -> usize {
        let bytes = self.first_request(width).into_iter().flat_map(|(_, address)| address..address + self.bytes);
        bytes.map(|byte| byte / 32).collect::<BTreeSet<u32>>().len()
    }

    pub(super) fn requests(&self, width: usize) -> usize {
        self.lanes.iter().map(|(lane, _)| lane / width).collect::<BTreeSet<usize>>().len()
    }

    /// The most distinct words of four bytes that one of 32 banks holds for the first request.
    fn words_of_one_bank(&self, width: usize) -> usize {
        let words = self.first_request(width).into_iter().map(|(_, address)| address / 4).collect::<BTreeSet<u32>>();
        let mut banks = BTreeMap::<u32, usize>::new();
        words.into_iter().for_each(|word| *banks.entry(word % 32).or_default() += 1);
        banks.into_values().max().unwrap()
    }
}

pub(super) fn listen(program: &Program) -> Log {
    listen_with(program, sectorscope::interpreter::SUBGROUP)
}

/// With subgroups of so many lanes.
pub(super) fn listen_with(program: &Program, subgroup: u32) -> Log {
    let mut log = Log::default();
    let outcome = Interpreter::with_subgroup(program, subgroup).unwrap().run(&Options::default(), &mut log).unwrap();
    assert_eq!(outcome.accesses, log.accesses.len() as u64);
    assert_eq!(outcome.out_of_range, log.accesses.iter().map(|heard| u64::from(heard.out_of_range)).sum::<u64>());
    log
}

fn two(words: u64) -> Vec<Buffer> {
    vec![buffer("a", words, Contents::Index), buffer("o", words, Contents::Zero)]
}

macro_rules! fixture {
    ($name:literal, $buffers:expr) => {
        listen(&program(include_str!(concat!("../fixtures/interpreter/", $name, ".wgsl")), $buffers, [1, 1, 1]))
    };
}

#[test]
fn lineups_of_a_load() {
    let check = |log: &Log, sectors: [usize; 2]| {
        for load in log.of("a", AccessKind::Load) {
            assert_eq!([load.sectors(32), load.sectors(8)], sectors);
            assert_eq!(load.out_of_range, 0);
        }
    };
    check(&fixture!("f01_coalesced", two(4096)), [4, 1]);
    check(&fixture!("f02_misaligned1", two(4096)), [5, 2]);
    let log = fixture!("f03_vec3_stride16", two(4096));
    check(&log, [16, 4]);
    assert_eq!(log.of("a", AccessKind::Load)[0].bytes, 12);
    let log = fixture!("f04_packed_xyz", two(4096));
    check(&log, [12, 3]);
    assert_eq!(log.of("a", AccessKind::Load).len(), 3);
    check(&fixture!("f07_2d_transposed", two(65_536)), [16, 8]);
    let log = fixture!("f24_f16", two(4096));
    check(&log, [2, 1]);
    assert_eq!(log.of("a", AccessKind::Load)[0].bytes, 2);
    let log = fixture!("f25_workgroup_1024", two(8192));
    check(&log, [4, 1]);
    assert_eq!((log.of("a", AccessKind::Load).len(), log.of("t", AccessKind::Store).len()), (8, 8));
    assert_eq!(log.of("t", AccessKind::Load)[0].lanes[1], (1, 4 * 8190));
}

#[test]
fn lanes_that_are_away_load_nothing() {
    let log = fixture!("f05_short_circuit", vec![buffer("a", 20, Contents::Index), buffer("o", 32, Contents::Zero)]);
    let load = log.of("a", AccessKind::Load)[0];
    assert_eq!((load.lanes.len(), load.sectors(32), load.out_of_range), (20, 3, 0));
    // Word 0 is 0.0.
    assert_eq!(log.of("o", AccessKind::Store)[0].lanes.len(), 19);
    let log = fixture!("f06_partial_warp", two(4096));
    let load = log.of("a", AccessKind::Load)[0];
    assert_eq!([load.requests(32), load.requests(8)], [2, 6]);
    let log = fixture!("f13_dead_load", two(4096));
    assert_eq!(log.of("a", AccessKind::Load)[0].lanes.len(), 64);
    assert_eq!(log.of("o", AccessKind::Store)[0].lanes, [(0, 0)]);
}

#[test]
fn banks_of_workgroup_memory() {
    let o = |words| vec![buffer("a", words, Contents::Index), buffer("o", words, Contents::Zero)];
    let log = fixture!("f08_bank_32way", o(1024));
    let (load, store) = (log.of("t", AccessKind::Load), log.of("t", AccessKind::Store));
    assert_eq!([load[0].words_of_one_bank(32), load[0].words_of_one_bank(8)], [32, 8]);
    assert_eq!((store[0].words_of_one_bank(32), load.len(), store.len()), (1, 4, 4));
    let log = fixture!("f09_bank_padded", o(1024));
    assert_eq!(log.of("t", AccessKind::Load)[0].words_of_one_bank(32), 1);
    let log = fixture!("f10_bank_broadcast", o(1024));
    assert!(log.of("t", AccessKind::Load)[0].lanes.iter().all(|(_, address)| *address == 28));
    let log = fixture!("f11_bank_vec4", o(1024));
    let load = log.of("t", AccessKind::Load)[0];
    assert_eq!((load.bytes, load.lanes[0], load.lanes[31]), (16, (0, 31 * 16), (31, 0)));
}

#[test]
fn overrides_set_the_workgroup() {
    let wgsl = include_str!("../fixtures/interpreter/f12_override_wg.wgsl");
    let mut program = program(wgsl, two(4096), [1, 1, 1]);
    for (value, lanes) in [(None, 64), (Some(96.0), 96)] {
        program.constants = value.map(|value| ("WG".to_owned(), value)).into_iter().collect();
        let log = listen(&program);
        let load = log.of("a", AccessKind::Load)[0];
        assert_eq!((load.lanes.len(), load.requests(32)), (lanes, lanes / 32));
        assert_eq!(log.of("t", AccessKind::Load)[0].lanes[0], (0, 4 * (u32::try_from(lanes).unwrap() - 1)));
    }
}

#[test]
fn indices_wrap_before_they_are_clamped() {
    let log = fixture!("f14_u32_wrap", vec![buffer("a", 1 << 18, Contents::Index), buffer("o", 32, Contents::Zero)]);
    let load = log.of("a", AccessKind::Load)[0];
    assert_eq!(load.out_of_range, 16);
    assert_eq!(load.lanes[..4], [(0, 0), (1, (1 << 20) - 4), (2, 0), (3, (1 << 20) - 4)]);
}

#[test]
fn accesses_come_in_the_order_of_the_text() {
    let log = listen(&program(
        include_str!("../fixtures/interpreter/f16_let_before_store.wgsl"),
        vec![buffer("a", 32, Contents::Zero), buffer("b", 32, Contents::Zero)],
        [1, 1, 1],
    ));
    assert_eq!(log.order(), ["Load a", "Store a", "Load b", "Store b"]);
}

#[test]
fn atomics_and_calls() {
    let wgsl = include_str!("../fixtures/interpreter/f23_atomics_ptr_fn.wgsl");
    let mut program = program(wgsl, vec![buffer("a", 64, Contents::Zero), buffer("h", 16, Contents::Zero)], [1, 1, 1]);
    let values = [("n".to_owned(), Scalar::U32(64)), ("s".to_owned(), Scalar::U32(2))];
    program.uniforms =
        Some(Uniforms { name: "p".into(), values: values.into(), phases: Vec::new(), verification: BTreeMap::new() });
    let log = listen(&program);
    // k is 2 g + 1: odd, and k & 3 is 1 for every other lane.
    let load = log.of("a", AccessKind::Load)[0];
    assert_eq!(load.lanes.len(), 16);
    assert_eq!(load.lanes[1], (2, 4 * 5));
    let atomic = log.of("h", AccessKind::Atomic)[0];
    assert_eq!((atomic.lanes.len(), atomic.lanes[1]), (32, (1, 4 * 3)));
    assert!(log.of("p", AccessKind::Load).iter().all(|load| load.bytes == 4));
}

#[test]
fn one_site_for_each_piece_and_chain_of_calls() {
    let text = "struct Big { k: u32, v: vec3<f32>, m: mat3x3<f32> } struct Small { x: u32, y: f32 }
@group(0) @binding(0) var<storage, read> a: array<Big>;
@group(0) @binding(1) var<storage, read> s: array<Small>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
fn leaf(i: u32) -> f32 { return s[i].y; }
fn middle(i: u32) -> f32 { return leaf(i) + leaf(i + 1u); }
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  let big = a[i]; let small = s[i];
  o[i] = big.v.x + big.m[0].x + small.y;
  for (var k = 0u; k < 3u; k++) { o[i] += middle(k) + leaf(i); }
}";
    let buffers =
        vec![buffer("a", 4 * 20, Contents::Index), buffer("s", 16, Contents::Index), buffer("o", 4, Contents::Zero)];
    let log = listen(&program(text, buffers, [2, 1, 1]));
    let sites: Vec<&Site> = log.sites.iter().filter(|site| site.name == "a").collect();
    let pieces: Vec<_> = sites.iter().map(|site| (site.leaf_offset, site.element_bytes, site.position)).collect();
    let at = Position { line: 9, column: 13 };
    assert_eq!(pieces, [(0, 4, at), (16, 12, at), (32, 12, at), (48, 12, at), (64, 12, at)]);
    assert_eq!(log.of("a", AccessKind::Load)[2].lanes, [(0, 32), (1, 112), (2, 192), (3, 272)]);
    // The small one at once, then `leaf` by three ways, whatever the number of turns and workgroups.
    let sites: Vec<&Site> = log.sites.iter().filter(|site| site.name == "s").collect();
    let found: Vec<(u32, Vec<(u32, u32)>)> = sites
        .iter()
        .map(|site| (site.element_bytes, site.call_path.iter().map(|at| (at.line, at.column)).collect()))
        .collect();
    let expected = [(8, vec![]), (4, vec![(11, 43), (6, 35)]), (4, vec![(11, 43), (6, 45)]), (4, vec![(11, 55)])];
    assert_eq!(found, expected);
    assert_eq!(log.workgroups, [[0, 0, 0], [1, 0, 0]]);
    assert_eq!(log.of("s", AccessKind::Load).len(), 2 * (1 + 3 * 3));
    let spaces: BTreeSet<Space> = log.sites.iter().map(|site| site.space).collect();
    assert_eq!(spaces, BTreeSet::from([Space::Storage]));
}
