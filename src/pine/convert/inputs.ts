// Inputs: the one input() of old versions, which was told its kind, as the input.*() function of that kind.

import type { Call, Expression } from '../syntax/index.ts';
import { dottedName } from './names.ts';
import type { NamedArgument, Rewriter } from './rewriter.ts';

const FUNCTION_OF: Readonly<Record<string, string>> = {
  ...{ integer: 'int', float: 'float', bool: 'bool', string: 'string', source: 'source', session: 'session' },
  ...{ symbol: 'symbol', resolution: 'timeframe', color: 'color', time: 'time', price: 'price' },
};
const BOUNDS: ReadonlySet<string> = new Set(['minval', 'maxval', 'step']);
const WITH_OPTIONS: ReadonlySet<string> = new Set(['int', 'float', 'string', 'session', 'timeframe']);
const TEXTS: ReadonlySet<string> = new Set(['symbol', 'timeframe', 'session', 'string']);

export function rewriteInput(r: Rewriter, call: Call): boolean {
  const given = r.argumentsOf(call);
  const valueFor = (name: string) => given.find((one) => one.name === name)?.argument.value ?? null;
  const type = valueFor('type');
  const written = type === null ? null : (FUNCTION_OF[dottedName(type).replace(/^input\./, '')] ?? null);
  const kind = fitting(r, given, written ?? kindOfDefault(r, valueFor('defval'), valueFor('options')));
  if (kind === null) {
    r.check(call.span, 'input() stays as it is', 'Its kind cannot be told from its first value.');
    return true;
  }
  r.edits.replace(call.callee.span, `input.${kind}`);
  r.changed(call.span, `input() is input.${kind}()`, 'Each kind of input has its own function since version 5.');
  const hasOptions = valueFor('options') !== null;
  for (const [place, one] of given.entries()) rewriteArgument(r, call, one, place, { kind, hasOptions });
  const value = valueFor('defval');
  if (value !== null) rewriteDefault(r, value, kind);
  return true;
}

function kindOfDefault(r: Rewriter, value: Expression | null, options: Expression | null): string | null {
  if (value === null) return null;
  const kind = r.kinds.of(value);
  if (kind === 'float' || kind === 'unknown') {
    if (r.kinds.isSeries(value)) return 'source';
    return kind === 'float' ? 'float' : options === null ? null : 'string';
  }
  return kind === 'int' || kind === 'bool' || kind === 'string' || kind === 'color' ? kind : null;
}

/** A whole number whose limits or steps have fractions is a number with a fraction. */
function fitting(r: Rewriter, given: readonly NamedArgument[], kind: string | null): string | null {
  if (kind !== 'int') return kind;
  const isFraction = ({ name, argument: { value } }: NamedArgument) =>
    (BOUNDS.has(name) || name === 'defval') && r.kinds.of(value) === 'float' && !isWhole(value);
  return given.some(isFraction) ? 'float' : 'int';
}

const isWhole = (value: Expression): boolean => value.kind === 'float' && Number.isInteger(value.value);

interface Target {
  readonly kind: string;
  readonly hasOptions: boolean;
}

function rewriteArgument(
  r: Rewriter,
  call: Call,
  { name, argument, isPositional }: NamedArgument,
  place: number,
  { kind, hasOptions }: Target,
): void {
  if (name === 'type') {
    r.drop(call, argument);
    return;
  }
  const isTwice = !isPositional && call.arguments[0]?.name === null && name === 'defval';
  if (isTwice) {
    r.drop(call, argument);
    r.check(argument.span, 'a second default of an input is left out', 'The first one, without a name, is taken.');
    return;
  }
  const isNumber = kind === 'int' || kind === 'float';
  const isUseless = (BOUNDS.has(name) && (!isNumber || hasOptions)) || (name === 'options' && !WITH_OPTIONS.has(kind));
  if (isUseless) {
    r.drop(call, argument);
    r.check(argument.span, `${name} of an input is left out`, `input.${kind}() does not take it here.`);
    return;
  }
  // Behind the type the order is another one.
  if (isPositional && place > 2 && name !== '') r.edits.before(argument.span.start, `${name}=`);
  if (kind === 'int' && BOUNDS.has(name)) withoutFraction(r, argument.value);
}

/** `14.0` of an int is `14`. */
function withoutFraction(r: Rewriter, value: Expression): void {
  if (value.kind === 'float' && Number.isInteger(value.value)) r.edits.replace(value.span, String(value.value));
}

function rewriteDefault(r: Rewriter, value: Expression, kind: string): void {
  if (kind === 'int') withoutFraction(r, value);
  if (!TEXTS.has(kind) || value.kind === 'string') return;
  const name = value.kind === 'identifier' || value.kind === 'member' ? dottedName(value) : '';
  if (!/(^|\.)(tickerid|ticker|period)$/.test(name) || (value.kind === 'identifier' && r.names.of.has(value))) return;
  r.edits.remove(value.span);
  r.edits.before(value.span.start, '""');
  r.check(value.span, `the default ${name} of an input is ""`, 'Defaults are constants; "" means that of the chart.');
}
