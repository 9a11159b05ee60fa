//! The graph of what is computed from what, with the places where a value decides something.

use std::ops::Range;

use naga::{AddressSpace, AtomicFunction, Block, Expression, Function, Handle, Span, Statement, TypeInner};

use super::decides::is_executed_for_itself;
use super::graph::Graph;
use super::places::{Places, Root, behind, members, root};
use super::{Sink, SinkKind, Sources, functions};
use crate::interpreter::operands::{gather_index, operands};
use crate::shader::Specialised;

/// The nodes of one function.
pub(super) struct Numbers {
    /// The first expression's; `None` for a function that is never called.
    pub(super) expressions: Option<usize>,
    places: Places,
    result: usize,
    /// Under what the function is called.
    control: usize,
    /// Whether it accesses memory or waits, directly or not.
    pub(super) touches: bool,
}

impl Numbers {
    /// The nodes of a variable, or of one member of it.
    pub(super) fn nodes(&self, globals: &[Range<usize>], root: Root, member: Option<usize>) -> Range<usize> {
        let whole = match root {
            Root::Global(variable) => globals.get(variable.index()),
            Root::Local(index) => self.places.locals.get(index),
            Root::Argument(index) => self.places.arguments.get(index),
        };
        match (whole.cloned().unwrap_or(0..0), member) {
            (whole, Some(member)) if member < whole.len() => whole.start + member..whole.start + member + 1,
            (whole, _) => whole,
        }
    }
}

/// The nodes under which lanes left a block early, as seen from the innermost loop.
#[derive(Default)]
struct Jumps {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    returns: Vec<usize>,
}

impl Jumps {
    /// Those after which a lane stays in the function.
    fn staying(&self) -> Vec<usize> {
        self.breaks.iter().chain(&self.continues).copied().collect()
    }

    fn add(&mut self, other: Self) {
        self.breaks.extend(other.breaks);
        self.continues.extend(other.continues);
        self.returns.extend(other.returns);
    }
}

/// What decides whether a statement is executed.
#[derive(Clone, Copy)]
struct Under {
    /// All conditions around it, and those under which it is skipped.
    all: usize,
    /// The same without those under which a lane has returned: it does not miss what it would have done.
    own: usize,
    /// Those inside the innermost loop.
    inside: usize,
}

/// The graph in the making.
pub(super) struct Flow<'a> {
    shader: &'a Specialised,
    pub(super) functions: Vec<&'a Function>,
    pub(super) graph: Graph,
    pub(super) numbers: Vec<Numbers>,
    pub(super) globals: Vec<Range<usize>>,
    pub(super) sinks: Vec<Sink>,
    /// Nodes that must be computed although they are no sinks: conditions around what is executed for itself.
    pub(super) kept: Vec<usize>,
    /// Whether there are cooperative matrices: which of them a lane means must be the same in its subgroup.
    cooperative: bool,
}

impl<'a> Flow<'a> {
    /// The graph of an entry point and the functions that it reaches.
    pub(super) fn build(shader: &'a Specialised, reached: &[bool]) -> Self {
        let mut graph = Graph::default();
        let globals = shader.module.global_variables.iter().map(|(handle, variable)| {
            let count = members(&shader.module, variable.ty);
            let first = graph.nodes(count);
            if let AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::Handle = variable.space {
                (first..first + count).for_each(|node| graph.seed(node, Sources::of(handle)));
            }
            first..first + count
        });
        let globals = globals.collect();
        let functions = functions(shader).collect();
        let (numbers, sinks, kept) = (Vec::new(), Vec::new(), Vec::new());
        let types = &shader.module.types;
        let cooperative = types.iter().any(|(_, ty)| matches!(ty.inner, TypeInner::CooperativeMatrix { .. }));
        let mut this = Self { shader, functions, graph, numbers, globals, sinks, kept, cooperative };
        // The entry point is the last one.
        for (number, reached) in reached.iter().copied().chain([true]).enumerate() {
            let function = this.functions[number];
            if !reached {
                let places = Places { locals: Vec::new(), arguments: Vec::new(), addresses: Vec::new() };
                this.numbers.push(Numbers { expressions: None, places, result: 0, control: 0, touches: false });
                continue;
            }
            let places = Places::new(&shader.module, function, &mut this.graph);
            let expressions = Some(this.graph.nodes(function.expressions.len()));
            let (result, control) = (this.graph.nodes(1), this.graph.nodes(1));
            this.numbers.push(Numbers { expressions, places, result, control, touches: false });
            // Functions are called by later ones only, so what those called here touch is known.
            this.numbers[number].touches = this.touches_memory(number, &function.body);
            this.expressions(number);
            let inside = this.graph.nodes(1);
            this.block(number, &function.body, Under { all: control, own: control, inside });
        }
        this
    }

    fn node(&self, number: usize, handle: Handle<Expression>) -> usize {
        self.numbers[number].expressions.unwrap_or(0) + handle.index()
    }

    /// The nodes of what a pointer leads to.
    fn behind(&self, number: usize, pointer: Handle<Expression>) -> Range<usize> {
        match root(&self.shader.module, self.functions[number], pointer) {
            Some((root, member)) => self.numbers[number].nodes(&self.globals, root, member),
            None => 0..0,
        }
    }

    /// The global variable of memory that accesses are counted of.
    pub(super) fn counted(&self, number: usize, pointer: Handle<Expression>) -> Option<Handle<naga::GlobalVariable>> {
        let (root, _) = root(&self.shader.module, self.functions[number], pointer)?;
        let Root::Global(variable) = root else { return None };
        let space = self.shader.module.global_variables[variable].space;
        matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::WorkGroup)
            .then_some(variable)
    }

    fn sink(&mut self, kind: SinkKind, span: Span, variable: Option<u32>, node: usize) {
        let position = self.shader.source.start(span);
        self.sinks.push(Sink { kind, position, variable, node });
    }

    /// The address of an access, where it is one that is counted.
    fn address(&mut self, number: usize, pointer: Handle<Expression>, stride: Option<Handle<Expression>>, span: Span) {
        if self.cooperative {
            self.kept.push(self.node(number, pointer));
        }
        if let Some(variable) = self.counted(number, pointer) {
            let index = u32::try_from(variable.index()).unwrap_or(u32::MAX);
            let nodes = [Some(pointer), stride].into_iter().flatten().map(|handle| self.node(number, handle));
            let nodes: Vec<usize> = nodes.collect();
            let node = self.graph.joined(nodes);
            self.sink(SinkKind::Address, span, Some(index), node);
        }
    }

    fn expressions(&mut self, number: usize) {
        let function = self.functions[number];
        for (handle, expression) in function.expressions.iter() {
            let to = self.node(number, handle);
            let span = function.expressions.get_span(handle);
            for operand in operands(expression) {
                self.graph.edge(self.node(number, operand), to);
            }
            match *expression {
                Expression::Load { pointer } => {
                    self.read(number, pointer, to);
                    self.address(number, pointer, None, span);
                }
                Expression::CooperativeLoad { ref data, .. } => {
                    self.read(number, data.pointer, to);
                    self.address(number, data.pointer, Some(data.stride), span);
                }
                Expression::ImageLoad { image, .. } | Expression::ImageSample { image, .. } => {
                    self.read(number, image, to);
                    // Uses of textures are counted, with the texels that they ask for.
                    self.kept.push(to);
                }
                Expression::FunctionArgument(index) => {
                    let own = &self.numbers[number].places;
                    let pointer = behind(&self.shader.module, function.arguments[index as usize].ty).is_some();
                    let from =
                        if pointer { own.addresses[index as usize] } else { own.arguments[index as usize].start };
                    self.graph.edge(from, to);
                }
                Expression::CallResult(callee) => self.graph.edge(self.numbers[callee.index()].result, to),
                _ => {}
            }
        }
    }

    /// What is behind a pointer goes to a node.
    fn read(&mut self, number: usize, pointer: Handle<Expression>, to: usize) {
        self.behind(number, pointer).for_each(|from| self.graph.edge(from, to));
    }

    fn write(&mut self, number: usize, pointer: Handle<Expression>, from: &[Handle<Expression>], under: Under) {
        // The index matters too: it decides which element holds the value.
        let from: Vec<usize> = from.iter().chain([&pointer]).map(|handle| self.node(number, *handle)).collect();
        // Nobody else looks at a lane's own variables.
        let local = matches!(root(&self.shader.module, self.functions[number], pointer), Some((Root::Local(_), _)));
        let value = self.graph.joined(from.into_iter().chain([if local { under.own } else { under.all }]));
        self.behind(number, pointer).for_each(|to| self.graph.edge(value, to));
    }

    /// What is under more conditions, or done by lanes that have not returned.
    fn under(&mut self, under: Under, conditions: &[usize], returned: &[usize]) -> Under {
        let mut joined = |outer: usize, returned: &[usize]| {
            self.graph.joined(conditions.iter().chain(returned).copied().chain([outer]))
        };
        Under { all: joined(under.all, returned), own: joined(under.own, &[]), inside: joined(under.inside, returned) }
    }

    /// Statements in their order; returns under what lanes leave them early.
    fn block(&mut self, number: usize, block: &'a Block, mut under: Under) -> Jumps {
        let mut all = Jumps::default();
        for (statement, span) in block.span_iter() {
            let jumps = self.statement(number, statement, *span, under);
            let staying = jumps.staying();
            if !staying.is_empty() || !jumps.returns.is_empty() {
                under = self.under(under, &staying, &jumps.returns);
                all.add(jumps);
            }
        }
        all
    }

    fn statement(&mut self, number: usize, statement: &'a Statement, span: Span, under: Under) -> Jumps {
        match statement {
            Statement::Block(block) => return self.block(number, block, under),
            Statement::If { condition, accept, reject } => {
                return self.branch(number, *condition, &[accept, reject], span, under);
            }
            Statement::Switch { selector, cases } => {
                let blocks: Vec<&Block> = cases.iter().map(|case| &case.body).collect();
                let mut jumps = self.branch(number, *selector, &blocks, span, under);
                // They leave the switch only.
                jumps.breaks.clear();
                return jumps;
            }
            Statement::Loop { body, continuing, break_if } => {
                return self.repeat(number, [body, continuing], *break_if, span, under);
            }
            Statement::Break => return Jumps { breaks: vec![under.inside], ..Jumps::default() },
            Statement::Continue => return Jumps { continues: vec![under.inside], ..Jumps::default() },
            Statement::Kill => return Jumps { returns: vec![under.inside], ..Jumps::default() },
            Statement::Return { value } => {
                let to = self.numbers[number].result;
                self.graph.edge(under.all, to);
                if let Some(value) = value {
                    self.graph.edge(self.node(number, *value), to);
                }
                return Jumps { returns: vec![under.inside], ..Jumps::default() };
            }
            Statement::Store { pointer, value } => {
                self.write(number, *pointer, &[*value], under);
                self.address(number, *pointer, None, span);
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let compare = if let AtomicFunction::Exchange { compare } = fun { *compare } else { None };
                let from: Vec<Handle<Expression>> = [*value].into_iter().chain(compare).collect();
                self.write(number, *pointer, &from, under);
                self.address(number, *pointer, None, span);
                if let Some(result) = result {
                    self.read(number, *pointer, self.node(number, *result));
                }
            }
            Statement::CooperativeStore { target, data } => {
                self.write(number, data.pointer, &[*target, data.stride], under);
                self.address(number, data.pointer, Some(data.stride), span);
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.address(number, *pointer, None, span);
                let to = self.node(number, *result);
                self.read(number, *pointer, to);
                self.graph.edge(self.node(number, *pointer), to);
            }
            Statement::ImageStore { image, coordinate, array_index, value }
            | Statement::ImageAtomic { image, coordinate, array_index, value, .. } => {
                let at: Vec<Handle<Expression>> = [*coordinate].into_iter().chain(*array_index).collect();
                self.write(number, *image, &[at.as_slice(), &[*value]].concat(), under);
                let at: Vec<usize> = at.into_iter().map(|handle| self.node(number, handle)).collect();
                self.kept.extend(at);
            }
            Statement::Call { function, arguments, .. } => self.call(number, function.index(), arguments, under),
            Statement::SubgroupBallot { result, predicate } => {
                self.collect(number, *result, predicate.iter().copied(), under);
            }
            Statement::SubgroupCollectiveOperation { argument, result, .. } => {
                self.collect(number, *result, [*argument], under);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                self.collect(number, *result, gather_index(mode).into_iter().chain([*argument]), under);
            }
            Statement::Emit(_)
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_) => {}
        }
        Jumps::default()
    }

    /// A result of several lanes: which of them take part matters too.
    fn collect(
        &mut self,
        number: usize,
        result: Handle<Expression>,
        from: impl IntoIterator<Item = Handle<Expression>>,
        under: Under,
    ) {
        let to = self.node(number, result);
        for from in from {
            self.graph.edge(self.node(number, from), to);
        }
        self.graph.edge(under.all, to);
    }

    fn call(&mut self, number: usize, callee: usize, arguments: &[Handle<Expression>], under: Under) {
        for (k, argument) in arguments.iter().enumerate() {
            let places = &self.numbers[callee].places;
            let (Some(to), Some(address)) = (places.arguments.get(k).cloned(), places.addresses.get(k).copied()) else {
                continue;
            };
            let from = self.node(number, *argument);
            let is_pointer = behind(&self.shader.module, self.functions[callee].arguments[k].ty).is_some();
            if !is_pointer {
                to.for_each(|to| self.graph.edge(from, to));
                continue;
            }
            self.graph.edge(from, address);
            // What is behind a pointer is one for both.
            let behind = self.behind(number, *argument);
            let pairs: Vec<(usize, usize)> = if behind.len() == to.len() {
                behind.zip(to).collect()
            } else {
                behind.flat_map(|outer| to.clone().map(move |inner| (outer, inner))).collect()
            };
            for (outer, inner) in pairs {
                self.graph.edge(outer, inner);
                self.graph.edge(inner, outer);
            }
        }
        self.graph.edge(under.all, self.numbers[callee].control);
    }

    fn branch(
        &mut self,
        number: usize,
        condition: Handle<Expression>,
        blocks: &[&'a Block],
        span: Span,
        under: Under,
    ) -> Jumps {
        let node = self.node(number, condition);
        if blocks.iter().any(|block| self.decides(number, block)) {
            self.sink(SinkKind::Branch, span, None, node);
        } else if blocks.iter().any(|block| is_executed_for_itself(block)) {
            self.kept.push(node);
        }
        let under = self.under(under, &[node], &[]);
        let mut jumps = Jumps::default();
        for block in blocks {
            jumps.add(self.block(number, block, under));
        }
        jumps
    }

    fn repeat(
        &mut self,
        number: usize,
        blocks: [&'a Block; 2],
        break_if: Option<Handle<Expression>>,
        span: Span,
        under: Under,
    ) -> Jumps {
        // How often the body is executed depends on what ends the loop.
        let (exit, staying) = (self.graph.nodes(1), self.graph.nodes(1));
        let turn = Under {
            all: self.graph.joined([under.all, exit]),
            own: self.graph.joined([under.own, staying]),
            inside: self.graph.nodes(1),
        };
        let mut jumps = Jumps::default();
        for block in blocks {
            jumps.add(self.block(number, block, turn));
        }
        let condition = break_if.map(|condition| self.node(number, condition));
        for from in jumps.breaks.iter().copied().chain(condition) {
            self.graph.edge(from, staying);
        }
        for from in jumps.returns.iter().copied().chain([staying]) {
            self.graph.edge(from, exit);
        }
        self.sink(SinkKind::Loop, span, None, exit);
        let returns = if jumps.returns.is_empty() {
            Vec::new()
        } else {
            vec![self.graph.joined(jumps.returns.into_iter().chain([under.inside]))]
        };
        Jumps { returns, ..Jumps::default() }
    }
}
