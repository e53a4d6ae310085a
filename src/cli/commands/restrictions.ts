// `signalbox limits list|set|remove`, `pause` and `resume`: what a key, a strategy, an account or a symbol may do.

import {
  type Args,
  type Command,
  commaList,
  noWords,
  onlyWord,
  plainNumber,
  type RouteCall,
  UsageFault,
  wholeNumber,
} from '../command.ts';
import type { Paint } from '../paint.ts';
import { cell, type Fields, fieldsOf, rowsOf, table, words } from '../table.ts';

const PATH = '/admin/restrictions';

/** Flags of `limits set`, each with what it means. The word none takes that limit away. */
export const LIMIT_FLAGS = {
  venues: 'exchanges that are allowed',
  symbols: 'markets that are allowed',
  actions: 'actions that are allowed: LONG, SHORT, CLOSE_LONG, CLOSE_SHORT',
  accounts: 'accounts that are allowed, as binance:main',
  'largest-order': 'what an entry may be worth, in USDT',
  'largest-position': 'what a position may be worth, in USDT',
  'open-positions': 'how many positions may be open',
  leverage: 'the highest leverage that an entry may trade with',
  'price-deviation-percent': 'how far a limit price may be from the market',
  'spread-percent': 'the widest spread that a market order may go into',
  'daily-loss': 'a loss of the UTC day that ends it, in USDT',
  'entries-per-day': 'entries of a UTC day',
  'cooldown-seconds': 'without an entry after a close in the market',
  'lock-after-stops': 'stops/seconds: so many stops within so many seconds lock a market for as long',
  'trading-windows': 'when entries are allowed: "mon,fri 09:30-16:00 Europe/Berlin; sat 10:00-12:00"',
  rate: 'entries a minute',
} as const;

const READ: Readonly<Record<keyof typeof LIMIT_FLAGS, readonly [field: string, read: (text: string) => unknown]>> = {
  venues: ['venues', commaList],
  symbols: ['symbols', commaList],
  actions: ['actions', (text) => commaList(text.toUpperCase())],
  accounts: ['accounts', commaList],
  'largest-order': ['largestOrder', (text) => plainNumber(text, 'largest-order')],
  'largest-position': ['largestPosition', (text) => plainNumber(text, 'largest-position')],
  'open-positions': ['openPositions', (text) => wholeNumber(text, 'open-positions')],
  leverage: ['leverage', (text) => wholeNumber(text, 'leverage')],
  'price-deviation-percent': ['priceDeviationPercent', (text) => plainNumber(text, 'price-deviation-percent')],
  'spread-percent': ['spreadPercent', (text) => plainNumber(text, 'spread-percent')],
  'daily-loss': ['dailyLoss', (text) => plainNumber(text, 'daily-loss')],
  'entries-per-day': ['entriesPerDay', (text) => wholeNumber(text, 'entries-per-day')],
  'cooldown-seconds': ['cooldownSeconds', (text) => wholeNumber(text, 'cooldown-seconds')],
  'lock-after-stops': ['lockAfterStops', readLock],
  'trading-windows': ['tradingWindows', (text) => text.split(';').map(readWindow)],
  rate: ['rate', (text) => wholeNumber(text, 'rate')],
};

function readLock(text: string): object {
  const [, stops, seconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (stops === undefined) throw new UsageFault(`--lock-after-stops ${text}: write stops/seconds, such as 3/3600.`);
  return { stops: Number(stops), seconds: Number(seconds) };
}

function readWindow(text: string): object {
  const [, days, from, to, zone] = /^\s*(?:([a-z,]+)\s+)?([\d:]+)-([\d:]+)(?:\s+(\S+))?\s*$/i.exec(text) ?? [];
  if (from === undefined)
    throw new UsageFault(`--trading-windows "${text.trim()}": write it as "mon,fri 09:30-16:00 Europe/Berlin".`);
  return {
    ...(days !== undefined && { days: commaList(days.toLowerCase()) }),
    ...{ from, to },
    ...(zone !== undefined && { zone }),
  };
}

/** `strategy:ema` as the path of what belongs to it. */
export function pathOf(subject: string, what: 'limits' | 'pause' | 'kill-switch'): string {
  const [, kind, name] = /^(key|strategy|account|symbol):(.+)$/.exec(subject) ?? [];
  if (kind === undefined || name === undefined)
    throw new UsageFault(
      `"${subject}" names nobody; write key:<label>, strategy:<name>, account:binance:main or symbol:BTCUSDT.`,
    );
  return `${PATH}/${kind}/${encodeURIComponent(name)}/${what}`;
}

/** Undefined for the older form of the command, which is about rates. */
export function planLimits({ words: [verb, ...rest], flags }: Args): RouteCall | undefined {
  const given = Object.keys(LIMIT_FLAGS).filter((flag) => flags[flag] !== undefined);
  if (verb !== 'set' && given.length > 0) throw new UsageFault(`--${given[0]} belongs to "limits set <kind:name>".`);
  if (verb === 'list') return listOf(rest);
  if (verb !== 'set' && verb !== 'remove') return undefined;
  const path = pathOf(onlyWord(rest, 'whose limits they are'), 'limits');
  if (verb === 'remove') return { method: 'DELETE', path, show: showOne };
  if (given.length === 0)
    throw new UsageFault('Name at least one limit, such as --largest-order 1000, or write "limits remove".');
  const limits = (given as (keyof typeof LIMIT_FLAGS)[]).map((flag) => {
    const [field, read] = READ[flag];
    const text = flags[flag] as string;
    return [field, text === 'none' ? null : read(text)];
  });
  return { method: 'PATCH', path, body: Object.fromEntries(limits), show: showOne };
}

function listOf(rest: readonly string[]): RouteCall {
  noWords(rest);
  const columns = [
    { title: 'of', of: subjectOf },
    { title: 'state', of: stateOf },
    { title: 'limits', of: (row: Fields) => limitsOf(row.limits) },
  ];
  return {
    method: 'GET',
    path: PATH,
    show({ result }, paint) {
      const rows = rowsOf(result);
      return rows.length > 0
        ? table(columns, rows, paint)
        : 'Nothing is limited or paused. Set a limit: signalbox limits set symbol:BTCUSDT --largest-order 1000';
    },
  };
}

const subjectOf = ({ kind, name }: Fields): string => `${cell(kind)}:${cell(name)}`;

function stateOf({ paused, pauseReason, killSwitch }: Fields): string {
  const isThrown = fieldsOf(killSwitch).active === true;
  const why = typeof pauseReason === 'string' ? ` (${words(pauseReason)})` : '';
  const said = [...(isThrown ? ['KILL SWITCH ON'] : []), ...(paused === true ? [`paused${why}`] : [])];
  return said.length > 0 ? said.join(', ') : 'trades';
}

const limitsOf = (limits: unknown): string => {
  const all = Object.entries(fieldsOf(limits)).map(([name, value]) => `${name} ${limitInWords(value)}`);
  return all.length > 0 ? all.join(', ') : 'none';
};
const limitInWords = (value: unknown): string =>
  Array.isArray(value) ? value.map((each) => words(each)).join(' ') : words(value);

/** What is in force all the same, but may not be meant. */
export const doubtsOf = ({ warnings }: Fields): readonly string[] =>
  Array.isArray(warnings) ? warnings.map((warning) => `Warning: ${words(warning)}`) : [];

const showOne = (body: Fields): string => {
  const { result, removed } = body;
  const row = fieldsOf(result);
  const gone = Array.isArray(removed) && removed.length > 0 ? ` Removed: ${removed.map(words).join(', ')}.` : '';
  const line = `${subjectOf(row)}: ${stateOf(row)}. Limits: ${limitsOf(row.limits)}.${gone}`;
  return [line, ...doubtsOf(body)].join('\n');
};

export const pause: Command = {
  name: 'pause',
  summary: 'stop entries of a key, strategy, account or symbol',
  usage: ['<kind:name> [--reason "why"] [--cancel-entries]'],
  flags: { reason: 'told to whoever is refused' },
  switches: { 'cancel-entries': 'withdraw opening orders that rest at the venues; they stay, and may fill, otherwise' },
  plan({ words: given, flags, switches }) {
    const path = pathOf(onlyWord(given, 'what is paused'), 'pause');
    const reason = flags.reason === undefined ? {} : { reason: flags.reason };
    const effect = switches.has('cancel-entries') ? { cancelEntries: true } : {};
    return { method: 'PUT', path, body: { paused: true, ...reason, ...effect }, show: showPause };
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'let it trade again after a pause',
  usage: ['<kind:name>'],
  flags: {},
  plan({ words: given }) {
    const path = pathOf(onlyWord(given, 'what goes on'), 'pause');
    return { method: 'PUT', path, body: { paused: false }, show: showPause };
  },
};

function showPause(body: Fields, paint: Paint): string {
  const row = fieldsOf(body.result);
  const subject = subjectOf(row);
  if (row.paused !== true) return `${subject} ${paint('green', 'trades')} again.`;
  const effect = row.kind === 'key' ? 'every signal of it is refused' : 'new entries are refused, closing signals pass';
  const line = `${subject} is ${paint('red', 'PAUSED')}: ${effect}.`;
  return [line, ...doubtsOf(body), ...rowsOf(body.canceled).map(withdrawn), ...waitingOf(body)].join('\n');
}

/** A pause refuses new signals; what rests at a venue is not held back by it. */
function waitingOf({ waitingEntries }: Fields): readonly string[] {
  if (typeof waitingEntries !== 'number' || waitingEntries === 0) return [];
  const which = waitingEntries === 1 ? '1 of its entries waits' : `${waitingEntries} of its entries wait`;
  return [
    `${which} at the venue and may still fill; --cancel-entries withdraws ${waitingEntries === 1 ? 'it' : 'them'}.`,
  ];
}

/** What became of an opening order that was to be withdrawn. */
export function withdrawn({ clientOrderId, market, quantity, price, outcome, status, error }: Fields): string {
  const what = `Entry ${cell(clientOrderId)} (${cell(quantity)} ${cell(market)} at ${cell(price)})`;
  if (outcome === 'canceled') return `${what} was withdrawn.`;
  if (outcome === 'ended') return `${what} had ended: ${cell(status)}.`;
  return `${what} is NOT withdrawn yet, it is tried again: ${words(String(error))}`;
}
