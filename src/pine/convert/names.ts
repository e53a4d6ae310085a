// Whose each name of an old script is: which declaration of the script a word means, or that it is a built-in one.

import { findFunction, findValue } from '../builtins/index.ts';
import type {
  Assignment,
  Block,
  Call,
  Expression,
  FunctionDeclaration,
  Identifier,
  Name,
  Node,
  Statement,
  TupleDeclaration,
  VariableDeclaration,
} from '../syntax/index.ts';
import { childrenOf, type OldVersion } from '../syntax/index.ts';
import { newValueName } from './old-names.ts';

/** A variable, function, parameter or counter that the script declares. */
export interface Declared {
  readonly name: Name;
  readonly kind: 'variable' | 'tuple' | 'function' | 'parameter' | 'counter';
  readonly node: VariableDeclaration | TupleDeclaration | FunctionDeclaration | null;
  /** What `:=` gives it later. */
  readonly assigned: Expression[];
  readonly uses: Identifier[];
  /** Calls of a function; of a parameter, those of its function. */
  readonly calls: Call[];
  /** The place of a parameter or of a name in a tuple. */
  readonly place: number;
  /** Of a variable that is read before it has its value, as versions 1 and 2 allow: the statement that reads it first. */
  readBy: Statement | null;
}

export interface Names {
  readonly declared: readonly Declared[];
  /** The declaration of a word of the script's own; built-in words are not among them. */
  readonly of: ReadonlyMap<Identifier, Declared>;
  /** Functions of the script, by their calls. */
  readonly calls: ReadonlyMap<Call, Declared>;
}

interface Scope {
  readonly outer: Scope | null;
  readonly variables: Map<string, Declared>;
  /** Variables of the block that are declared below the present statement. */
  readonly later: Map<string, Declared>;
  /** The statement of the block that is being read. */
  statement: Statement | null;
}

export function resolveNames(statements: readonly Statement[], version: OldVersion): Names {
  const resolver = new Resolver(version);
  resolver.block(statements, null, []);
  return resolver;
}

class Resolver implements Names {
  readonly declared: Declared[] = [];
  readonly of = new Map<Identifier, Declared>();
  readonly calls = new Map<Call, Declared>();
  readonly #functions = new Map<string, Declared>();
  readonly #isForgiving: boolean;

  constructor(version: OldVersion) {
    this.#isForgiving = version <= 2;
  }

  block(statements: readonly Statement[], outer: Scope | null, given: readonly Declared[]): void {
    const scope: Scope = {
      outer,
      variables: new Map(given.map((one) => [one.name.text, one])),
      later: new Map(),
      statement: null,
    };
    if (this.#isForgiving)
      for (const statement of statements)
        if (statement.kind === 'variable') scope.later.set(statement.name.text, this.#variable(statement));
    for (const statement of statements) {
      scope.statement = statement;
      this.#statement(statement, scope);
    }
  }

  #statement(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case 'variable': {
        this.#visit(statement.value, scope, statement.name.text);
        const waiting = scope.later.get(statement.name.text);
        const fresh = waiting?.node === statement ? waiting : this.#variable(statement);
        scope.later.delete(statement.name.text);
        scope.variables.set(statement.name.text, fresh);
        return;
      }
      case 'tuple-declaration':
        this.#visit(statement.value, scope, '');
        for (const [place, name] of statement.names.entries())
          scope.variables.set(name.text, this.#add(name, 'tuple', statement, place));
        return;
      case 'function':
        this.#function(statement, scope);
        return;
      case 'assignment':
        this.#assignment(statement, scope);
        return;
      default:
        this.#visit(statement, scope, '');
    }
  }

  #function(statement: FunctionDeclaration, scope: Scope): void {
    for (const { defaultValue } of statement.parameters) if (defaultValue) this.#visit(defaultValue, scope, '');
    const calls: Call[] = [];
    // A parameter learns what it is from the calls of its function.
    const parameters = statement.parameters.map(({ name }, place) => this.#add(name, 'parameter', null, place, calls));
    this.block(statement.body.statements, scope, parameters);
    const own = this.#add(statement.name, 'function', statement, 0, calls);
    this.#functions.set(statement.name.text, own);
  }

  #assignment({ target, value }: Assignment, scope: Scope): void {
    this.#visit(value, scope, '');
    this.#visit(target, scope, '');
    if (target.kind === 'identifier') this.of.get(target)?.assigned.push(value);
  }

  /** `declaring`: the name that the value is for. */
  #visit(node: Node, scope: Scope, declaring: string): void {
    switch (node.kind) {
      case 'identifier':
        this.#identifier(node, scope, declaring, false);
        return;
      case 'history':
        if (node.operand.kind === 'identifier') this.#identifier(node.operand, scope, declaring, true);
        else this.#visit(node.operand, scope, declaring);
        this.#visit(node.offset, scope, declaring);
        return;
      case 'member':
        // Old versions have no fields: what stands before a dot is a namespace.
        return;
      case 'call':
        this.#call(node);
        for (const { value } of node.arguments) this.#visit(value, scope, declaring);
        return;
      case 'block':
        this.block(node.statements, scope, []);
        return;
      case 'for': {
        for (const bound of [node.from, node.to, node.step]) if (bound) this.#visit(bound, scope, declaring);
        this.block(node.body.statements, scope, [this.#add(node.counter, 'counter', null, 0)]);
        return;
      }
      default:
        for (const child of childrenOf(node)) this.#visit(child, scope, declaring);
    }
  }

  #call(node: Call): void {
    if (node.callee.kind !== 'identifier') return;
    const own = this.#functions.get(node.callee.name);
    if (own === undefined) return;
    this.of.set(node.callee, own);
    own.uses.push(node.callee);
    own.calls.push(node);
    this.calls.set(node, own);
  }

  #identifier(node: Identifier, scope: Scope, declaring: string, isPast: boolean): void {
    for (let at: Scope | null = scope; at !== null; at = at.outer) {
      const found = at.variables.get(node.name);
      const later = at.later.get(node.name);
      const isItself = later !== undefined && node.name === declaring && at === scope;
      // A value of the past of a variable that is being declared is its own, whatever else has the name.
      if (later !== undefined && (isItself ? isPast || !isBuiltIn(node.name) : !isBuiltIn(node.name))) {
        if (found === undefined || isItself) {
          later.readBy ??= at.statement;
          this.#use(node, later);
          return;
        }
      }
      if (found !== undefined) {
        this.#use(node, found);
        return;
      }
    }
  }

  #use(node: Identifier, declared: Declared): void {
    this.of.set(node, declared);
    declared.uses.push(node);
  }

  #variable(node: VariableDeclaration): Declared {
    return this.#add(node.name, 'variable', node, 0);
  }

  #add(name: Name, kind: Declared['kind'], node: Declared['node'], place: number, calls: Call[] = []): Declared {
    const fresh: Declared = { name, kind, node, assigned: [], uses: [], calls, place, readBy: null };
    this.declared.push(fresh);
    return fresh;
  }
}

const isBuiltIn = (name: string): boolean =>
  newValueName(name) !== null || findValue(name) !== null || findFunction(name) !== null;

/** The dotted name of a built-in word, such as `strategy.entry`; empty where the expression is no name. */
export function dottedName(expression: Expression): string {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'member') return '';
  const object = dottedName(expression.object);
  return object === '' ? '' : `${object}.${expression.property.text}`;
}

/** The last value of a block, which is the value of its function; null where it has none. */
export function lastValue({ statements }: Block): Expression | null {
  const last = statements.at(-1);
  if (last === undefined) return null;
  if (last.kind === 'expression') return last.expression;
  return last.kind === 'variable' || last.kind === 'assignment' ? last.value : null;
}
