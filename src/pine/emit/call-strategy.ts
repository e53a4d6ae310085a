// Calls and variables of `strategy.*` as JavaScript: requests to the broker, with every field in its place on every call.

import type { BuiltinCallExpr, BuiltinExpr, Expr } from '../check/tree.ts';
import { ringSize } from '../run/history.ts';
import { type Body, barRing } from './body.ts';

/** How a parameter of Pine becomes a field of the broker's request. */
type Kind = 'number' | 'percent' | 'text' | 'bool' | 'direction' | 'oca';
type Field = readonly [parameter: string, field: string, kind: Kind];

const ALERT: readonly Field[] = [
  ['alert_message', 'alertMessage', 'text'],
  ['disable_alert', 'isSilent', 'bool'],
];
const ORDER: readonly Field[] = [
  ['id', 'id', 'text'],
  ['direction', 'direction', 'direction'],
  ['qty', 'quantity', 'number'],
  ['limit', 'limit', 'number'],
  ['stop', 'stop', 'number'],
  ['oca_name', 'ocaName', 'text'],
  ['oca_type', 'ocaType', 'oca'],
  ['comment', 'comment', 'text'],
  ...ALERT,
];
const CLOSE_ALL: readonly Field[] = [['comment', 'comment', 'text'], ['immediately', 'isImmediate', 'bool'], ...ALERT];
const CLOSE: readonly Field[] = [
  ['id', 'id', 'text'],
  ['qty', 'quantity', 'number'],
  ['qty_percent', 'percent', 'percent'],
  ...CLOSE_ALL,
];
const EXIT: readonly Field[] = [
  ['id', 'id', 'text'],
  ['from_entry', 'fromEntry', 'text'],
  ['qty', 'quantity', 'number'],
  ['qty_percent', 'quantityPercent', 'percent'],
  ['profit', 'profit', 'number'],
  ['limit', 'limit', 'number'],
  ['loss', 'loss', 'number'],
  ['stop', 'stop', 'number'],
  ['trail_price', 'trailPrice', 'number'],
  ['trail_points', 'trailPoints', 'number'],
  ['trail_offset', 'trailOffset', 'number'],
  ['oca_name', 'ocaName', 'text'],
  ['comment', 'comment', 'text'],
  ['comment_profit', 'commentProfit', 'text'],
  ['comment_loss', 'commentLoss', 'text'],
  ['comment_trailing', 'commentTrailing', 'text'],
  ['alert_profit', 'alertProfit', 'text'],
  ['alert_loss', 'alertLoss', 'text'],
  ['alert_trailing', 'alertTrailing', 'text'],
  ...ALERT,
];

const REQUESTS: Readonly<Record<string, { readonly method: string; readonly fields: readonly Field[] }>> = {
  'strategy.entry': { method: 'entry', fields: ORDER },
  'strategy.order': { method: 'order', fields: ORDER },
  'strategy.close': { method: 'close', fields: CLOSE },
  'strategy.close_all': { method: 'closeAll', fields: CLOSE_ALL },
  'strategy.exit': { method: 'exit', fields: EXIT },
};

/**
 * Words go together in a record that is made once where they do not change; numbers go one by one, since a record of
 * numbers is a dozen allocations on every bar.
 */
const WORDS: ReadonlySet<Kind> = new Set(['text', 'bool', 'oca']);
const isLiteral = (text: string): boolean => /^("(?:[^"\\]|\\.)*"|true|false)$/.test(text);

const NOTHING: Readonly<Record<Kind, string>> = {
  number: 'NaN',
  percent: '100',
  text: '""',
  bool: 'false',
  direction: '1',
  oca: '"none"',
};

/** Rules of risk that are asked when an entry fills; the others look at every bar. */
const RULES_OF_ENTRIES: ReadonlySet<string> = new Set(['allow_entry_in', 'max_position_size']);

/** The code of an account's use in a script that has none. */
export const NO_STRATEGY = 'PE303';

const broker = (body: Body): string => body.module.constant('R.broker');

/** Whether the script has an account; one that has none is told so at the first place that needs it. */
function hasBroker(body: Body, { name, span }: BuiltinCallExpr | BuiltinExpr): boolean {
  const { program, findings } = body.module;
  if (program.scriptType === 'strategy') return true;
  if (findings.some(({ code }) => code === NO_STRATEGY)) return false;
  const message = `${name} needs an account, and only a script declared with strategy() has one.`;
  const remedy = `Declare the script with strategy("${program.title}") instead of ${program.scriptType}().`;
  findings.push({ code: NO_STRATEGY, severity: 'error', message, span, remedy });
  return false;
}

export function emitStrategyCall(body: Body, call: BuiltinCallExpr): string {
  const { name } = call;
  if (!hasBroker(body, call)) return 'null';
  const given = (parameter: string): Expr | undefined =>
    call.arguments.find((argument) => argument.parameter.name === parameter)?.values[0];
  const value = (parameter: string, kind: Kind): string => {
    const expr = given(parameter);
    return expr === undefined ? NOTHING[kind] : converted(body.expr(expr), kind);
  };
  const request = REQUESTS[name];
  if (request !== undefined) {
    const all = request.fields.map(([parameter, field, kind]) => ({ field, kind, text: value(parameter, kind) }));
    const words = all.filter(({ kind }) => WORDS.has(kind));
    // Orders to close are told apart by the place of their call.
    const site = name.startsWith('strategy.close') ? [`site: ${call.span.start}`] : [];
    const record = `{ ${[...words.map(({ field, text }) => `${field}: ${text}`), ...site].join(', ')} }`;
    const isFixed = words.every(({ text }) => isLiteral(text));
    const first = isFixed ? body.module.own(record) : record;
    const numbers = all.filter(({ kind }) => !WORDS.has(kind));
    const prices = numbers.filter(({ field }) => field === 'limit' || field === 'stop');
    const saysMore = numbers.some((number) => number.text !== NOTHING[number.kind] && !prices.includes(number));
    const isBracket = name === 'strategy.exit' && !saysMore;
    const method = isBracket ? 'exitAt' : request.method;
    const handed = (isBracket ? prices : numbers).map(({ text }) => text);
    return whenTrue(body, given('when'), (calls) => `${calls}.${method}(${[first, ...handed].join(', ')})`);
  }
  if (name === 'strategy.cancel')
    return whenTrue(body, given('when'), (calls) => `${calls}.cancel(${value('id', 'text')})`);
  if (name === 'strategy.cancel_all') return whenTrue(body, given('when'), (calls) => `${calls}.cancelAll()`);
  const values = call.arguments.flatMap(({ values: [first] }) => (first === undefined ? [] : [body.expr(first)]));
  if (name.startsWith('strategy.risk.')) {
    const rule = name.slice('strategy.risk.'.length);
    const rules = body.module.constant(RULES_OF_ENTRIES.has(rule) ? 'R.broker.risk' : 'R.broker.risk.onEveryBar()');
    return `${rules}.${rule}(${values.join(', ')})`;
  }
  if (name.startsWith('strategy.closedtrades.') || name.startsWith('strategy.opentrades.')) {
    const [, list, field] = name.split('.');
    return `${broker(body)}.account.${list}_${field}(${values.join(', ')})`;
  }
  return `${broker(body)}.account.${name.slice('strategy.'.length)}(${values.join(', ')})`;
}

/** The arguments of a call are worked out before `when` is looked at, as they have states of their own. */
function whenTrue(body: Body, when: Expr | undefined, write: (calls: string) => string): string {
  if (when === undefined) return write(`${broker(body)}.calls`);
  return write(`${broker(body)}.callsWhen(${body.expr(when)})`);
}

function converted(text: string, kind: Kind): string {
  if (kind === 'text') return isLiteral(text) ? text : `(${text} ?? "")`;
  if (kind === 'oca') return isLiteral(text) ? text : `(${text} ?? "none")`;
  if (kind === 'direction')
    return text === '"long"' ? '1' : text === '"short"' ? '-1' : `(${text} === "short" ? -1 : 1)`;
  if (kind === 'bool') return /^(true|false)$/.test(text) ? text : `(${text} === true)`;
  return text;
}

/** Variables that scripts read on every bar stand in the ledger; the others are worked out when they are asked for. */
export function emitStrategyVariable(body: Body, expr: BuiltinExpr): string {
  const { name } = expr;
  if (!hasBroker(body, expr)) return 'null';
  const member = name.slice('strategy.'.length);
  if (member === 'position_size') return `${broker(body)}.ledger.size`;
  if (member === 'position_avg_price') return `${broker(body)}.ledger.averagePrice`;
  return `${broker(body)}.account.${member.replace('.', '_')}`;
}

/** The account is a series of the chart: its history has every bar, as it stood before the script ran. */
export function emitStrategyHistory(body: Body, operand: BuiltinExpr, offset: Expr): string {
  const size = ringSize('any');
  const na = operand.type.shape.kind === 'scalar' && operand.type.shape.name === 'string' ? 'null' : 'NaN';
  const ring = body.module.once(`ring ${operand.name}`, () => {
    const made = body.module.own(barRing(operand.type.shape, size, body.version));
    body.module.prologue.push(`${made}[i & ${size - 1}] = ${emitStrategyVariable(body, operand)};`);
    return made;
  });
  const bar = body.temporary();
  return `((${bar} = ${body.library('barBack')}(i, ${body.expr(offset)})) < 0 ? ${na} : ${ring}[${bar} & ${size - 1}])`;
}

/** What the loop does around the script on every bar of a strategy. */
export function brokerSteps(body: Body): { opening: string[]; closing: string[] } {
  if (body.module.program.scriptType !== 'strategy') return { opening: [], closing: [] };
  const name = broker(body);
  return { opening: [`${name}.begin(i, ${body.slot()}, R);`], closing: [`${name}.end();`] };
}
