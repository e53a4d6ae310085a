// What every part of the checker stands on: the program that grows, the module and scope it is in, and the findings.

import type { PineType, PineVersion, Qualifier } from '../builtins/types.ts';
import type { Block as BlockNode, Expression, Name, Span, Statement } from '../syntax/index.ts';
import type { Declaration as ScriptDeclaration } from './declaration.ts';
import type { CheckFault } from './faults.ts';
import { isBuiltinVariable, type Module, Scope, type VariableRole, type VariableSymbol } from './scopes.ts';
import type { Declaration, SemanticInfo } from './semantic-info.ts';
import { isUnknown, unknownExpr } from './shapes.ts';
import type {
  Block,
  ConstantExpr,
  Expr,
  FunctionInstance,
  InputSpec,
  OutputSpec,
  Stmt,
  UserEnum,
  UserType,
  Variable,
} from './tree.ts';

/** How much of a structure's or block's value is asked for; a tail is a value if its branches agree, else none. */
export type Want = 'none' | 'tail' | 'value';

/** The parts that call each other in a circle; handed in by index.ts, where they meet. */
export interface Parts {
  readonly expression: (c: Checker, node: Expression, want: Want) => Expr;
  readonly block: (c: Checker, statements: readonly Statement[], want: Want, under: Qualifier) => Block;
  readonly library: (c: Checker, key: string, at: Span) => Module | null;
}

/** What the checked program is made of, shared by the script and its libraries. */
export class Program {
  readonly types = new Map<string, UserType>();
  readonly enums = new Map<string, UserEnum>();
  readonly functions: FunctionInstance[] = [];
  readonly inputs: InputSpec[] = [];
  readonly inputTitles = new Set<string>();
  readonly outputs: OutputSpec[] = [];
  declaration: ScriptDeclaration | null = null;
  /** Where the declaration stands. */
  declaredAt: Span | null = null;
  /** Whether anything in it shows or tells people something. */
  shows = false;
  instanceCount = 0;
  /** Functions whose value depends on what they were called with on earlier bars. */
  readonly historic = new Set<FunctionInstance>();
  /** Functions that request other symbols or timeframes. */
  readonly requesting = new Set<FunctionInstance>();
  /** Variables of blocks that do not run once on every bar. */
  readonly seldom = new Set<Variable>();
  /** Whether a function has no effect and cannot fail, as far as it was asked. */
  readonly harmless = new Map<FunctionInstance, boolean>();
  /** Where ints are declared that are given quotients further down. */
  readonly fractional: Set<string>;
  #lastId = 0;

  constructor(fractional: Set<string>) {
    this.fractional = fractional;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

/** Expressions, blocks and calls may lie this deep in each other over all functions; the stack has room for more. */
const MAX_DEPTH = 1500;

/**
 * Expressions looked at, those of a function once per combination of types it is called with. The longest text that is
 * read has fewer; more come from large functions that are called with ever new types.
 */
const MAX_LOOKS = 600_000;

/** Where in the program the checker is. */
export interface Place {
  readonly module: Module;
  readonly scope: Scope;
  /** What stands above this top-level statement is known. */
  readonly order: number;
  /** Name of the function whose body this is, or null. */
  readonly functionName: string | null;
  /** Inside of any block or function. */
  readonly local: boolean;
  /** Looks for mistakes only: nothing becomes part of the program. */
  readonly dry: boolean;
  /** Runs once on every bar, or once in every call of its function: no branch may skip it, no loop repeats it. */
  readonly steady: boolean;
  /** Whether this is an operand that may be skipped, and what it reads of the past can be worked out before it. */
  readonly lazy: 'no' | 'yes' | 'never';
}

export class Checker {
  readonly program: Program;
  readonly info: SemanticInfo;
  place: Place;
  /** The declared name and the call it holds the value of, so that an input can be named after it. */
  assigned: { readonly name: string; readonly node: Expression } | null = null;
  /** Whether something could not be checked because it could not be read. */
  broken = false;
  /** Whether the function at hand, or else the script, requests other data. */
  requests = false;
  /** What must be done before the statement at hand, or null where there is none. */
  before: Stmt[] | null = null;
  /** What the function at hand remembers of the script's variables, by the variable or the built-in's name. */
  remembered: Map<Variable | string, Variable> | null = null;
  /** Where the built-in variables that the script reads are first read, and the names it declares. */
  readonly builtinReads = new Map<string, number>();
  /** Names of variables that were declared in blocks, for whoever uses one outside of its block. */
  readonly blockNames = new Set<string>();
  readonly hidden: { readonly name: Name; readonly role: VariableRole }[] = [];
  /** Whether the function at hand, or else the script, was found to depend on earlier bars. */
  usesHistory = false;
  readonly #parts: Parts;
  #depth = 0;
  #looks = 0;

  constructor(program: Program, info: SemanticInfo, place: Place, parts: Parts) {
    this.program = program;
    this.info = info;
    this.place = place;
    this.#parts = parts;
  }

  get version(): PineVersion {
    return this.place.module.version;
  }

  report(fault: CheckFault, message: string, span: Span, remedy?: string): void {
    this.place.module.findings.report(fault, message, span, remedy);
  }

  warn(fault: CheckFault, message: string, span: Span, remedy: string): void {
    this.place.module.findings.report(fault, message, span, remedy, 'warning');
  }

  /** Reports and stands in for the expression at fault. */
  refuse(fault: CheckFault, message: string, span: Span, remedy?: string): ConstantExpr {
    this.report(fault, message, span, remedy);
    return unknownExpr(span);
  }

  /** Whether a remedy that takes time to find will be read by anybody. */
  get wantsRemedy(): boolean {
    return !this.place.module.findings.isFull;
  }

  /** Whether the bodies of functions have been looked at as often as they ever will be. */
  get isExhausted(): boolean {
    return this.#looks >= MAX_LOOKS;
  }

  /** An expression as it is, which may be a call without a value. */
  expression(node: Expression, want: Want = 'value'): Expr {
    if (this.isExhausted) return unknownExpr(node.span);
    this.#looks += 1;
    if (this.#depth >= MAX_DEPTH)
      return this.refuse(
        'tooDeep',
        'Calls and expressions lie too deep in each other here.',
        node.span,
        'Split it up.',
      );
    this.#depth += 1;
    const expr = this.#parts.expression(this, node, want);
    this.#depth -= 1;
    if (this.place.module.library === null) this.info.setType(node, expr.type);
    return expr;
  }

  /** An expression whose value is needed. */
  value(node: Expression): Expr {
    const expr = this.expression(node);
    if (expr.type.shape.kind !== 'void') return expr;
    return this.refuse('noValue', 'This has no value that could be used here.', node.span, 'Write it on its own line.');
  }

  /** `under`: how late it is known whether the block runs. */
  block(node: BlockNode, want: Want, under: Qualifier): Block {
    return this.#parts.block(this, node.statements, want, under);
  }

  library(key: string, at: Span): Module | null {
    return this.#parts.library(this, key, at);
  }

  refers(node: Parameters<SemanticInfo['setDeclaration']>[0], declaration: Declaration): void {
    if (this.place.module.library === null) this.info.setDeclaration(node, declaration);
  }

  /** Runs with another place and comes back to this one. */
  at<T>(place: Partial<Place>, run: () => T): T {
    const before = this.place;
    this.place = { ...before, ...place };
    const result = run();
    this.place = before;
    return result;
  }

  inside<T>(under: Qualifier, run: () => T): T {
    const steady = this.place.steady && under !== 'series';
    return this.at({ scope: new Scope(this.place.scope, under, steady), local: true, steady, lazy: 'no' }, run);
  }

  /** A condition that is looked at only when another says so, which is known as late as `under`, or again and again. */
  perhaps<T>(under: Qualifier, run: () => T): T {
    return under === 'series' ? this.at({ steady: false, lazy: 'never' }, run) : run();
  }

  /** An operand that is looked at only when the condition beside it says so. */
  lazily<T>(under: Qualifier, run: () => T): T {
    if (under !== 'series') return run();
    return this.at({ steady: false, lazy: this.place.lazy === 'no' ? 'yes' : this.place.lazy }, run);
  }

  /** What is worked out on every run of the block it is in. */
  onEveryRun<T>(run: () => T): T {
    if (this.place.lazy !== 'yes') return run();
    return this.at({ steady: this.place.scope.steady }, run);
  }

  find(name: string): VariableSymbol | null {
    return this.place.scope.find(name, this.place.order);
  }

  /** A new variable in the present scope; a name that it already has stays with its first declaration. */
  declare(name: Name, type: PineType, options: DeclareOptions = {}): Variable {
    const { scope, module, order, local } = this.place;
    const { role = 'variable', mode = 'plain', value = null, exported = false, asked = null } = options;
    const variable: Variable = {
      id: this.program.nextId(),
      name: name.text,
      type,
      scope: role === 'parameter' ? 'parameter' : local ? 'local' : 'global',
      mode,
      reassigned: module.reassigned.has(name),
      history: 0,
      span: name.span,
    };
    if (local && role === 'variable') this.blockNames.add(name.text);
    if (module.library === null) this.info.setType(name, type);
    if (!this.place.steady) this.program.seldom.add(variable);
    if (name.text === '' || name.text === '_') return variable;
    if (scope.names.has(name.text)) {
      // Two parameters of one name are reported where the function is declared.
      if (role === 'parameter') return variable;
      const remedy = `Write ":=" to give ${name.text} another value, or choose another name.`;
      this.report('redeclared', `${name.text} is already declared in this block.`, name.span, remedy);
    } else {
      if (this.version === 5 || this.#checkHead(name, role)) this.#checkOuter(name, role);
      if (module.library === null && role !== 'parameter') this.hidden.push({ name, role });
      const symbol = { variable, node: name, asked, role, order, global: !local, value, exported };
      scope.names.set(name.text, symbol);
    }
    return variable;
  }

  /** What the head of a function or a loop declares belongs to its block. Whether the name may be declared. */
  #checkHead(name: Name, role: VariableRole): boolean {
    const head = this.place.scope.parent?.names.get(name.text)?.role;
    if (role === 'parameter' || role === 'counter' || (head !== 'parameter' && head !== 'counter')) return true;
    const what = head === 'parameter' ? 'a parameter of the function' : 'the variable of the loop';
    this.report('redeclared', `${name.text} is already ${what}.`, name.span, 'Choose another name.');
    return false;
  }

  /** Nearly always ":=" was meant. A parameter is there to be something of its own; a built-in is another finding. */
  #checkOuter({ text, span }: Name, role: VariableRole): void {
    const { scope, order, local, module } = this.place;
    if (role === 'parameter' || !local || isBuiltinVariable(text, this.version)) return;
    const outer = scope.parent?.find(text, order) ?? null;
    const type = module.types.get(text);
    if (outer === null && (type === undefined || type.order > order)) return;
    const message = `${text} hides the ${text} outside of this block, which keeps its value.`;
    const isChangeable = outer?.role === 'variable' && role !== 'counter';
    const remedy = isChangeable ? 'Write ":=" to change that one, or choose another name.' : 'Choose another name.';
    this.warn('hidesOuter', message, span, remedy);
  }
}

export interface DeclareOptions {
  readonly role?: VariableRole;
  readonly mode?: Variable['mode'];
  readonly value?: Expr | null;
  readonly exported?: boolean;
  readonly asked?: Qualifier | null;
}

export const isFaulty = (expr: Expr): boolean => isUnknown(expr.type.shape);
