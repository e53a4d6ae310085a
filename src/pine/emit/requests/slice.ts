// The statements that one value of a script depends on; everything else is left out.
//
// A statement counts when it gives a needed variable its value, or changes what such a variable refers to; then
// everything it reads is needed as well, and so are the conditions of the structures around it.

import type { Shape } from '../../builtins/types.ts';
import type { Block, Expr, FunctionInstance, Stmt, Structure, Variable } from '../../check/tree.ts';
import { blocksOf, isStructure, partsOf, walkBlock, walkStatement, walkStatements } from '../walk-tree.ts';

interface Leaf {
  readonly statement: Stmt;
  /** Variables it sets, or whose arrays and objects it may change. */
  readonly touches: ReadonlySet<Variable>;
  readonly reads: ReadonlySet<Variable>;
  /** The structures around it. */
  readonly inside: readonly Structure[];
}

export interface SliceOptions {
  /** Kept whatever it does. */
  readonly root: Stmt;
  /** Statements that may only set these variables: the rest of them stands elsewhere. */
  readonly laidOpen: ReadonlySet<Stmt>;
  readonly own: ReadonlySet<Variable>;
}

export interface Slice {
  readonly statements: readonly Stmt[];
  /** Variables that are read and that nothing in the slice declares. */
  readonly missing: readonly Variable[];
}

export function sliceOf(statements: readonly Stmt[], options: SliceOptions): Slice {
  const leaves = statements.flatMap((statement) => {
    const found = leavesOf(statement, []);
    const isLaidOpen = options.laidOpen.has(statement);
    return isLaidOpen ? found.filter(({ touches }) => [...touches].every((one) => options.own.has(one))) : found;
  });
  const needed = new Set<Variable>();
  const kept = new Set<Stmt>();
  const around = new Set<Structure>();
  const keep = ({ statement, touches, reads, inside }: Leaf): void => {
    kept.add(statement);
    // What is done to an array under another name is needed as well.
    for (const variable of touches) if (isReference(variable.type.shape)) needed.add(variable);
    for (const variable of reads) needed.add(variable);
    for (const structure of inside) {
      around.add(structure);
      for (const variable of conditionReads(structure)) needed.add(variable);
    }
  };
  keep(leaves.find(({ statement }) => statement === options.root)!);
  for (let size = -1; size !== kept.size; ) {
    size = kept.size;
    for (const leaf of leaves) {
      const isNeeded = [...leaf.touches].some((variable) => needed.has(variable)) || endsTurnOf(leaf, around);
      if (isNeeded && !kept.has(leaf.statement)) keep(leaf);
    }
  }
  const rest = keptOf(statements, kept);
  const declared = declaredIn(rest);
  const missing = [...needed].filter((one) => one.constant === undefined && !declared.has(one));
  return { statements: rest, missing };
}

/** Whether it is a break or continue of a loop that stays. */
function endsTurnOf({ statement, inside }: Leaf, kept: ReadonlySet<Structure>): boolean {
  if ('value' in statement) return false;
  const loop = inside.findLast(({ kind }) => kind === 'for' || kind === 'for-in' || kind === 'while');
  return loop !== undefined && kept.has(loop);
}

function leavesOf(statement: Stmt, inside: readonly Structure[]): Leaf[] {
  if (statement.kind === 'evaluate' && isStructure(statement.value)) {
    const deeper = [...inside, statement.value];
    return blocksOf(statement.value).flatMap((block) => block.statements.flatMap((one) => leavesOf(one, deeper)));
  }
  if (!('value' in statement)) return [{ statement, touches: new Set(), reads: new Set(), inside }];
  if (isOutput(statement)) return [];
  return [{ statement, touches: touchedBy(statement), reads: readBy(statement), inside }];
}

/** Plots and the like, which the chart has and nobody else. */
const isOutput = (statement: Stmt): boolean =>
  statement.kind === 'evaluate' &&
  statement.value.kind === 'call' &&
  (statement.value.place !== undefined || statement.value.name.startsWith('strategy.'));

/** The kept statements; a structure without any is left out. */
function keptOf(statements: readonly Stmt[], kept: ReadonlySet<Stmt>): Stmt[] {
  return statements.flatMap((statement): Stmt[] => {
    if (statement.kind !== 'evaluate' || !isStructure(statement.value)) return kept.has(statement) ? [statement] : [];
    if (!holdsKept(statement.value, kept)) return [];
    return [{ ...statement, value: keptStructure(statement.value, kept) }];
  });
}

function holdsKept(structure: Structure, kept: ReadonlySet<Stmt>): boolean {
  let found = false;
  for (const { statements } of blocksOf(structure))
    walkStatements(statements, (statement) => {
      found ||= kept.has(statement);
    });
  return found;
}

function keptStructure(structure: Structure, kept: ReadonlySet<Stmt>): Structure {
  const block = ({ statements }: Block): Block => ({ statements: keptOf(statements, kept), value: null });
  const maybe = (other: Block | null): Block | null => (other === null ? null : block(other));
  if (structure.kind === 'if') {
    const branches = structure.branches.map(({ condition, body }) => ({ condition, body: block(body) }));
    return { ...structure, branches, otherwise: maybe(structure.otherwise) };
  }
  if (structure.kind === 'switch') {
    const arms = structure.arms.map(({ match, body }) => ({ match, body: block(body) }));
    return { ...structure, arms, otherwise: maybe(structure.otherwise) };
  }
  return { ...structure, body: block(structure.body) };
}

// What a statement sets and reads

const isReference = ({ kind }: Shape): boolean =>
  kind === 'array' || kind === 'matrix' || kind === 'map' || kind === 'user';

/** Functions that change their first argument. */
const CHANGES =
  /^(array|matrix|map)\.(push|set|insert|remove|pop|shift|unshift|clear|fill|concat|reverse|sort|put|put_all|add_row|add_col|remove_row|remove_col|swap_rows|swap_columns|reshape)$/;

function touchedBy(statement: Stmt): Set<Variable> {
  const touched = new Set<Variable>();
  const references = (expr: Expr): void => {
    if (expr.kind === 'variable' && isReference(expr.variable.type.shape)) touched.add(expr.variable);
    for (const part of partsOf(expr)) references(part);
  };
  walkStatements([statement], (one) => {
    if (one.kind === 'declare' || one.kind === 'assign') {
      touched.add(one.variable);
      // Another name for the same array: what is done to the one is done to the other.
      if (isReference(one.variable.type.shape)) references(one.value);
    }
    if (one.kind === 'declare-tuple')
      for (const variable of one.variables) if (variable !== null) touched.add(variable);
    if (one.kind === 'assign-field') references(one.target);
  });
  walkStatement(statement, (expr) => {
    if (expr.kind === 'call' && CHANGES.test(expr.name)) references(expr);
    if (expr.kind !== 'user-call') return;
    references(expr);
    for (const variable of globalsOf(expr.callee)) if (isReference(variable.type.shape)) touched.add(variable);
  });
  return touched;
}

function readBy(statement: Stmt): Set<Variable> {
  const read = new Set<Variable>();
  walkStatement(statement, (expr) => noteRead(read, expr));
  walkStatements([statement], (one) => {
    if (one.kind === 'assign') read.add(one.variable);
  });
  return read;
}

function conditionReads(structure: Structure): Set<Variable> {
  const read = new Set<Variable>();
  const visit = (expr: Expr): void => {
    noteRead(read, expr);
    for (const part of partsOf(expr)) visit(part);
  };
  for (const part of partsOf(structure)) visit(part);
  return read;
}

function noteRead(read: Set<Variable>, expr: Expr): void {
  if (expr.kind === 'variable') read.add(expr.variable);
  if (expr.kind === 'user-call') for (const variable of globalsOf(expr.callee)) read.add(variable);
}

const globals = new WeakMap<FunctionInstance, ReadonlySet<Variable>>();

/** Variables of the outermost scope that a function reads, itself or through others. */
function globalsOf(callee: FunctionInstance): ReadonlySet<Variable> {
  const known = globals.get(callee);
  if (known !== undefined) return known;
  const found = new Set<Variable>();
  walkBlock(callee.body, (expr) => {
    if (expr.kind === 'variable' && expr.variable.scope === 'global') found.add(expr.variable);
    if (expr.kind === 'user-call') for (const variable of globalsOf(expr.callee)) found.add(variable);
  });
  globals.set(callee, found);
  return found;
}

/** Every variable that the statements declare, loops and inner blocks included. */
function declaredIn(statements: readonly Stmt[]): Set<Variable> {
  const declared = new Set<Variable>();
  walkStatements(statements, (one) => {
    if (one.kind === 'declare') declared.add(one.variable);
    if (one.kind === 'declare-tuple')
      for (const variable of one.variables) if (variable !== null) declared.add(variable);
  });
  for (const statement of statements)
    walkStatement(statement, (expr) => {
      if (expr.kind === 'for') declared.add(expr.counter);
      if (expr.kind !== 'for-in') return;
      declared.add(expr.item);
      if (expr.index !== null) declared.add(expr.index);
    });
  return declared;
}
