// Functions that version 5 no longer has: iff(), offset(), and rsi() of two series.

import { findFunction } from '../builtins/index.ts';
import type { Call, Expression, Node } from '../syntax/index.ts';
import { childrenOf, walk } from '../syntax/index.ts';
import { fitTogether } from './fit-values.ts';
import { joined } from './kinds.ts';
import { newFunctionName } from './old-names.ts';
import type { Rewriter } from './rewriter.ts';

const EAGER_IFF = 'iff_of_both';

/**
 * `iff(c, a, b)` becomes `(c ? a : b)`: the brackets of the call stay. Where a value looks back over bars, both must be
 * computed on every bar, as iff() did: there a function of the script takes its place.
 */
export function rewriteIff(r: Rewriter, call: Call): boolean {
  const [condition, whenTrue, whenFalse] = call.arguments;
  if (!condition || !whenTrue || !whenFalse || call.arguments.length !== 3) return true;
  if (call.arguments.some(({ name }) => name !== null)) return true;
  fitTogether(r, [whenTrue.value, whenFalse.value]);
  if ([whenTrue, whenFalse].some(({ value }) => keepsState(r, value))) {
    r.edits.replace(call.callee.span, EAGER_IFF);
    giveNaItsType(r, [whenTrue.value, whenFalse.value]);
    r.helpers.set(EAGER_IFF, `${EAGER_IFF}(condition, then, otherwise) => condition ? then : otherwise`);
    const why = 'Version 5 has no iff(), which computes both values on every bar; the ?: operator computes only one.';
    r.changed(call.span, `iff() is ${EAGER_IFF}()`, why);
    return true;
  }
  r.edits.replace(call.callee.span, '');
  const marks = [
    { argument: condition, mark: ' ?' },
    { argument: whenTrue, mark: ' :' },
  ];
  for (const { argument, mark } of marks) {
    const comma = r.commaAfter(argument);
    r.edits.replace({ start: comma, end: comma + 1 }, mark);
  }
  if (condition.value.kind === 'conditional') r.wrap(condition.value, '(', ')');
  r.changed(call.span, 'iff() is the ?: operator', 'Version 5 has no iff().');
  return true;
}

/** A function takes na for a number, unless it is told otherwise. */
function giveNaItsType(r: Rewriter, values: readonly Expression[]): void {
  const kind = joined(values.map((value) => r.kinds.of(value)));
  if (kind !== 'bool' && kind !== 'color' && kind !== 'string') return;
  for (const value of values) if (value.kind === 'na') r.wrap(value, `${kind}(`, ')');
}

/** Whether something in an expression computes from earlier bars, also in functions of the script. */
function keepsState(r: Rewriter, expression: Expression): boolean {
  const seen = new Set<Node>();
  const pending: Node[] = [expression];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.kind === 'history' && node.operand.kind !== 'identifier') return true;
    if (node.kind === 'call') {
      const own = r.names.calls.get(node)?.node;
      if (own?.kind === 'function') {
        if (readsPast(own.body)) return true;
        pending.push(own.body);
      }
      const name = r.builtIn(node);
      if (findFunction(newFunctionName(name) ?? name)?.overloads.some(({ stateful }) => stateful)) return true;
    }
    pending.push(...childrenOf(node));
  }
  return false;
}

/** Variables of a function have a past only on the bars on which it is called. */
function readsPast(body: Node): boolean {
  let isFound = false;
  walk(body, ({ kind }) => {
    isFound ||= kind === 'history';
    return !isFound;
  });
  return isFound;
}

const CLOSED: ReadonlySet<Expression['kind']> = new Set(['identifier', 'member', 'call']);

/** `offset(x, n)` becomes `x[n]`. */
export function rewriteOffset(r: Rewriter, call: Call): boolean {
  const [value, back] = call.arguments;
  if (!value || !back || call.arguments.length !== 2) return true;
  const comma = r.commaAfter(value);
  r.edits.replace({ start: call.callee.span.start, end: value.span.start }, '');
  if (!CLOSED.has(value.value.kind)) {
    r.edits.before(value.span.start, '(');
    r.edits.after(value.span.end, ')');
  }
  r.edits.replace({ start: comma, end: back.span.start }, '[');
  r.edits.replace({ start: call.span.end - 1, end: call.span.end }, ']');
  r.changed(call.span, 'offset() is the [] operator', 'Version 5 has no offset().');
  return true;
}

const RSI_OF_TWO = 'rsi_of_two';

/** `rsi(x, y)` of two series is another function than that of a series and a length. */
export function rewriteRsi(r: Rewriter, call: Call): boolean {
  const [, second] = call.arguments;
  if (!second || r.kinds.of(second.value) !== 'float' || !r.kinds.isSeries(second.value)) return false;
  r.edits.replace(call.callee.span, RSI_OF_TWO);
  r.helpers.set(RSI_OF_TWO, `${RSI_OF_TWO}(up, down) => down == 0 ? 100 : up == 0 ? 0 : 100 - 100 / (1 + up / down)`);
  r.changed(call.span, `rsi() of two series is ${RSI_OF_TWO}()`, 'ta.rsi() takes a series and a length only.');
  return true;
}
