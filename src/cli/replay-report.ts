// How the outcome of a replay is shown: figures then and now, the signals that ended otherwise, and what could not be replayed.

import type { Performance } from '../trading/books/performance.ts';
import { type Decimal, minus, plus, toText, ZERO } from '../trading/decimal.ts';
import type { ComparedFigures, ComparedOutcome } from '../trading/replay/comparison.ts';
import type { ReplayReport } from './host.ts';
import type { Paint } from './paint.ts';
import { column, type Fields, table, timeColumn, wordsColumn } from './table.ts';

export const isDifferent = ({ comparison: { outcomes, total, holdings }, stopsLeftOut }: ReplayReport): boolean =>
  stopsLeftOut > 0 ||
  holdings.length > 0 ||
  outcomes.some(({ isSame }) => !isSame) ||
  JSON.stringify(figuresOf(total.past)) !== JSON.stringify(figuresOf(total.replayed));

export function replayText(report: ReplayReport, { all }: { readonly all: boolean }, paint: Paint): string {
  const { total, groups, outcomes, holdings } = report.comparison;
  const rows = [...groups, total].flatMap(figureRows);
  const different = outcomes.filter(({ isSame }) => !isSame);
  const listed = all ? outcomes : different;
  const parts = [table(FIGURE_COLUMNS, rows, paint), summaryOf(outcomes.length, different.length)];
  if (listed.length > 0) parts.push(table(OUTCOME_COLUMNS, listed.map(outcomeRow), paint));
  if (holdings.length > 0)
    parts.push(
      table(
        HOLDING_COLUMNS,
        holdings.map((each) => ({ ...each })),
        paint,
      ),
    );
  return [...parts, ...notesOf(report)].join('\n\n');
}

const right = { right: true };
const FIGURE_COLUMNS = [
  column('', 'group'),
  column('', 'when'),
  column('trades', 'trades', right),
  column('won', 'won', right),
  column('P&L', 'pnl', right),
  column('fees', 'fees', right),
  column('funding', 'funding', right),
  column('net', 'net', right),
  column('drawdown', 'maxDrawdown', right),
];

const OUTCOME_COLUMNS = [
  timeColumn('time', 'time'),
  column('signal', 'what'),
  column('then', 'past'),
  wordsColumn('now', 'replayed'),
];

const HOLDING_COLUMNS = [column('at the end', 'name'), column('then', 'past'), column('now', 'replayed')];

const amount = (value: Decimal): string => toText(value);

interface Figures {
  readonly trades: number;
  readonly won: number;
  readonly pnl: string;
  readonly fees: string;
  /** Null where it cannot be told apart: it is paid on a position, which strategies may share. */
  readonly funding: string | null;
  readonly net: string;
  readonly maxDrawdown: string;
}

const netOf = ({ pnl, fees, funding = ZERO }: Performance): Decimal => plus(minus(pnl, fees), funding);

const figuresOf = (of: Performance): Figures => ({
  trades: of.trades,
  won: of.wins,
  pnl: amount(of.pnl),
  fees: amount(of.fees),
  funding: of.funding === undefined ? null : amount(of.funding),
  net: amount(netOf(of)),
  maxDrawdown: amount(of.maxDrawdown),
});

function differenceOf(past: Performance, replayed: Performance): Figures {
  const isTold = past.funding !== undefined && replayed.funding !== undefined;
  return {
    trades: replayed.trades - past.trades,
    won: replayed.wins - past.wins,
    pnl: amount(minus(replayed.pnl, past.pnl)),
    fees: amount(minus(replayed.fees, past.fees)),
    funding: isTold ? amount(minus(replayed.funding ?? ZERO, past.funding ?? ZERO)) : null,
    net: amount(minus(netOf(replayed), netOf(past))),
    maxDrawdown: amount(minus(replayed.maxDrawdown, past.maxDrawdown)),
  };
}

/** Three lines: then, now, and what is between them; one where they are the same. */
function figureRows({ by, group, past, replayed }: ComparedFigures): readonly Fields[] {
  const name = by === undefined ? 'in all' : group === '' ? `no ${by}` : group;
  const [then, now] = [figuresOf(past), figuresOf(replayed)];
  if (JSON.stringify(then) === JSON.stringify(now)) return [{ group: name, when: 'same', ...then }];
  return [
    { group: name, when: 'then', ...then },
    { group: '', when: 'now', ...now },
    { group: '', when: 'difference', ...differenceOf(past, replayed) },
  ];
}

const outcomeRow = ({ past, replayed }: ComparedOutcome): Fields => ({
  time: past?.atMs ?? replayed?.atMs,
  what: past?.what || replayed?.what,
  past: past?.words ?? 'nothing',
  replayed: replayed?.words ?? 'nothing',
});

const summaryOf = (count: number, different: number): string =>
  different === 0
    ? `All ${count} signals, closes and stops end as they did.`
    : `${different} of ${count} signals, closes and stops end otherwise.`;

function notesOf({ unreadable, stopsLeftOut, troubles }: ReplayReport): readonly string[] {
  const notes = [...troubles];
  if (unreadable > 0)
    notes.push(
      `${unreadable} refused signal${unreadable === 1 ? ' was' : 's were'} left out: what could not be read cannot be sent again.`,
    );
  if (stopsLeftOut > 0)
    notes.push(
      `${stopsLeftOut} change${stopsLeftOut === 1 ? '' : 's'} of stops by hand left out: the replay has nothing there to guard.`,
    );
  return notes;
}

/** Everything, with times in ms and amounts as text. */
export function replayJson(report: ReplayReport): object {
  const { comparison, unreadable, stopsLeftOut, troubles } = report;
  const { fromMs, toMs, total, groups, outcomes, holdings } = comparison;
  const figures = ({ by, group, past, replayed }: ComparedFigures) => ({
    ...(by !== undefined && { by, group }),
    past: figuresOf(past),
    replayed: figuresOf(replayed),
    difference: differenceOf(past, replayed),
  });
  return {
    from: fromMs,
    to: toMs,
    same: !isDifferent(report),
    total: figures(total),
    groups: groups.map(figures),
    signals: outcomes.map(({ past, replayed, isSame }) => ({
      requestId: past?.requestId ?? replayed?.requestId ?? null,
      time: past?.atMs ?? replayed?.atMs,
      what: past?.what || replayed?.what,
      past: past?.words ?? null,
      replayed: replayed?.words ?? null,
      same: isSame,
    })),
    holdings,
    unreadable,
    stopsLeftOut,
    troubles,
  };
}
