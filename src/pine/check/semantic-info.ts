// What an editor asks of a checked script: the type of an expression, what a name refers to, and which names are known.

import type { PineType } from '../builtins/types.ts';
import {
  type Block,
  type Expression,
  type Node,
  nodesAt,
  type Script,
  type Span,
  type Statement,
} from '../syntax/index.ts';

export type DeclarationKind =
  | 'variable'
  | 'parameter'
  | 'counter'
  | 'function'
  | 'method'
  | 'type'
  | 'enum'
  | 'enum-member'
  | 'field'
  | 'import'
  | 'builtin';

/** What a name refers to; the span is where it is declared in the same text, null for built-ins and libraries. */
export interface Declaration {
  readonly kind: DeclarationKind;
  readonly name: string;
  readonly span: Span | null;
}

export interface VisibleName {
  readonly kind: DeclarationKind;
  readonly name: string;
  readonly span: Span;
}

/** Of a function that is called with several types, the last looked at counts. */
export class SemanticInfo {
  readonly #script: Script;
  readonly #types = new Map<Node, PineType>();
  readonly #declarations = new Map<Node, Declaration>();

  constructor(script: Script) {
    this.#script = script;
  }

  setType(node: Node, type: PineType): void {
    this.#types.set(node, type);
  }

  setDeclaration(node: Node, declaration: Declaration): void {
    this.#declarations.set(node, declaration);
  }

  /** Of an expression, or of the name in a declaration; null where it has none. */
  typeOf(node: Expression | Node): PineType | null {
    return this.#types.get(node) ?? null;
  }

  declarationOf(node: Node): Declaration | null {
    return this.#declarations.get(node) ?? null;
  }

  /** The script's own names that may be written at an offset, the innermost first, each name once. */
  namesAt(offset: number): readonly VisibleName[] {
    const found = new Map<string, VisibleName>();
    for (const node of nodesAt(this.#script, offset).reverse())
      for (const name of namesIn(node, offset)) if (!found.has(name.name)) found.set(name.name, name);
    found.delete('');
    found.delete('_');
    return [...found.values()];
  }
}

function namesIn(node: Node, offset: number): VisibleName[] {
  switch (node.kind) {
    case 'function':
      return node.parameters.map(({ name }) => ({ kind: 'parameter', name: name.text, span: name.span }));
    case 'for':
      return [{ kind: 'counter', name: node.counter.text, span: node.counter.span }];
    case 'for-in':
      return [node.index, node.item].flatMap((name) =>
        name === null ? [] : [{ kind: 'counter' as const, name: name.text, span: name.span }],
      );
    case 'block':
    case 'script':
    case 'error':
      return declaredIn(node, offset);
    default:
      return [];
  }
}

/** The last declared first, because it is the nearest. */
function declaredIn({ statements }: Block | Script | { statements: readonly Statement[] }, offset: number) {
  const names: VisibleName[] = [];
  for (const statement of statements) {
    if (statement.span.end >= offset) break;
    names.push(...declaredBy(statement));
  }
  return names.reverse();
}

function declaredBy(statement: Statement): VisibleName[] {
  switch (statement.kind) {
    case 'variable':
    case 'type':
    case 'enum':
      return [{ kind: statement.kind, name: statement.name.text, span: statement.name.span }];
    case 'function': {
      const kind = statement.method ? 'method' : 'function';
      return [{ kind, name: statement.name.text, span: statement.name.span }];
    }
    case 'tuple-declaration':
      return statement.names.map(({ text, span }) => ({ kind: 'variable', name: text, span }));
    case 'import': {
      const { text, span } = statement.alias ?? statement.library;
      return [{ kind: 'import', name: text, span }];
    }
    default:
      return [];
  }
}
