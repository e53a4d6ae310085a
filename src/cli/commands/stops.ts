// `signalbox stops`: what guards open positions, and setting, moving and taking it away.

import { type Args, type Command, noWords, oneOf, type RouteCall, UsageFault } from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import { levelOf, PROTECTION_FLAGS, protectionOf } from '../protection-flags.ts';
import { guardsInWords } from '../protection-words.ts';
import { accountColumn, cell, column, type Fields, fieldsOf, modeColumn, rowsOf, table } from '../table.ts';

/** What may be taken away by itself, as it is called here and over HTTP. */
const PARTS: Readonly<Record<string, string>> = {
  'stop-loss': 'stopLoss',
  'take-profit': 'takeProfit',
  trail: 'trail',
  targets: 'targets',
  'break-even': 'breakEvenAfter',
  'max-hold': 'maxHoldSeconds',
};

export const stops: Command = {
  name: 'stops',
  summary: 'what guards open positions; set, move or remove it',
  usage: [
    '',
    'set <key> [--strategy …] [--stop-loss 2%] [--take-profit 75000] [--trail 50ticks] [--activation 70000] [--targets 2%:0.5,4%:0.5] [--break-even-after 1] [--max-hold 3600]',
    'move <key> <level> [--strategy …]',
    'remove <key> [<part>…] [--strategy …]',
  ],
  flags: {
    strategy: 'whose share of the position is meant',
    ...PROTECTION_FLAGS,
  },
  plan({ words, flags }) {
    const [verb, key, ...rest] = words;
    if (verb === undefined) {
      if (Object.keys(flags).length > 0) throw new UsageFault('Write "signalbox stops set <key>" before these flags.');
      return { method: 'GET', path: '/protections', show: showAll };
    }
    oneOf(verb, ['set', 'move', 'remove'], 'The verb');
    if (key === undefined)
      throw new UsageFault('Name the position, like binance:BTCUSDT:LONG ("signalbox positions" lists them).');
    if (verb === 'set') return setting(key, rest, flags);
    return verb === 'move' ? moving(key, rest, flags) : removing(key, rest, flags);
  },
};

const pathOf = (key: string, { strategy }: Args['flags']): string =>
  `/positions/${encodeURIComponent(key)}/protection${strategy === undefined ? '' : `?${new URLSearchParams({ strategy })}`}`;

const changing = (key: string, flags: Args['flags'], body: object): RouteCall => ({
  method: 'PUT',
  path: pathOf(key, flags),
  body,
  show: ({ result, waitingEntries }, paint) =>
    result === null ? goneInWords(key, waitingEntries) : line(fieldsOf(result), paint) + metInWords(waitingEntries),
});

function setting(key: string, rest: readonly string[], flags: Args['flags']): RouteCall {
  noWords(rest);
  const body = protectionOf(flags);
  if (Object.keys(body).length === 0)
    throw new UsageFault('Say what to set: --stop-loss, --take-profit, --trail, --targets or --max-hold.');
  return changing(key, flags, body);
}

function moving(key: string, [level, ...rest]: readonly string[], flags: Args['flags']): RouteCall {
  noWords(rest);
  if (level === undefined)
    throw new UsageFault('Say where the stop loss goes: a price, or 2% or 50ticks from the fill.');
  return changing(key, flags, { stopLoss: levelOf(level, 'The level') });
}

function removing(key: string, parts: readonly string[], flags: Args['flags']): RouteCall {
  if (parts.length > 0) {
    const named = parts.map((part) => PARTS[oneOf(part, Object.keys(PARTS), 'The part')] ?? part);
    return changing(key, flags, Object.fromEntries(named.map((name) => [name, null])));
  }
  const show = ({ waitingEntries }: Fields): string => goneInWords(key, waitingEntries);
  return { method: 'DELETE', path: pathOf(key, flags), show };
}

/** Entries that wait have stops of their own, and a change meets those too. */
const entriesInWords = (count: number): string =>
  count === 1 ? 'the entry that waits for its fill' : `the ${count} entries that wait for their fill`;

const goneInWords = (key: string, waiting: unknown): string =>
  `Nothing guards ${key} any more.${typeof waiting === 'number' && waiting > 0 ? ` It is taken from ${entriesInWords(waiting)} too.` : ''}`;

const metInWords = (waiting: unknown): string =>
  typeof waiting === 'number' && waiting > 0 ? `\nWhat you named counts for ${entriesInWords(waiting)} too.` : '';

const COLUMNS = [
  accountColumn,
  column('market', 'symbol'),
  column('side', 'side', { tint: paintStatus }),
  { title: 'strategy', of: ({ strategy }: Fields) => (typeof strategy === 'string' ? cell(strategy) : '-') },
  column('status', 'status'),
  { title: 'guards', of: guardsInWords },
  modeColumn,
];

function showAll({ result }: Fields, paint: Paint, _nowMs: number, running: boolean): string {
  const rows = rowsOf(result);
  if (rows.length === 0)
    return running
      ? 'Nothing is guarded: there are no stops.'
      : 'No instance runs, so Signalbox guards nothing now; no stops are stored either.';
  const all = table(COLUMNS, rows, paint);
  return running ? all : `${STOPPED}\n${all}`;
}

const STOPPED =
  'No instance runs, so Signalbox guards nothing now: only what stands at an exchange acts. These stops are stored:';

const line = (protection: Fields, paint: Paint): string =>
  `${cell(protection.key)} ${paintStatus(paint, cell(protection.status))}: ${guardsInWords(protection)}`;
