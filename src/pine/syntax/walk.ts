// Ways through the tree: the children of a node, a walk in the order of the text, and the nodes around an offset.

import type { Node, Script } from './ast.ts';
import { contains } from './span.ts';

/** The direct children of a node, in the order of the text. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'script':
    case 'block':
    case 'error':
      return node.statements;
    case 'type-reference':
      return [...node.path, ...node.typeArguments];
    case 'member':
      return [node.object, node.property];
    case 'history':
      return [node.operand, node.offset];
    case 'argument':
      return present(node.name, node.value);
    case 'call':
      return [node.callee, ...node.typeArguments, ...node.arguments];
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'conditional':
      return [node.condition, node.whenTrue, node.whenFalse];
    case 'tuple':
      return node.elements;
    case 'expression':
      return [node.expression];
    default:
      return childrenOfStructure(node);
  }
}

function childrenOfStructure(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'if':
      return present(...node.branches, node.otherwise);
    case 'if-branch':
    case 'while':
      return [node.condition, node.body];
    case 'for':
      return present(node.counter, node.from, node.to, node.step, node.body);
    case 'for-in':
      return present(node.index, node.item, node.collection, node.body);
    case 'switch':
      return present(node.subject, ...node.arms);
    case 'switch-arm':
      return present(node.match, node.body);
    case 'once':
      return present(node.condition, node.body);
    default:
      return childrenOfDeclaration(node);
  }
}

function childrenOfDeclaration(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'variable':
      return present(node.type, node.name, node.value);
    case 'tuple-declaration':
      return [...node.names, node.value];
    case 'assignment':
      return [node.target, node.value];
    case 'parameter':
    case 'field':
      return present(node.type, node.name, node.defaultValue);
    case 'function':
      return [node.name, ...node.parameters, node.body];
    case 'type':
      return [node.name, ...node.fields];
    case 'enum':
      return [node.name, ...node.members];
    case 'enum-member':
      return present(node.name, node.title);
    case 'import':
      return present(node.publisher, node.library, node.alias);
    default:
      return NO_CHILDREN;
  }
}

const NO_CHILDREN: readonly Node[] = [];
const present = (...nodes: readonly (Node | null)[]): Node[] => nodes.filter((node) => node !== null);

/** Visits a node and all below it, parents first; a visit that answers false leaves out what is below. */
export function walk(root: Node, visit: (node: Node, depth: number) => boolean | undefined): void {
  const nodes: Node[] = [root];
  const depths: number[] = [0];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const depth = depths.pop()!;
    if (visit(node, depth) === false) continue;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) {
      nodes.push(children[index]!);
      depths.push(depth + 1);
    }
  }
}

/** The nodes that stand around an offset, the script first and the smallest last; for hovers and completion. */
export function nodesAt(script: Script, offset: number): Node[] {
  const path: Node[] = [script];
  for (let node: Node | undefined = script; node !== undefined; ) {
    // Where two nodes touch, the later one is meant: a hole begins where the text before it ends.
    node = childrenOf(node).findLast(({ span }) => contains(span, offset));
    if (node !== undefined) path.push(node);
  }
  return path;
}

/** Nodes that lie in each other as the writer of a script sees it; the others only hold them together. */
const NESTING_KINDS: ReadonlySet<Node['kind']> = new Set([
  'block',
  'member',
  'history',
  'call',
  'unary',
  'binary',
  'conditional',
  'tuple',
] as const);

/** How deep the blocks and operators of a tree lie in each other, counted without recursion: no tree is too deep for it. */
export function nestingOf(root: Node): number {
  const nodes: Node[] = [root];
  const levels: number[] = [0];
  let deepest = 0;
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const level = levels.pop()! + (NESTING_KINDS.has(node.kind) ? 1 : 0);
    deepest = Math.max(deepest, level);
    for (const child of childrenOf(node)) {
      nodes.push(child);
      levels.push(level);
    }
  }
  return deepest;
}
