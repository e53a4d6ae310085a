// Finds calls whose promise nobody waits for, by the names of what is called: the linter does not know every type.
//
// A change of a control that is not awaited is answered as done before it is stored, and nobody hears that it failed.

import { parseAst } from 'rolldown/parseAst';
import type { Tree } from './structure-rules.ts';

/** By the name of what they are called on: the methods that have done nothing yet when they return. */
const AWAITED: Readonly<Record<string, readonly string[]>> = {
  controls: ['set'],
  settings: ['set', 'appendAudit', 'remember', 'probe'],
  keys: ['create', 'rotate', 'revoke', 'route'],
  restrictions: ['setLimits', 'changeLimits', 'pause', 'resume', 'turnKillSwitch', 'ensureKillSwitch', 'clear'],
  access: ['change'],
  layouts: ['save', 'remove', 'change'],
  auditRows: ['newest', 'after'],
  sessions: ['end', 'endOthers', 'use'],
  stored: ['add', 'remove'],
  symbols: ['set', 'remove'],
  glance: ['mark', 'refresh', 'whenAtLeast'],
  steps: ['inOneStep', 'changeControls'],
  known: ['confirm', 'forget'],
};

/** A part of the syntax tree: every node has a type, and its place in the text. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Where such a call stands alone, or is returned out of a try whose catch would not see it fail. */
export function unawaitedCalls(tree: Tree): string[] {
  return [...tree].flatMap(([path, source]) => {
    if (!MAY_CALL.test(source)) return [];
    const faults: string[] = [];
    const note = (node: Node, what: string): void => {
      const line = source.slice(0, node.start).split('\n').length;
      faults.push(`${path}:${line} ${what}`);
    };
    const visit = (value: unknown, isCaught: boolean): void => {
      if (Array.isArray(value)) for (const item of value) visit(item, isCaught);
      if (!isNode(value)) return;
      const name = awaitedName(value.type === 'ExpressionStatement' ? value.expression : value.argument);
      if (name !== undefined && value.type === 'ExpressionStatement') note(value, `does not await ${name}`);
      if (name !== undefined && value.type === 'ReturnStatement' && isCaught)
        note(value, `returns ${name} out of a try; await it there`);
      const isFunction = /Function/.test(value.type);
      const catches = value.type === 'TryStatement' && isNode(value.handler);
      for (const [field, child] of Object.entries(value))
        visit(child, isFunction ? false : isCaught || (catches && field === 'block'));
    };
    visit(parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }), false);
    return faults;
  });
}

const MAY_CALL = new RegExp(
  Object.entries(AWAITED)
    .map(([owner, methods]) => `\\b${owner}\\??\\.(?:${methods.join('|')})\\(`)
    .join('|'),
);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** `controls.set` for a call of it, on whatever it is found: `this.#parts.controls.set(…)`. */
function awaitedName(value: unknown): string | undefined {
  const call = isNode(value) && value.type === 'ChainExpression' ? value.expression : value;
  if (!isNode(call) || call.type !== 'CallExpression' || !isNode(call.callee)) return undefined;
  const { object, property } = call.callee;
  const owner = isNode(object) && isNode(object.property) ? object.property : object;
  const [ownerName, method] = [nameOf(owner), nameOf(property)];
  return AWAITED[ownerName]?.includes(method) ? `${ownerName}.${method}` : undefined;
}

const nameOf = (value: unknown): string => (isNode(value) && typeof value.name === 'string' ? value.name : '');
