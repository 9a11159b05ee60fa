//! Compiled functions: expressions as operations on slots, statements as a tree. Nothing here refers to naga's arenas.

use naga::{AtomicFunction, BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use super::error::Unsupported;
use super::flat::{Flat, Kind};
use super::fold::Fold;
use super::images::{BoundTexture, Reading, Use, Writing};
use super::lanes::Slot;
use super::subgroups::Collective;
use super::tiles::{Product, Tile};
use crate::trace::{AccessKind, Position, Space};

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// A storage or uniform buffer, by its place in [`Code::buffers`].
    Buffer(usize),
    /// Workgroup memory; offsets are byte addresses in it.
    Workgroup,
    /// Variables of one lane; offsets are rows of words.
    Local,
}

/// A pointer: known but for an offset that each lane has in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub root: Root,
    /// Bytes (rows for [`Root::Local`]) from the start of the buffer, of workgroup memory, of all rows.
    pub offset: u32,
    /// What each lane adds.
    pub dynamic: Option<Slot>,
    /// Which lanes clamped an index on the way: a mask of [`Code::clamps`].
    pub clamp: Option<usize>,
    /// Whether a constant index on the way was clamped, in every lane.
    pub beyond: bool,
    /// Number of the module's variable; what accesses of the same variable share.
    pub variable: u32,
}

/// A load or store of a value at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transfer {
    pub place: Place,
    /// The value's layout, in [`Code::flats`].
    pub flat: usize,
    /// Its first access in [`Code::accesses`], one for each leaf; not for [`Root::Local`].
    pub access: usize,
}

/// An access of the text; with a call path it is a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AccessInfo {
    pub position: Position,
    pub space: Space,
    pub variable: u32,
    pub name: String,
    pub kind: AccessKind,
    pub element_bytes: u32,
    pub leaf_offset: u32,
}

/// One expression's work. `rows` is how many scalars the result has.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Op {
    /// The slot is filled elsewhere: arguments, results, constants, parts of other slots.
    None,
    /// Each row is a copy of another.
    Rows(Vec<Slot>),
    /// Element `index` of `count` elements of the value at `base`, each of the result's rows.
    Pick {
        base: Slot,
        count: u32,
        index: Slot,
    },
    /// A pointer's lane-dependent part: base + min(index, count - 1) * stride.
    Address {
        base: Option<Slot>,
        base_clamp: Option<usize>,
        index: Slot,
        stride: u32,
        count: u32,
        clamp: usize,
    },
    Load(Transfer),
    Unary {
        op: UnaryOperator,
        kind: Kind,
        a: Slot,
    },
    /// An operand of one row serves all rows of the other.
    Binary {
        op: BinaryOperator,
        kind: Kind,
        a: Slot,
        a_rows: u32,
        b: Slot,
        b_rows: u32,
    },
    /// Columns x rows of the left, columns of the right; 1 column is a vector.
    MatrixProduct {
        kind: Kind,
        a: Slot,
        b: Slot,
        inner: u32,
        left_rows: u32,
        right_columns: u32,
    },
    Select {
        condition: Slot,
        condition_rows: u32,
        accept: Slot,
        reject: Slot,
    },
    Relational {
        fun: RelationalFunction,
        kind: Kind,
        a: Slot,
        a_rows: u32,
    },
    Convert {
        from: Kind,
        to: Kind,
        a: Slot,
        a_rows: u32,
    },
    /// Slot and rows of each operand.
    Math {
        fun: MathFunction,
        kind: Kind,
        args: [(Slot, u32); 4],
        matrix: Option<(u32, u32)>,
    },
    /// What a texture holds or is.
    Texture(Box<Reading>),
    /// The same number in every lane.
    Fill(u32),
    /// A cooperative matrix from memory, and a product of such matrices: of whole subgroups.
    LoadTile(Box<Tile>),
    MultiplyAdd(Box<Product>),
}

/// A compiled expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expression {
    pub op: Op,
    pub slot: Slot,
    pub rows: u32,
    /// Whether it counts as executed when it is emitted: constants do not.
    pub counts: bool,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Expressions of the function, `first..end`.
    Emit {
        first: usize,
        end: usize,
        counted: u64,
    },
    Block(Vec<Self>),
    /// Where it is not `needed`, nothing in it feeds an address or control flow.
    If {
        needed: bool,
        condition: Slot,
        accept: Vec<Self>,
        reject: Vec<Self>,
    },
    Switch {
        needed: bool,
        selector: Slot,
        cases: Vec<Case>,
    },
    Loop {
        body: Vec<Self>,
        continuing: Vec<Self>,
        break_if: Option<Slot>,
        position: Position,
        /// The buffers whose contents decide when it ends.
        depends_on: Vec<String>,
    },
    Break,
    Continue,
    Return {
        value: Option<Slot>,
        rows: u32,
    },
    Barrier(Position),
    Store {
        transfer: Transfer,
        value: Slot,
        /// Whether what is stored feeds an address or control flow.
        needed: bool,
    },
    Atomic(Atomic),
    Subgroup(Box<Collective>),
    WriteTexture(Box<Writing>),
    StoreTile {
        tile: Box<Tile>,
        value: Slot,
    },
    /// What follows moves a cooperative matrix: each subgroup takes part as a whole or not at all, with the same words
    /// in these slots.
    WholeSubgroups {
        same: [Option<Slot>; 2],
        position: Position,
    },
    /// A load of one address by the whole workgroup, between two barriers.
    UniformLoad {
        transfer: Transfer,
        result: Slot,
        position: Position,
        needed: bool,
    },
    Call {
        function: usize,
        arguments: Vec<Argument>,
        result: Option<(Slot, u32)>,
        call: usize,
    },
}

/// A value or a pointer handed to a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Argument {
    Value { slot: Slot, rows: u32 },
    Pointer { offset: u32, dynamic: Option<Slot> },
}

/// A case of a switch; `None` is the default.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    pub value: Option<u32>,
    pub body: Vec<Node>,
    pub falls_through: bool,
}

/// An atomic read-modify-write.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Atomic {
    pub transfer: Transfer,
    pub fun: AtomicKind,
    pub kind: Kind,
    pub value: Slot,
    /// Where the old value goes; with a comparison also whether it was exchanged, one row on.
    pub result: Option<Slot>,
    /// Whether what the variable holds feeds an address or control flow.
    pub needed: bool,
}

/// What an atomic does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtomicKind {
    Fold(Fold),
    Exchange,
    /// Exchanges where the old value equals that of a slot.
    CompareExchange(Slot),
}

impl AtomicKind {
    pub(super) fn of(fun: &AtomicFunction, compare: impl Fn(naga::Handle<naga::Expression>) -> Slot) -> Self {
        match fun {
            AtomicFunction::Add => Self::Fold(Fold::Add),
            AtomicFunction::Subtract => Self::Fold(Fold::Subtract),
            AtomicFunction::And => Self::Fold(Fold::And),
            AtomicFunction::ExclusiveOr => Self::Fold(Fold::Xor),
            AtomicFunction::InclusiveOr => Self::Fold(Fold::Or),
            AtomicFunction::Min => Self::Fold(Fold::Min),
            AtomicFunction::Max => Self::Fold(Fold::Max),
            AtomicFunction::Exchange { compare: None } => Self::Exchange,
            AtomicFunction::Exchange { compare: Some(handle) } => Self::CompareExchange(compare(*handle)),
        }
    }
}

/// A compiled function.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Function {
    pub expressions: Vec<Expression>,
    /// For each expression whether it feeds an address or control flow.
    pub needed: Vec<bool>,
    pub body: Vec<Node>,
    /// Slot and rows of each argument; a pointer has one row.
    pub arguments: Vec<(Slot, u32)>,
    pub result: Option<(Slot, u32)>,
    /// Rows of each local variable with the words that it begins with.
    pub locals: Vec<(u32, Vec<u32>)>,
}

/// A buffer that the shader binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundBuffer {
    pub name: String,
    pub uniform: bool,
    pub bytes: u32,
    /// Whether the entry point may load from it, so that stores must be kept.
    pub loaded: bool,
}

/// A built-in value of the entry point, with its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltInValue {
    GlobalInvocationId,
    LocalInvocationId,
    LocalInvocationIndex,
    WorkgroupId,
    NumWorkgroups,
    WorkgroupSize,
    NumSubgroups,
    SubgroupId,
    SubgroupSize,
    SubgroupInvocationId,
}

/// A whole entry point.
#[derive(Debug, Clone, Default)]
pub(super) struct Code {
    /// All functions, empty where the entry point does not reach them; the last is the entry point.
    pub functions: Vec<Function>,
    pub flats: Vec<Flat>,
    pub accesses: Vec<AccessInfo>,
    pub buffers: Vec<BoundBuffer>,
    pub textures: Vec<BoundTexture>,
    /// Where textures are used.
    pub uses: Vec<Use>,
    /// What cannot be executed, in the order of the text.
    pub unsupported: Vec<Unsupported>,
    /// Positions of calls, by their number.
    pub calls: Vec<Position>,
    /// How many masks of clamped lanes there are.
    pub clamps: usize,
    /// Rows of private and function variables: the first ones.
    pub local_rows: u32,
    /// Words of all slots together.
    pub words: usize,
    /// Slots that hold the same word in every lane throughout.
    pub constants: Vec<(Slot, u32)>,
    pub built_ins: Vec<(Slot, BuiltInValue)>,
    /// Private variables: first row and initial words.
    pub privates: Vec<(u32, Vec<u32>)>,
    pub workgroup_bytes: u32,
    pub workgroup_size: [u32; 3],
    pub lanes: usize,
    /// Lanes of a subgroup.
    pub subgroup: usize,
}
