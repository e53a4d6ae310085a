// Which variables are given another value after their declaration: found before types are, because such a variable is a
// series from its declaration on.

import {
  type Block,
  childrenOf,
  type Expression,
  type Name,
  type Node,
  type Script,
  type Span,
} from '../syntax/index.ts';

export interface Assignments {
  readonly reassigned: ReadonlySet<Name>;
  /** Variables declared outside of blocks, by the first place of the name. */
  readonly globalNames: ReadonlyMap<string, Span>;
}

type Names = Map<string, Name | null>;

class Finder {
  readonly reassigned = new Set<Name>();
  readonly #scopes: Names[] = [new Map()];

  get globals(): Names {
    return this.#scopes[0]!;
  }

  visit(node: Node): void {
    switch (node.kind) {
      case 'variable':
        this.visit(node.value);
        this.#declare(node.name);
        return;
      case 'tuple-declaration':
        this.visit(node.value);
        for (const name of node.names) this.#declare(name);
        return;
      case 'assignment':
        this.visit(node.value);
        this.#assign(node.target);
        return;
      case 'function':
        this.#inside(
          node.parameters.map(({ name }) => name),
          node.body,
        );
        return;
      case 'for':
        for (const bound of [node.from, node.to, node.step]) if (bound !== null) this.visit(bound);
        this.#inside([node.counter], node.body);
        return;
      case 'for-in':
        this.visit(node.collection);
        this.#inside(node.index === null ? [node.item] : [node.index, node.item], node.body);
        return;
      case 'block':
      case 'error':
        this.#scopes.push(new Map());
        for (const statement of node.statements) this.visit(statement);
        this.#scopes.pop();
        return;
      // No statement lies inside of an expression without a block.
      case 'binary':
      case 'unary':
      case 'call':
      case 'member':
      case 'history':
      case 'conditional':
        return;
      default:
        for (const child of childrenOf(node)) this.visit(child);
    }
  }

  #inside(names: readonly Name[], body: Block): void {
    this.#scopes.push(new Map(names.map((name) => [name.text, null])));
    this.visit(body);
    this.#scopes.pop();
  }

  /** The first declaration of a name in its block counts; a second one is a mistake that is reported elsewhere. */
  #declare(name: Name): void {
    const scope = this.#scopes[this.#scopes.length - 1]!;
    if (!scope.has(name.text)) scope.set(name.text, name);
  }

  #assign(target: Expression): void {
    if (target.kind !== 'identifier') return;
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const declared = this.#scopes[at]!.get(target.name);
      if (declared === undefined) continue;
      if (declared !== null) this.reassigned.add(declared);
      return;
    }
  }
}

export function findAssignments(script: Script): Assignments {
  const finder = new Finder();
  for (const statement of script.statements) finder.visit(statement);
  const globalNames = new Map<string, Span>();
  for (const [name, declared] of finder.globals)
    if (declared !== null && name !== '_') globalNames.set(name, declared.span);
  return { reassigned: finder.reassigned, globalNames };
}
