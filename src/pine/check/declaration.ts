// What indicator(), strategy() or library() declares: the kind of script, its title, its settings within limits.

import { findValue, membersOf } from '../builtins/index.ts';
import type { Parameter } from '../builtins/model.ts';
import { CallConstants, orRefusal, quoted, type SpecRefusal } from './constants-of-call.ts';
import { isTimeframe } from './inputs-rules.ts';
import type { BuiltinCallExpr, CheckedProgram, ConstantValue } from './tree.ts';

export type Declaration = Pick<CheckedProgram, 'scriptType' | 'title' | 'settings'>;

const SCRIPT_TYPES = ['indicator', 'strategy', 'library'] as const;

/** The smallest and the largest value of each setting, as the language's reference has them. */
const LIMITS: Readonly<Record<string, readonly [number, number]>> = {
  max_lines_count: [1, 500],
  max_labels_count: [1, 500],
  max_boxes_count: [1, 500],
  max_polylines_count: [1, 100],
  max_bars_back: [0, 5000],
  precision: [0, 16],
  calc_bars_count: [0, Number.POSITIVE_INFINITY],
  pyramiding: [0, Number.POSITIVE_INFINITY],
  slippage: [0, Number.POSITIVE_INFINITY],
  backtest_fill_limits_assumption: [0, Number.POSITIVE_INFINITY],
  commission_value: [0, Number.POSITIVE_INFINITY],
  margin_long: [0, Number.POSITIVE_INFINITY],
  margin_short: [0, Number.POSITIVE_INFINITY],
};

/** What cannot be nothing: a strategy without money or size does not trade. */
const POSITIVE = new Set(['initial_capital', 'default_qty_value']);

export function declarationOf(call: BuiltinCallExpr): Declaration | SpecRefusal {
  const constants = new CallConstants(call);
  return orRefusal(() => {
    const scriptType = SCRIPT_TYPES.find((type) => type === call.name) ?? 'indicator';
    const title = titleOf(constants, scriptType);
    const settings: Record<string, ConstantValue> = {};
    for (const { parameter } of call.arguments) {
      if (parameter.name === 'title') continue;
      const value = constants.value(parameter.name);
      // na is the language's way to leave something out.
      if (value === undefined || value === null || Number.isNaN(value)) continue;
      checkSetting(constants, call.name, parameter, value);
      settings[parameter.name] = value;
    }
    return { scriptType, title, settings };
  });
}

function titleOf(constants: CallConstants, scriptType: Declaration['scriptType']): string {
  const title = constants.text('title');
  if (title === null)
    return constants.refuse(
      'title',
      `The title of ${scriptType}() must be a text.`,
      `Write ${scriptType}("a name of your choice").`,
    );
  if (scriptType === 'library' && !/^[A-Za-z_]\w*$/.test(title))
    return constants.refuse(
      'title',
      `${quoted(title)} cannot be the title of a library, because other scripts import it by this name.`,
      'Use letters, digits and underscores only, and no digit at the front.',
    );
  return title;
}

function checkSetting(constants: CallConstants, callee: string, parameter: Parameter, value: ConstantValue): void {
  const { name } = parameter;
  const invalid = `Invalid value of the '${name}' argument (${quoted(value)}) in the ${callee}() call.`;
  const [low, high] = LIMITS[name] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (typeof value === 'number') {
    if (!(value >= low && value <= high)) constants.refuse(name, invalid, `It must be ${rangeText(low, high)}.`);
    if (POSITIVE.has(name) && value <= 0) constants.refuse(name, invalid, 'It must be greater than 0.');
    if (!Number.isFinite(value)) constants.refuse(name, invalid, 'It must be a finite number.');
  }
  if (name === 'timeframe' && typeof value === 'string' && !isTimeframe(value))
    constants.refuse(
      name,
      `Invalid timeframe ${quoted(value)} in the ${callee}() call.`,
      'Use minutes ("60"), seconds ("15S"), days ("D"), weeks ("W") or months ("3M"), or "" for that of the chart.',
    );
  const allowed = allowedValues(parameter);
  if (allowed.length > 0 && !allowed.some((one) => one.value === value))
    constants.refuse(name, invalid, `It must be one of ${allowed.map((one) => one.text).join(', ')}.`);
}

const rangeText = (low: number, high: number) =>
  high === Number.POSITIVE_INFINITY ? `${low} or more` : `between ${low} and ${high}`;

/** The signature names constants (`format.price`), whole families (`scale.*`) and quoted texts. */
function allowedValues({ allowed }: Parameter): { text: string; value: ConstantValue }[] {
  return allowed.flatMap((one) => {
    if (one.startsWith('"')) return [{ text: one, value: one.slice(1, -1) }];
    if (one.endsWith('.*'))
      return membersOf(one.slice(0, -2), 6).flatMap((entry) =>
        entry.kind === 'constant' ? [{ text: entry.name, value: entry.value }] : [],
      );
    const entry = findValue(one);
    return entry?.kind === 'constant' ? [{ text: one, value: entry.value }] : [];
  });
}
