// Live deployments for a terminal: the list in 120 columns, one with everything about it, and its log.

import type { Paint } from './paint.ts';
import {
  cell,
  column,
  type Fields,
  fieldsOf,
  modeColumn,
  pairs,
  printable,
  rowsOf,
  table,
  time,
  words,
} from './table.ts';
import { textWidth } from './text-width.ts';
import { moneyOf, seriousMoney } from './whose-money.ts';

const NAME_CHARS = 12;
const MARKET_CHARS = 13;
const POSITION_CHARS = 18;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Words about drift and errors follow the table: their last ones are the remedy, and no column has room for them. */
export function listText(rows: readonly Fields[], nowMs: number, paint: Paint): string {
  if (rows.length === 0)
    return 'There are no live deployments. Make one: signalbox deployments create script.pine --symbol BTCUSDT --interval 1h';
  const columns = [
    column('id', 'id'),
    { title: 'name', of: ({ name }: Fields) => clipped(cell(name), NAME_CHARS) },
    {
      title: 'market',
      of: ({ symbol, interval }: Fields) => clipped(`${cell(symbol)} ${cell(interval)}`, MARKET_CHARS),
    },
    { ...modeColumn, of: modeWords },
    column('state', 'state'),
    { title: 'position', of: (row: Fields) => clipped(shortPosition(row, nowMs), POSITION_CHARS) },
    {
      title: 'drift',
      of: ({ drift, position }: Fields) => (drift ? 'yes' : typeof position === 'number' ? 'no' : '-'),
    },
    { title: 'last bar', of: ({ lastBarTime }: Fields) => ageOf(lastBarTime, nowMs, ' ago') },
  ];
  const notes = rows.flatMap((row) => notesOf(row).map(([what, said]) => `${cell(row.id)} ${what}: ${said}`));
  const below = [notes, moneyLines(rows), [barsText(rows)]].filter((lines) => lines.length > 0);
  return [table(columns, rows, paint), ...below.map((lines) => lines.join('\n'))].join('\n\n');
}

/** Whose money those move that trade: a line for each account, with all that move it. */
function moneyLines(rows: readonly Fields[]): string[] {
  const trading = rows.filter((row) => row.mode === 'trade' && sendsOrders(row) && seriousMoney(row) !== undefined);
  return [...Map.groupBy(trading, moneyOf)].map(
    ([money, those]) => `Trades ${money}: ${those.map(({ id }) => cell(id)).join(', ')}`,
  );
}

/** Where the bars come from: one line, or one for each source with those that run on it. */
function barsText(rows: readonly Fields[]): string {
  const sources = Map.groupBy(rows, ({ barsFrom }) => cell(barsFrom));
  return sources.size === 1
    ? `Bars: ${[...sources.keys()].join()}.`
    : [...sources]
        .map(([source, those]) => `Bars of ${source}: ${those.map(({ id }) => cell(id)).join(', ')}`)
        .join('\n');
}

export function deploymentText(row: Fields, paint: Paint): string {
  const inputs = Object.entries(fieldsOf(row.inputs)).map(([title, value]) => `${printable(title)} = ${cell(value)}`);
  return pairs(
    [
      ['id', cell(row.id)],
      ['name', cell(row.name)],
      ['market', `${cell(row.symbol)} ${cell(row.interval)}`],
      ['bars', cell(row.barsFrom)],
      ['script', `${cell(row.scriptId)}, revision ${cell(row.revision)} (${cell(row.scriptType)})`],
      ['inputs', inputs.join(', ') || 'as the script has them'],
      ...capitalOf(row),
      ['targets', cell(row.targets)],
      ['mode', whatModeIs(row)],
      ...tradesRow(row),
      ['state', cell(row.state)],
      ['position', positionWords(row)],
      ...notesOf(row),
      ['last bar', time(row.lastBarTime)],
      ['last run', time(row.lastRunAt)],
      ['runs', cell(row.runs)],
      ['alerts and fills', cell(row.alerts)],
      ['deployed', time(row.createdAt)],
      ['user id', cell(row.userId)],
    ],
    paint,
  );
}

/** Newest last, as it happened. */
export function logText(newestFirst: readonly Fields[], paint: Paint): string {
  const width = Math.max(...newestFirst.map(({ kind }) => cell(kind).length));
  return newestFirst
    .toReversed()
    .map(({ at, kind, message }) => `${paint('dim', time(at))}  ${cell(kind).padEnd(width)}  ${words(message)}`)
    .join('\n');
}

/** `admin`: the same as the operator sees it, who alone is told whose money it moves. */
export function newDeploymentText(body: Fields, admin: Fields, paint: Paint): string {
  const row: Fields = { ...fieldsOf(body.deployment), tradesOn: admin.tradesOn };
  const id = cell(row.id);
  const warnings = (Array.isArray(body.warnings) ? body.warnings : []).map(
    (text) => `Warning: ${printable(String(text))}`,
  );
  return [
    `Deployed ${cell(row.name)} (${cell(row.symbol)} ${cell(row.interval)}), script ${cell(row.scriptId)}, revision ${cell(row.revision)}. Bars: ${cell(row.barsFrom)}. ${whatItDoes(row)}`,
    '',
    `  ${paint('bold', id)}`,
    '',
    ...warnings,
    `See what it does: signalbox deployments log ${id}`,
  ].join('\n');
}

function whatItDoes(row: Fields): string {
  if (!hasTradeTarget(row)) return 'It trades nothing.';
  return row.mode === 'trade'
    ? tradingText(row)
    : `It is a dry run: what it would trade is written into its log, and nothing is sent. The same with --mode trade --replaces ${cell(row.id)} lets it trade.`;
}

/** Of one that has been let trade: nobody should have to guess whose money that is. */
export function tradingText(row: Fields): string {
  const money = moneyOf(row);
  return money === undefined
    ? `It trades from now on, with the money of whichever account its ${row.scriptType === 'indicator' ? 'alerts name' : 'key goes to'} ("signalbox accounts list" says which are LIVE).`
    : `It trades ${money} from now on.`;
}

const hasTradeTarget = ({ targets }: Fields): boolean => rowsOf(targets).some(({ type }) => type === 'trade');

/** Of one whose alerts go nowhere that trades the mode says nothing. */
function whatModeIs(row: Fields): string {
  if (!sendsOrders(row)) return '-';
  return row.mode === 'dry-run' ? 'dry run' : cell(row.mode);
}

/** In the list whose money it is stands for the mode of one that trades. */
const modeWords = (row: Fields): string =>
  (row.mode === 'trade' && sendsOrders(row) && seriousMoney(row)) || whatModeIs(row);

export const sendsOrders = ({ targets }: Fields): boolean =>
  Array.isArray(targets) && targets.some((target) => /^(trade|second opinion)\b/.test(String(target)));

function tradesRow(row: Fields): [string, string][] {
  const money = sendsOrders(row) ? moneyOf(row) : undefined;
  return money === undefined ? [] : [[row.mode === 'dry-run' ? 'would trade' : 'trades', money]];
}

const sideOf = (position: number): string =>
  position === 0 ? 'flat' : `${position > 0 ? 'long' : 'short'} ${cell(Math.abs(position))}`;

function shortPosition({ position, positionSince }: Fields, nowMs: number): string {
  if (typeof position !== 'number') return '-';
  return positionSince === null || position === 0
    ? sideOf(position)
    : `${sideOf(position)} ${ageOf(positionSince, nowMs)}`;
}

function positionWords({ position, positionSince }: Fields): string {
  if (typeof position !== 'number') return '-';
  return positionSince === null || position === 0
    ? sideOf(position)
    : `${sideOf(position)} since ${time(positionSince)}`;
}

const notesOf = ({ drift, reason }: Fields): [string, string][] => [
  ...(drift ? ([['drift', words(drift)]] as [string, string][]) : []),
  ...(reason ? ([['last error', words(reason)]] as [string, string][]) : []),
];

const capitalOf = ({ scriptType, initialCapital }: Fields): [string, string][] =>
  scriptType === 'strategy'
    ? [['capital', initialCapital === null ? 'as the script declares it' : cell(initialCapital)]]
    : [];

/** `40s`, `12m`, `3h` or `5d`. */
function ageOf(value: unknown, nowMs: number, after = ''): string {
  if (typeof value !== 'number') return '-';
  const ageMs = Math.max(0, nowMs - value);
  if (ageMs < MINUTE_MS) return `${Math.floor(ageMs / 1000)}s${after}`;
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}m${after}`;
  return ageMs < 2 * DAY_MS ? `${Math.floor(ageMs / HOUR_MS)}h${after}` : `${Math.floor(ageMs / DAY_MS)}d${after}`;
}

/** With a sign that there is more; "deployments show" has the whole. */
function clipped(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let short = text;
  while (textWidth(short) > width - 1) short = short.slice(0, -1);
  return `${short}…`;
}
