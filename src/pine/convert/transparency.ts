// The argument transp, which version 5 has no more: the color itself has the transparency, and what was the default is written down.

import type { Argument, Call, Expression, Node } from '../syntax/index.ts';
import { childrenOf } from '../syntax/index.ts';
import { dottedName } from './names.ts';
import { rewriteStyleNumber } from './old-constants.ts';
import type { Rewriter } from './rewriter.ts';

/** Where no transparency was given, backgrounds and fills had this one. */
const DEFAULT_OF: Readonly<Record<string, string>> = { bgcolor: '90', fill: '90' };
const COLOR_ARGUMENTS: Readonly<Record<string, readonly string[]>> = { plotarrow: ['colorup', 'colordown'] };

export function rewriteTransparency(r: Rewriter, call: Call): boolean {
  const name = r.builtIn(call);
  if (name === 'plot') rewriteStyleNumber(r, call);
  const transp = r.argument(call, 'transp');
  const given = transp === null ? DEFAULT_OF[name] : r.edits.textOf(r.whole(transp.value));
  if (given === undefined) return false;
  // An opaque color is what a color is without a word.
  if (transp !== null && given === '0') {
    r.drop(call, transp);
    r.changed(transp.span, `transp=0 of ${name}() is left out`, 'Colors are opaque unless they say otherwise.');
    return false;
  }
  const why =
    transp === null
      ? `${name}() had a transparency of ${given} where none was given.`
      : 'Since version 5 the color has the transparency: there is no transp.';
  const colors = (COLOR_ARGUMENTS[name] ?? ['color']).map((color) => r.argument(call, color));
  const present = colors.filter((color) => color !== null);
  if (present.length === 0) {
    if (name !== 'plot' && name !== 'fill') {
      r.check(call.span, `transp of ${name}() without a color stays`, 'Give it a color with color.new() instead.');
      return false;
    }
    r.add(call, `color=color.new(color.blue, ${given})`);
    r.changed(call.span, `${name}() has color.new(color.blue, ${given})`, why);
  }
  for (const color of present) setTransparency(r, color, { transparency: given, why, isDefault: transp === null });
  if (transp !== null) r.drop(call, transp);
  return false;
}

interface Wanted {
  /** The text of the transparency. */
  readonly transparency: string;
  readonly why: string;
  /** Nobody wrote the transparency: it is what was taken without a word. */
  readonly isDefault: boolean;
}

function setTransparency(r: Rewriter, { value }: Argument, wanted: Wanted): void {
  if (value.kind !== 'na' && isTransparent(r, value)) {
    const words = 'Its color has a transparency of its own, which is kept; the other one is left out.';
    if (!wanted.isDefault) r.check(value.span, `a transparency of ${wanted.transparency} is left out`, words);
    return;
  }
  applyTransparency(r, value, wanted);
}

const KEEPING = 'with_transparency';

/** Each color gets the transparency, except those that have one of their own: an invisible one stays invisible. */
function applyTransparency(r: Rewriter, value: Expression, wanted: Wanted): void {
  if (isTransparent(r, value)) return;
  const { transparency, why } = wanted;
  if (value.kind === 'conditional') {
    const branches = [value.whenTrue, value.whenFalse];
    if (branches.some((branch) => isTransparent(r, branch) && branch.kind !== 'na')) {
      for (const branch of branches) applyTransparency(r, branch, wanted);
      return;
    }
  }
  if (hasTransparency(r, value)) {
    r.helpers.set(KEEPING, `${KEEPING}(c, transp) => color.t(c) > 0 ? c : color.new(c, transp)`);
    r.wrap(value, `${KEEPING}(`, `, ${transparency})`);
    r.changed(value.span, `the color has ${KEEPING}(…, ${transparency})`, why);
  } else {
    r.wrap(value, 'color.new(', `, ${transparency})`);
    r.changed(value.span, `the color has color.new(…, ${transparency})`, why);
  }
}

/** Variables made of variables, and branches within branches: beyond, a color is looked at when the script runs. */
const MAX_DEPTH = 8;

const MAKES_COLOR: ReadonlySet<string> = new Set(['color', 'color.new', 'color.rgb']);

/** Whether a color has a transparency of its own whatever happens; na has none to lose. */
function isTransparent(r: Rewriter, value: Expression, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const are = (values: readonly Expression[]) => values.every((one) => isTransparent(r, one, depth + 1));
  if (value.kind === 'na') return true;
  if (value.kind === 'color') return (value.value & 0xff) !== 0xff;
  if (value.kind === 'call') return MAKES_COLOR.has(dottedName(value.callee)) && !r.names.calls.has(value);
  if (value.kind === 'conditional') return are([value.whenTrue, value.whenFalse]);
  const own = value.kind === 'identifier' ? r.names.of.get(value) : undefined;
  return own?.node?.kind === 'variable' && are([own.node.value, ...own.assigned]);
}

/** Whether a color, or a variable it comes from, may be made with a transparency. */
function hasTransparency(r: Rewriter, color: Expression): boolean {
  const seen = new Set<Node>();
  const pending: Node[] = [color];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.kind === 'color' && (node.value & 0xff) !== 0xff) return true;
    if (node.kind === 'call' && MAKES_COLOR.has(dottedName(node.callee))) return true;
    const own = node.kind === 'identifier' ? r.names.of.get(node) : undefined;
    if (own?.node?.kind === 'variable') pending.push(own.node.value, ...own.assigned);
    pending.push(...childrenOf(node));
  }
  return false;
}
