//! The graph of what is computed from what, with the places where a value decides something.

use naga::{AddressSpace, Block, Expression, Function, Handle, Span, Statement};

use super::{Numbers, Sources, functions};
use crate::interpreter::{gather_index, inner_blocks, operands};
use crate::shader::Specialised;
use crate::trace::Position;

/// What a value decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SinkKind {
    /// The address of an access.
    Address,
    /// Which lanes reach an access, a barrier or the end of a turn.
    Branch,
    /// When a loop ends.
    Loop,
}

/// A place where values decide something.
#[derive(Debug, Clone)]
pub(crate) struct Sink {
    pub(crate) kind: SinkKind,
    pub(crate) position: Position,
    /// The variable whose address it is.
    pub(crate) variable: Option<u32>,
    /// The nodes whose contents decide.
    pub(super) nodes: Vec<usize>,
}

/// The graph.
pub(super) struct Flow<'a> {
    shader: &'a Specialised,
    functions: Vec<&'a Function>,
    numbers: Vec<Numbers>,
    /// Node of the first global variable.
    globals: usize,
    /// For each node those computed from it.
    edges: Vec<Vec<usize>>,
    seeds: Vec<Sources>,
    pub(super) sinks: Vec<Sink>,
    /// Which functions access memory or wait, directly or not.
    touches: Vec<bool>,
}

/// Where a pointer leads.
#[derive(Clone, Copy)]
enum Root {
    Global(Handle<naga::GlobalVariable>),
    /// A node of a variable or of a pointer argument.
    Node(usize),
}

impl<'a> Flow<'a> {
    pub(super) fn build(shader: &'a Specialised) -> Self {
        let functions = functions(&shader.module, &shader.reflection().entry_point);
        let (mut numbers, mut next) = (Vec::with_capacity(functions.len()), 0);
        for function in &functions {
            let (own, free) = Numbers::new(function, next);
            numbers.push(own);
            next = free;
        }
        let count = next + shader.module.global_variables.len();
        let mut this = Self {
            shader,
            numbers,
            globals: next,
            edges: vec![Vec::new(); count],
            seeds: vec![Sources::default(); count],
            sinks: Vec::new(),
            touches: Vec::new(),
            functions,
        };
        for (handle, variable) in shader.module.global_variables.iter() {
            if let AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::Handle = variable.space {
                this.seeds[next + handle.index()] = Sources::of(handle);
            }
        }
        for number in 0..this.functions.len() {
            let function = this.functions[number];
            // Functions are called by later ones only, so what they touch is known.
            let touches = this.touches_memory(number, &function.body);
            this.touches.push(touches);
            this.expressions(number);
            let control = this.numbers[number].control;
            this.block(number, &function.body, &mut vec![control]);
        }
        this
    }

    /// For each node the buffers that reach it.
    pub(super) fn spread(&self) -> Vec<Sources> {
        let mut reached = self.seeds.clone();
        let mut open: Vec<usize> = (0..reached.len()).filter(|node| reached[*node] != Sources::default()).collect();
        while let Some(node) = open.pop() {
            for next in &self.edges[node] {
                let all = reached[*next].or(reached[node]);
                if all != reached[*next] {
                    reached[*next] = all;
                    open.push(*next);
                }
            }
        }
        reached
    }

    fn edge(&mut self, from: usize, to: usize) {
        self.edges[from].push(to);
    }

    fn node(&self, number: usize, handle: Handle<Expression>) -> usize {
        self.numbers[number].expression(handle)
    }

    fn root(&self, number: usize, pointer: Handle<Expression>) -> Option<Root> {
        let own = self.numbers[number];
        match self.functions[number].expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.root(number, base),
            Expression::GlobalVariable(variable) => Some(Root::Global(variable)),
            Expression::LocalVariable(variable) => Some(Root::Node(own.locals + variable.index())),
            Expression::FunctionArgument(index) => Some(Root::Node(own.arguments + index as usize)),
            _ => None,
        }
    }

    const fn place(&self, root: Root) -> usize {
        match root {
            Root::Global(variable) => self.globals + variable.index(),
            Root::Node(node) => node,
        }
    }

    /// The global variable of memory that accesses are counted of.
    fn counted(&self, number: usize, pointer: Handle<Expression>) -> Option<Handle<naga::GlobalVariable>> {
        let Some(Root::Global(variable)) = self.root(number, pointer) else { return None };
        let space = self.shader.module.global_variables[variable].space;
        matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::WorkGroup)
            .then_some(variable)
    }

    fn sink(&mut self, kind: SinkKind, span: Span, variable: Option<u32>, nodes: Vec<usize>) {
        let position = self.shader.source.start(span);
        self.sinks.push(Sink { kind, position, variable, nodes });
    }

    /// The address of an access, where it is one that is counted.
    fn address(&mut self, number: usize, pointer: Handle<Expression>, span: Span) {
        if let Some(variable) = self.counted(number, pointer) {
            let index = u32::try_from(variable.index()).unwrap_or(u32::MAX);
            let node = self.node(number, pointer);
            self.sink(SinkKind::Address, span, Some(index), vec![node]);
        }
    }

    fn expressions(&mut self, number: usize) {
        let (function, own) = (self.functions[number], self.numbers[number]);
        for (handle, expression) in function.expressions.iter() {
            let to = own.expression(handle);
            for operand in operands(expression) {
                self.edge(own.expression(operand), to);
            }
            match *expression {
                Expression::Load { pointer } => {
                    if let Some(root) = self.root(number, pointer) {
                        self.edge(self.place(root), to);
                    }
                    self.address(number, pointer, function.expressions.get_span(handle));
                }
                Expression::CooperativeLoad { ref data, .. } => {
                    if let Some(root) = self.root(number, data.pointer) {
                        self.edge(self.place(root), to);
                    }
                    self.address(number, data.pointer, function.expressions.get_span(handle));
                }
                Expression::ImageLoad { image, .. } | Expression::ImageSample { image, .. } => {
                    if let Some(root) = self.root(number, image) {
                        self.edge(self.place(root), to);
                    }
                }
                Expression::FunctionArgument(index) => self.edge(own.arguments + index as usize, to),
                Expression::CallResult(callee) => self.edge(self.numbers[callee.index()].result, to),
                _ => {}
            }
        }
    }

    /// Statements under conditions: the nodes of `under` decide whether they are executed.
    fn block(&mut self, number: usize, block: &'a Block, under: &mut Vec<usize>) {
        for (statement, span) in block.span_iter() {
            self.statement(number, statement, *span, under);
            let before = under.len();
            match statement {
                Statement::If { condition, .. } => under.push(self.node(number, *condition)),
                Statement::Switch { selector, .. } => under.push(self.node(number, *selector)),
                // How often the body is executed depends on what ends the loop.
                Statement::Loop { .. } => under.extend(self.exits(number, statement)),
                _ => {}
            }
            for inner in inner_blocks(statement) {
                self.block(number, inner, under);
            }
            under.truncate(before);
        }
    }

    fn statement(&mut self, number: usize, statement: &'a Statement, span: Span, under: &[usize]) {
        let own = self.numbers[number];
        let node = |handle: &Handle<Expression>| own.expression(*handle);
        match statement {
            Statement::Store { pointer, value } => {
                self.write(number, *pointer, &[*value], under);
                self.address(number, *pointer, span);
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let mut from = vec![*value];
                if let naga::AtomicFunction::Exchange { compare: Some(compared) } = fun {
                    from.push(*compared);
                }
                self.write(number, *pointer, &from, under);
                self.address(number, *pointer, span);
                if let (Some(result), Some(root)) = (result, self.root(number, *pointer)) {
                    self.edge(self.place(root), node(result));
                }
            }
            Statement::CooperativeStore { target, data } => {
                self.write(number, data.pointer, &[*target, data.stride], under);
                self.address(number, data.pointer, span);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.address(number, *pointer, span);
                if let Some(root) = self.root(number, *pointer) {
                    self.edge(self.place(root), node(result));
                }
                self.edge(node(pointer), node(result));
            }
            Statement::Call { function, arguments, .. } => {
                let callee = self.numbers[function.index()];
                for (k, argument) in arguments.iter().enumerate() {
                    let to = callee.arguments + k;
                    self.edge(node(argument), to);
                    // A pointer: what is behind it is one for both.
                    if let Some(root) = self.root(number, *argument) {
                        let behind = self.place(root);
                        self.edge(behind, to);
                        self.edge(to, behind);
                    }
                }
                for from in under {
                    self.edge(*from, callee.control);
                }
            }
            Statement::Return { value } => {
                let to = self.numbers[number].result;
                for from in value.iter().map(node).chain(under.iter().copied()) {
                    self.edge(from, to);
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                for from in predicate.iter().map(node).chain(under.iter().copied()) {
                    self.edge(from, node(result));
                }
            }
            Statement::SubgroupCollectiveOperation { argument, result, .. } => {
                self.edge(node(argument), node(result));
            }
            Statement::SubgroupGather { mode, argument, result } => {
                for from in gather_index(mode).into_iter().chain([*argument]) {
                    self.edge(node(&from), node(result));
                }
            }
            Statement::If { condition, accept, reject }
                if self.decides(number, accept) || self.decides(number, reject) =>
            {
                self.sink(SinkKind::Branch, span, None, vec![node(condition)]);
            }
            Statement::Switch { selector, cases } if cases.iter().any(|case| self.decides(number, &case.body)) => {
                self.sink(SinkKind::Branch, span, None, vec![node(selector)]);
            }
            Statement::Loop { .. } => {
                let exits = self.exits(number, statement);
                self.sink(SinkKind::Loop, span, None, exits);
            }
            _ => {}
        }
    }

    fn write(&mut self, number: usize, pointer: Handle<Expression>, from: &[Handle<Expression>], under: &[usize]) {
        let Some(root) = self.root(number, pointer) else { return };
        let to = self.place(root);
        // The index matters too: it decides which element holds the value.
        for handle in from.iter().chain([&pointer]) {
            self.edge(self.node(number, *handle), to);
        }
        for node in under {
            self.edge(*node, to);
        }
    }

    /// The conditions under which lanes leave a loop.
    fn exits(&self, number: usize, node: &Statement) -> Vec<usize> {
        let Statement::Loop { body, continuing, break_if } = node else { return Vec::new() };
        let mut exits: Vec<usize> = break_if.iter().map(|condition| self.node(number, *condition)).collect();
        for block in [body, continuing] {
            self.leaves(number, block, false, &mut Vec::new(), &mut exits);
        }
        exits
    }

    /// Collects the conditions around what leaves the loop; a `break` inside an inner loop or switch leaves only that.
    fn leaves(&self, number: usize, block: &Block, inside: bool, under: &mut Vec<usize>, exits: &mut Vec<usize>) {
        for statement in block {
            match statement {
                Statement::Break if !inside => exits.extend(under.iter()),
                Statement::Return { .. } => exits.extend(under.iter()),
                _ => {}
            }
            let before = under.len();
            let inside = match statement {
                Statement::If { condition, .. } => {
                    under.push(self.node(number, *condition));
                    inside
                }
                Statement::Switch { selector, .. } => {
                    under.push(self.node(number, *selector));
                    true
                }
                Statement::Loop { .. } => true,
                _ => inside,
            };
            for inner in inner_blocks(statement) {
                self.leaves(number, inner, inside, under, exits);
            }
            under.truncate(before);
        }
    }

    /// Whether it matters for counts that lanes execute this block: there is an access in it, a barrier, or a jump out of
    /// it that is no end of a loop.
    fn decides(&self, number: usize, block: &Block) -> bool {
        self.touches_memory(number, block) || block.iter().any(|statement| self.jumps(number, statement))
    }

    fn jumps(&self, number: usize, statement: &Statement) -> bool {
        matches!(statement, Statement::Continue | Statement::Kill)
            // naga ends every branch of a last `if` with a return of its own, so only one that skips something counts.
            || (matches!(statement, Statement::Return { .. }) && self.touches_memory(number, &self.functions[number].body))
            || inner_blocks(statement).into_iter().any(|block| block.iter().any(|inner| self.jumps(number, inner)))
    }

    fn touches_memory(&self, number: usize, block: &Block) -> bool {
        let counted = |pointer: Handle<Expression>| self.counted(number, pointer).is_some();
        block.iter().any(|statement| match statement {
            Statement::Emit(range) => range.clone().any(|handle| match self.functions[number].expressions[handle] {
                Expression::Load { pointer } => counted(pointer),
                Expression::CooperativeLoad { .. } => true,
                _ => false,
            }),
            Statement::Store { pointer, .. }
            | Statement::Atomic { pointer, .. }
            | Statement::WorkGroupUniformLoad { pointer, .. } => counted(*pointer),
            Statement::CooperativeStore { .. } | Statement::ControlBarrier(_) => true,
            Statement::Call { function, .. } => self.touches.get(function.index()).copied().unwrap_or(false),
            _ => inner_blocks(statement).into_iter().any(|inner| self.touches_memory(number, inner)),
        })
    }
}
