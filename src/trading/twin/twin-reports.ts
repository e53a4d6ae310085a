// The gap between each testnet or live account and its paper twin over a stretch of time, from the fills that both journals have.

import { SerialQueue } from '../../timing/serial-queue.ts';
import type { PricesOf, ShownPrices } from '../account-prices.ts';
import type { AccountName } from '../accounts.ts';
import { type AccountFilter, accountsOf } from '../books/account-reports.ts';
import type { ArchivedHistory, FillHistory, HistoricFill } from '../books/fill-history.ts';
import { TooManyFills } from '../books/performance-reports.ts';
import type { Position } from '../books/position.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import { type Decimal, decimal, negate, type Product, plus, product, toText, ZERO } from '../decimal.ts';
import { tradeIdOfOrder } from '../execution/client-order-id.ts';
import type { Venue } from '../venue.ts';
import {
  type Filled,
  type LoneTrade,
  NOTHING_FILLED,
  type ShownGap,
  shownGap,
  type TradePair,
  twinGap,
} from './twin-gap.ts';
import type { MarkedTrade, TwinMarks } from './twin-marks.ts';

/** A live account and the paper account that does the same. */
export interface TwinnedAccount {
  readonly live: Venue;
  readonly twin: Venue;
  readonly twinHistory: FillHistory;
  readonly marks: Pick<TwinMarks, 'of'>;
}

export interface TwinReportParts {
  readonly twins: readonly TwinnedAccount[];
  /** Of the live accounts. */
  readonly history: FillHistory & ArchivedHistory;
  readonly pricesOf: PricesOf<Pick<ShownPrices, 'lastPrice'>>;
  /** What the live accounts hold now, as our books have it. */
  readonly positions: () => Promise<readonly Position[]>;
  readonly maxFills?: number;
}

export interface TwinRange {
  /** Trades accepted from here on, and before there, count. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only its shares of the fills; empty means signals without one. */
  readonly strategy?: string | undefined;
}

export interface TwinReport extends AccountName {
  /** When the first trade with a twin was accepted, of those that are not archived; undefined before that. */
  readonly sinceMs: number | undefined;
  /** Trades of that time with a twin. */
  readonly trades: number;
  /** Undefined while a price that is needed for it is missing. */
  readonly gap: ShownGap | undefined;
  /** What its owner should know of these numbers, in words. */
  readonly warnings: readonly string[];
}

export type TwinReports = (filter: AccountFilter, range: TwinRange) => Promise<readonly TwinReport[]>;

interface CompleteRange extends TwinRange {
  /** Since when the journal has every trade. */
  readonly completeFromMs: number;
}

const NONE: readonly string[] = [];
/** They are in memory at once, those of one account and its twin. */
const MAX_FILLS = 300_000;

/** One after another: each may have that many fills in memory. */
export function createTwinReports(parts: TwinReportParts): TwinReports {
  const turns = new SerialQueue();
  const live = { list: () => parts.twins.map((each) => each.live) };
  return (filter, asked) =>
    turns.run(async () => {
      // Of earlier ones only the twin may be left.
      const completeFromMs = await parts.history.completeFromMs();
      const range = { ...asked, fromMs: Math.max(asked.fromMs, completeFromMs), completeFromMs };
      const wanted = accountsOf(live, filter);
      const reports: TwinReport[] = [];
      for (const each of parts.twins) if (wanted.includes(each.live)) reports.push(await reportOf(each, range, parts));
      return reports;
    });
}

async function reportOf(account: TwinnedAccount, range: CompleteRange, parts: TwinReportParts): Promise<TwinReport> {
  const { exchange, mode, account: name } = account.live;
  const marked = await account.marks.of({ exchange, account: name });
  const begun = marked.find(({ acceptedAtMs }) => acceptedAtMs >= range.completeFromMs);
  const due = marked.filter(({ acceptedAtMs }) => acceptedAtMs >= range.fromMs && acceptedAtMs < range.toMs);
  const known = { exchange, mode, account: name, sinceMs: begun?.acceptedAtMs, trades: due.length, warnings: NONE };
  if (begun === undefined) return { ...known, gap: shownGap(twinGap({ pairs: [], lone: [], funding: NO_FUNDING })) };
  const since = { ...range, fromMs: Math.max(range.fromMs, begun.acceptedAtMs) };
  const [live, twin] = [
    await tradesOf(parts.history, account.live, { marked, range: since, parts }),
    await tradesOf(account.twinHistory, account.twin, { marked, range: since, parts }),
  ];
  const priceAt = await pricesAt(parts.pricesOf(account.live), [live, twin]);
  if (priceAt === undefined) return { ...known, gap: undefined };
  const pairs = due.flatMap((trade) => pairOf(trade, { live: live.paired, twin: twin.paired, priceAt }));
  const lone = (side: LoneTrade['side'], { alone }: SideTrades): readonly LoneTrade[] =>
    [...alone].map(([market, filled]) => ({ side, filled, lastPrice: priceAt(market) }));
  const funding = await fundingOf(account, since);
  const counted = [...due.flatMap(({ tradeId }) => live.paired.get(tradeId) ?? []), ...live.alone.values()];
  const warnings = await heldOtherwise(account.live, counted, range, parts);
  return {
    ...known,
    warnings,
    gap: shownGap(twinGap({ pairs, lone: [...lone('live', live), ...lone('twin', twin)], funding })),
  };
}

interface MarketFilled extends Filled {
  readonly market: string;
}

/**
 * A position that was opened before, or that was traded by hand, is not what these trades come to: what is missing of it counts as open
 * for ever, at the last price. Told where they can be compared: up to now, and for all strategies together.
 */
async function heldOtherwise(
  { exchange, mode, account }: AccountName,
  counted: readonly MarketFilled[],
  { toMs, strategy }: TwinRange,
  { positions }: Pick<TwinReportParts, 'positions'>,
): Promise<readonly string[]> {
  if (toMs !== Number.POSITIVE_INFINITY || strategy !== undefined || counted.length === 0) return NONE;
  const all = await positions();
  const ours = all.filter((each) => each.exchange === exchange && each.mode === mode && each.account === account);
  return [...new Set(counted.map(({ market }) => market))].flatMap((market) => {
    const made = counted.flatMap((each) => (each.market === market ? each.quantity : [])).reduce(plus, ZERO);
    const signed = ({ side, quantity }: Position): Decimal => (side === 'LONG' ? quantity : negate(quantity));
    const held = ours.flatMap((each) => (each.market === market ? signed(each) : [])).reduce(plus, ZERO);
    if (made === held) return NONE;
    return `${market}: the trades counted here come to ${toText(made)}, and the account holds ${toText(held)}. What was traded by hand at the exchange, or before this time, is not in these numbers, so they go on moving with the price; begin (from) when the account was flat`;
  });
}

/** What one of the two has filled: by trade where the trade has a twin, and by market where it was done alone. */
interface SideTrades {
  readonly paired: ReadonlyMap<string, MarketFilled>;
  readonly alone: ReadonlyMap<string, MarketFilled>;
}

interface Wanted {
  readonly marked: readonly MarkedTrade[];
  readonly range: TwinRange;
  readonly parts: Pick<TwinReportParts, 'maxFills'>;
}

/** What was done alone counts by the moment of its fill, and what has a twin by its trade. */
async function tradesOf(
  history: FillHistory,
  { exchange, mode, account }: AccountName,
  { marked, range, parts: { maxFills = MAX_FILLS } }: Wanted,
): Promise<SideTrades> {
  const isTwinned = new Set(marked.map(({ tradeId }) => tradeId));
  const trades = { paired: new Map<string, MarketFilled>(), alone: new Map<string, MarketFilled>() };
  let count = 0;
  for await (const fills of history.pages({ exchange, account })) {
    count += fills.length;
    if (count > maxFills) throw new TooManyFills(`there are more than ${maxFills} fills; use POST /query`);
    for (const fill of fills) {
      const filled = fill.mode === mode ? filledBy(fill, range.strategy) : undefined;
      if (filled === undefined) continue;
      const tradeId = tradeIdOfOrder(fill.clientOrderId);
      if (tradeId !== undefined && isTwinned.has(tradeId)) add(trades.paired, tradeId, filled);
      else if (fill.atMs >= range.fromMs && fill.atMs < range.toMs) add(trades.alone, fill.market, filled);
    }
  }
  return trades;
}

function add(trades: Map<string, MarketFilled>, name: string, more: MarketFilled): void {
  const { quantity, cost, fee } = trades.get(name) ?? NOTHING_FILLED;
  trades.set(name, {
    market: more.market,
    quantity: plus(quantity, more.quantity),
    cost: (cost + more.cost) as Product,
    fee: plus(fee, more.fee),
  });
}

/** Undefined where the strategy has no share of it. */
function filledBy(fill: HistoricFill, strategy: string | undefined): MarketFilled | undefined {
  const { market, side, price, shares = [] } = fill;
  const isWhole = strategy === undefined || (shares.length === 0 && strategy === NAMELESS);
  const taken = isWhole ? [fill] : shares.filter((share) => share.strategy === strategy);
  if (taken.length === 0) return undefined;
  const size = taken.map((each) => each.quantity).reduce(plus, ZERO);
  const quantity = side === 'BUY' ? size : negate(size);
  return { market, quantity, cost: product(quantity, price), fee: taken.map((each) => each.fee).reduce(plus, ZERO) };
}

type PriceAt = (market: string) => Decimal;

/** Undefined while one of them is missing. */
async function pricesAt(
  prices: Pick<ShownPrices, 'lastPrice'>,
  sides: readonly SideTrades[],
): Promise<PriceAt | undefined> {
  const filled = sides.flatMap(({ paired, alone }) => [...paired.values(), ...alone.values()]);
  const markets = [...new Set(filled.map(({ market }) => market))];
  try {
    const found = await Promise.all(
      markets.map(async (market) => [market, decimal(await prices.lastPrice(market))] as const),
    );
    const byMarket = new Map(found);
    return (market) => byMarket.get(market) as Decimal;
  } catch {
    return undefined;
  }
}

interface BothSides {
  readonly live: ReadonlyMap<string, MarketFilled>;
  readonly twin: ReadonlyMap<string, MarketFilled>;
  readonly priceAt: PriceAt;
}

/** None where neither has a fill. */
function pairOf({ tradeId, accepted, sent }: MarkedTrade, { live, twin, priceAt }: BothSides): readonly TradePair[] {
  const [ours, theirs] = [live.get(tradeId), twin.get(tradeId)];
  const market = (ours ?? theirs)?.market;
  if (market === undefined) return [];
  const both = { live: ours ?? NOTHING_FILLED, twin: theirs ?? NOTHING_FILLED };
  return [{ ...both, accepted, sent, lastPrice: priceAt(market) }];
}

const NO_FUNDING = { live: ZERO, twin: ZERO };

/** Counted where both are known: strategies share positions, and a venue that does not tell leaves nothing to compare with. */
async function fundingOf({ live, twin }: TwinnedAccount, { fromMs, toMs, strategy }: TwinRange) {
  if (strategy !== undefined || live.funding === undefined) return NO_FUNDING;
  const paid = async (venue: Venue): Promise<Decimal> =>
    ((await venue.funding?.(fromMs, toMs)) ?? []).map(({ amount }) => amount).reduce(plus, ZERO);
  return { live: await paid(live), twin: await paid(twin) };
}
