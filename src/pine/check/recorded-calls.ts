// The calls that say what a program is: its declaration, its inputs and its outputs, in the order of the script.

import type { Call } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { constantValue } from './constants.ts';
import { isRefused, type SpecRefusal } from './constants-of-call.ts';
import { declarationOf } from './declaration.ts';
import { isExposed } from './exports.ts';
import type { CheckFault } from './faults.ts';
import { inputSpec } from './inputs.ts';
import { outputSpec } from './outputs.ts';
import type { BuiltinCallExpr, ConstantValue } from './tree.ts';

export const DECLARATIONS: ReadonlySet<string> = new Set(['indicator', 'strategy', 'library']);

/** What is drawn or told once per bar. */
export const OUTPUTS: ReadonlySet<string> = new Set([
  'plot',
  'plotshape',
  'plotchar',
  'plotarrow',
  'plotbar',
  'plotcandle',
  'hline',
  'fill',
  'bgcolor',
  'barcolor',
  'alertcondition',
]);

const isInput = (name: string): boolean => name === 'input' || name.startsWith('input.');

/** The call with its place in the program, if it has one. */
export function recordCall(c: Checker, call: BuiltinCallExpr, node: Call): BuiltinCallExpr {
  if (DECLARATIONS.has(call.name)) recordDeclaration(c, call);
  else if (isInput(call.name) && isExposed(c))
    c.report(
      'badExport',
      'The functions of a library cannot have inputs.',
      call.span,
      'Take the value as a parameter.',
    );
  else if (!c.place.dry && isInput(call.name)) return recordInput(c, call, node);
  else if (!c.place.dry && OUTPUTS.has(call.name)) return recordOutput(c, call);
  return call;
}

function recordInput(c: Checker, call: BuiltinCallExpr, node: Call): BuiltinCallExpr {
  const { inputs, inputTitles } = c.program;
  const placed = { ...call, place: inputs.length };
  const spec = inputSpec(placed, c.assigned?.node === node ? c.assigned.name : null, inputTitles);
  if (isRefused(spec)) return refused(c, 'badInput', spec, call);
  inputs.push(spec);
  inputTitles.add(spec.title);
  return placed;
}

function recordOutput(c: Checker, call: BuiltinCallExpr): BuiltinCallExpr {
  const placed = { ...call, place: c.program.outputs.length };
  const width = constantArgument(call, 'linewidth');
  if (c.version === 6 && typeof width === 'number' && width < 1)
    c.report(
      'badOutput',
      `The linewidth of ${call.name}() is ${width}; the least is 1.`,
      call.span,
      'Write 1 or more.',
    );
  const spec = outputSpec(placed);
  if (isRefused(spec)) return refused(c, 'badOutput', spec, call);
  c.program.outputs.push(spec);
  return placed;
}

function constantArgument(call: BuiltinCallExpr, name: string): ConstantValue | undefined {
  const given = call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];
  return given === undefined ? undefined : constantValue(given);
}

function refused(c: Checker, fault: CheckFault, { message, span, remedy }: SpecRefusal, call: BuiltinCallExpr) {
  c.report(fault, message, span, remedy);
  return call;
}

/** One call says what the script is; a library's own declaration says nothing about the script that imports it. */
function recordDeclaration(c: Checker, call: BuiltinCallExpr): void {
  const { module } = c.place;
  if (module.declared) {
    const remedy = 'Keep one indicator(), strategy() or library() call.';
    c.report('repeatedDeclaration', 'The script is declared more than once.', call.span, remedy);
    return;
  }
  module.declared = true;
  module.dynamicRequests = constantArgument(call, 'dynamic_requests') === true;
  warnOfIgnored(c, call);
  const found = declarationOf(call);
  if (isRefused(found)) refused(c, 'badDeclarationCall', found, call);
  else if (module.library === null) {
    c.program.declaration = found;
    c.program.declaredAt = call.span;
  }
}

/** What would change values and is not followed: a script is calculated on the bars of the chart. */
function warnOfIgnored(c: Checker, call: BuiltinCallExpr): void {
  const timeframe = constantArgument(call, 'timeframe');
  if (typeof timeframe === 'string' && timeframe !== '') {
    const message = `timeframe = "${timeframe}" is not followed: the script is calculated on the chart's own bars.`;
    c.warn('ignoredSetting', message, call.span, `Run it on bars of "${timeframe}" for the values that are meant.`);
  }
}
