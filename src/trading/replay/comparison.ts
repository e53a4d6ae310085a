// The past beside its replay: figures of both in total, by strategy and by market, and every signal that ended otherwise.

import type { HistoricFill } from '../books/fill-history.ts';
import { type Grouping, type HistoricFunding, type Performance, performanceOf } from '../books/performance.ts';
import { type ComparedHolding, differentHoldings } from './holdings.ts';
import { type Outcome, outcomesOf } from './outcomes.ts';
import type { RecordedPast } from './recorded-past.ts';

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface ComparedFigures {
  /** Undefined for everything together. */
  readonly by?: Grouping;
  readonly group: string;
  readonly past: Performance;
  readonly replayed: Performance;
}

/** Undefined where the past, or the replay, has no such signal or decision. */
export interface ComparedOutcome {
  readonly past: Outcome | undefined;
  readonly replayed: Outcome | undefined;
  readonly isSame: boolean;
}

export interface Comparison extends Stretch {
  readonly total: ComparedFigures;
  readonly groups: readonly ComparedFigures[];
  /** In the order of time. */
  readonly outcomes: readonly ComparedOutcome[];
  /** Balances, positions and shares that are not the same at the end. */
  readonly holdings: readonly ComparedHolding[];
}

const GROUPED_BY: readonly Grouping[] = ['account', 'strategy', 'symbol'];

export interface ComparedPasts {
  readonly past: RecordedPast;
  readonly replayed: RecordedPast;
  /** What the gates of the replay refused, by request id. */
  readonly refused: ReadonlyMap<string, string>;
}

export function compare({ past, replayed, refused }: ComparedPasts, stretch: Stretch): Comparison {
  const [fillsBefore, fillsNow] = [fillsOf(past, stretch), fillsOf(replayed, stretch)];
  const figures = (by: Grouping) => {
    const range = { by, ...stretch };
    const a = performanceOf(fillsBefore, range, paymentsOf(past));
    const b = performanceOf(fillsNow, range, paymentsOf(replayed));
    const names = [...new Set([...a.groups, ...b.groups].map(({ group }) => group))].sort();
    const find = (groups: typeof a.groups, name: string): Performance =>
      groups.find(({ group }) => group === name) ?? NOTHING;
    return {
      total: { group: '', past: a.total, replayed: b.total },
      groups: names.map((group) => ({ by, group, past: find(a.groups, group), replayed: find(b.groups, group) })),
    };
  };
  const all = GROUPED_BY.map(figures);
  const was = outcomesOf(past, stretch);
  const is = outcomesOf({ ...replayed, refusals: refusalsNow(past, replayed, refused) }, stretch);
  const names = new Set([...was.keys(), ...is.keys()]);
  const outcomes = [...names].map((name): ComparedOutcome => {
    const [a, b] = [was.get(name), is.get(name)];
    return { past: a, replayed: b, isSame: a?.facts === b?.facts };
  });
  return {
    ...stretch,
    total: (all[0] as ReturnType<typeof figures>).total,
    groups: all.flatMap(({ groups }) => groups),
    outcomes: outcomes.sort((a, b) => momentOf(a) - momentOf(b)),
    holdings: differentHoldings(past, replayed, stretch.toMs),
  };
}

const NOTHING: Performance = performanceOf([], { by: 'day', fromMs: 0, toMs: 0 }).total;

const momentOf = ({ past, replayed }: ComparedOutcome): number => past?.atMs ?? replayed?.atMs ?? 0;

/** Those that the replay sent again and refused again, those it did not send, as they were, and those it alone refused. */
function refusalsNow(
  past: RecordedPast,
  replayed: RecordedPast,
  refused: ReadonlyMap<string, string>,
): RecordedPast['refusals'] {
  const traded = new Set(replayed.trades.map(({ trade }) => trade.requestId));
  const again = past.refusals
    .filter(({ id }) => !traded.has(id))
    .map((refusal) => ({ ...refusal, code: refused.get(refusal.id) ?? refusal.code }));
  const newly = past.trades.flatMap(({ trade: { requestId: id, receivedAtMs, keyLabel, source } }) => {
    const code = refused.get(id);
    if (code === undefined) return [];
    return [{ id, receivedAtMs, keyLabel, door: source, status: 0, code, error: code, faults: [], body: '' }];
  });
  return [...newly, ...again];
}

/**
 * Markets may fill in one second, and in which order they did is chance: a drawdown of all must not tell. So each second is
 * told market by market.
 */
const fillsOf = ({ trades }: RecordedPast, { fromMs }: Stretch): readonly HistoricFill[] =>
  fillsOfTrades(trades)
    .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : Number(placeOf(a) > placeOf(b))) || a.atMs - b.atMs)
    .map((fill) => (fill.atMs < fromMs ? fill : { ...fill, atMs: Math.max(fromMs, startOfSecond(fill.atMs)) }));

const SECOND_MS = 1000;

const startOfSecond = (ms: number): number => ms - (ms % SECOND_MS);

const paymentsOf = ({ accounts }: RecordedPast): readonly HistoricFunding[] =>
  accounts.flatMap(({ exchange, mode, account, funding }) =>
    funding.map((payment) => ({ ...payment, exchange, mode, account })),
  );

const placeOf = ({ exchange, account, market }: HistoricFill): string => `${exchange}:${account}:${market}`;

const fillsOfTrades = (trades: RecordedPast['trades']): readonly HistoricFill[] =>
  trades.flatMap(({ trade, orders }) =>
    orders.flatMap(({ side, positionSide, netted, fills }) =>
      fills.map((fill) => ({
        ...fill,
        ...{ exchange: trade.order.exchange, mode: trade.mode, account: trade.account, market: trade.order.market },
        ...{ keyLabel: trade.keyLabel, side, positionSide, netted },
      })),
    ),
  );
