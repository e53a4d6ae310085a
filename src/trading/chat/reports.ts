// The commands of the owner's chat that only look: status, account, performance, positions, orders, trades, signals and stops.

import { type PricesOf, type ShownPrices, sourcesInWords } from '../account-prices.ts';
import { accountInWords, modeInWords } from '../accounts.ts';
import type { AccountReports } from '../books/account-reports.ts';
import type { Journal } from '../books/journal.ts';
import { GROUPINGS, type Grouping } from '../books/performance.ts';
import type { PerformanceOfMode, PerformanceReports } from '../books/performance-reports.ts';
import { keyInWords, type Position } from '../books/position.ts';
import { ticksOf } from '../books/shown-amounts.ts';
import type { SignalStore } from '../books/signal-store.ts';
import { isShareOf, NAMELESS, type StrategyBook } from '../books/strategy-book.ts';
import { decimal, toText } from '../decimal.ts';
import type { Controls } from '../intake/controls.ts';
import type { Refusals } from '../intake/refusals.ts';
import type { Restrictions } from '../intake/restrictions.ts';
import type { SymbolMap } from '../intake/symbol-map.ts';
import { escapeHtml } from '../notifications/escape.ts';
import type { Protections } from '../protection/protections.ts';
import type { TwinReports } from '../twin/twin-reports.ts';
import type { Venue, VenueMode, VenuePosition } from '../venue.ts';
import { killSwitchesInWords } from './alarms.ts';
import {
  list,
  type NotifierLine,
  notifierLine,
  orderLine,
  positionLine,
  signalLine,
  symbolLine,
  tradeLine,
} from './render.ts';
import { accountLine, namedWithMode, performanceLine, twinLine } from './render-money.ts';
import { guardWords, pendingLine, stopLine } from './render-stops.ts';
import { refusalList } from './resends.ts';

export interface ReportParts {
  readonly journal: Pick<Journal, 'trades' | 'positions' | 'orders' | 'strategyBooks'>;
  readonly signals: Pick<SignalStore, 'list'>;
  readonly refusals: Pick<Refusals, 'list'>;
  readonly symbols: Pick<SymbolMap, 'list'>;
  readonly accountReports: AccountReports;
  readonly performanceReports: PerformanceReports;
  readonly twinReports: TwinReports;
  readonly protections: Pick<Protections, 'list' | 'waiting' | 'stopsAtVenue'>;
  /** The ways to the owner. */
  readonly notifiers: () => Promise<readonly NotifierLine[]>;
  readonly controls: Pick<Controls, 'current'>;
  readonly restrictions: Pick<Restrictions, 'list'>;
  /** Trades waiting or being executed. */
  readonly backlog: () => number;
  readonly venues: readonly Pick<Venue, 'exchange' | 'account' | 'mode' | 'tickOf' | 'positions'>[];
  readonly pricesOf: PricesOf<ShownPrices>;
  readonly version: string;
  readonly environment: string;
}

/** Takes the words after the command, gives HTML. */
export type Report = (words: readonly string[]) => Promise<string>;

/** The command's name; bare in code it would be the clock of that name. */
const PERFORMANCE = 'performance';
const TWIN = 'twin';
const NO_TWIN = 'No account has a paper twin; the setting PAPER_TWIN gives one to every testnet and live account.';
const DEFAULT_COUNT = 10;
export const MAX_COUNT = 20;

export function createReports(parts: ReportParts): Readonly<Record<string, Report>> {
  const { journal } = parts;
  const held = async () => (await journal.positions()).filter(({ quantity }) => quantity > 0n);

  const status: Report = async () => {
    const { killSwitch, queueMode } = parts.controls.current();
    const venues = parts.venues.map((venue) => `${accountInWords(venue)} ${modeInWords(venue.mode)}`).join(', ');
    return [
      `<b>Signalbox ${escapeHtml(parts.version)}</b> (${escapeHtml(parts.environment)})`,
      `${escapeHtml(killSwitchesInWords(killSwitch, parts.restrictions.list()))}.`,
      `Trading: ${escapeHtml(venues)}; prices: ${escapeHtml(sourcesInWords(parts.venues, parts.pricesOf))}`,
      `Queue mode: ${queueMode}`,
      `Open positions: ${(await held()).length}. Trades waiting or being executed: ${parts.backlog()}`,
    ].join('\n');
  };

  const positions: Report = () => positionsReport(parts, held);

  const account: Report = async () => {
    const lines = (await parts.accountReports({})).map(accountLine);
    return list(`Accounts (USDT, prices: ${sourcesInWords(parts.venues, parts.pricesOf)})`, lines, 'There is none.');
  };

  const results: Report = async ([word = 'day', ...more]) => {
    const ever = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    if (word === TWIN && more.length === 0)
      return list('Beside the paper twin (USDT)', (await parts.twinReports({}, ever)).map(twinLine), NO_TWIN);
    const by = GROUPINGS.find((name) => name === word);
    if (by === undefined || more.length > 0) return `Send one of ${GROUPINGS.join(', ')}, ${TWIN}, or none.`;
    return performanceReport(await parts.performanceReports({}, { by, ...ever }), by);
  };

  const trades = counted(async (limit) =>
    list('Trades (UTC)', (await journal.trades({ limit })).map(tradeLine), 'None yet.'),
  );
  const signals = counted(async (limit) =>
    list('Signals (UTC)', ((await parts.signals.list({ limit })) ?? []).map(signalLine), 'None yet.'),
  );
  const refusals = counted(async (limit) => refusalList((await parts.refusals.list({ limit })) ?? []));
  const orders = counted(async (limit) =>
    list('Open orders (UTC)', (await journal.orders({ limit, states: 'open' })).map(orderLine), 'None is open.'),
  );
  const stops: Report = async () => {
    const tickOf = ticksOf(parts.venues);
    const { protections } = parts;
    const lines = protections
      .list()
      .map((stop) => stopLine(stop, tickOf(stop.exchange, stop.market), protections.stopsAtVenue(stop)));
    return list('Stops', [...lines, ...(await protections.waiting()).map(pendingLine)], 'No stops.');
  };

  const channels: Report = async () =>
    list('Channels (UTC)', (await parts.notifiers()).map(notifierLine), 'There is none.');

  const symbols: Report = async () => list('Symbol map', parts.symbols.list().map(symbolLine), 'No symbol is mapped.');

  const looks = { positions, orders, trades, signals, refusals, stops, channels, symbols };
  return { status, account, [PERFORMANCE]: results, ...looks };
}

/** The totals, then the groups, real money first. A mode in which nothing was traded is left out. */
function performanceReport(reports: readonly PerformanceOfMode[], by: Grouping): string {
  const named = (name: string, mode: VenueMode): string => namedWithMode(name, mode, reports.length === 1);
  const traded = reports.filter(({ groups }) => groups.length > 0);
  const totals = traded.map(({ mode, total }) => performanceLine(named('In all', mode), total));
  const lines = traded.flatMap(({ mode, groups }) => {
    // The newest days are those that somebody with a phone looks for.
    const ordered = by === 'day' ? groups.toReversed() : groups;
    return ordered.map(({ group, ...of }) => performanceLine(named(group || `no ${by}`, mode), of));
  });
  const archivedBeforeMs = reports[0]?.archivedBeforeMs;
  const since =
    archivedBeforeMs === undefined ? '' : `, since ${new Date(archivedBeforeMs).toISOString().slice(0, 10)}`;
  return list(`Performance by ${by} (USDT, after fees${since})`, [...totals, ...lines], 'Nothing was traded yet.');
}

/** Each with the shares of strategies, what guards it, and the key by which it is closed. */
async function positionsReport(parts: ReportParts, held: () => Promise<readonly Position[]>): Promise<string> {
  const tickOf = ticksOf(parts.venues);
  const books = await parts.journal.strategyBooks();
  const all = await held();
  const priced = async (position: Position): Promise<string> => {
    const { exchange, market } = position;
    // A market without a price still has a position worth showing.
    const mark = await parts
      .pricesOf(position)
      .lastPrice(market)
      .then(decimal, () => undefined);
    const tick = tickOf(exchange, market);
    const guards = parts.protections.list().filter((each) => keyInWords(each) === keyInWords(position));
    return [
      positionLine(position, mark, tick, await atVenue(parts.venues, position)),
      ...books.filter((book) => isShareOf(book, position, all)).map(shareLine),
      ...guards.map(
        (guard) => `· ${whoseWords(guard)}${guardWords(guard, tick, parts.protections.stopsAtVenue(guard))}`,
      ),
      `<code>${escapeHtml(keyInWords(position))}</code>`,
    ].join('\n');
  };
  const lines = await Promise.all(all.map(priced));
  return list(`Positions (prices: ${sourcesInWords(parts.venues, parts.pricesOf)})`, lines, 'None is open.');
}

const counted =
  (show: (limit: number) => Promise<string>): Report =>
  async ([count, ...more]) => {
    const limit = count === undefined ? DEFAULT_COUNT : /^\d{1,2}$/.test(count) ? Number(count) : 0;
    if (limit < 1 || limit > MAX_COUNT || more.length > 0) return `Send a number from 1 to ${MAX_COUNT}, or none.`;
    return show(limit);
  };

const whoseWords = ({ strategy }: Pick<StrategyBook, 'strategy'>): string =>
  strategy === NAMELESS ? '' : `${escapeHtml(JSON.stringify(strategy))}: `;

const shareLine = (book: StrategyBook): string =>
  `· ${whoseWords(book) || 'without a strategy: '}${book.side} ${toText(book.quantity)}`;

/** Undefined where the venue does not tell now. */
async function atVenue(
  venues: readonly Pick<Venue, 'exchange' | 'account' | 'mode' | 'positions'>[],
  { exchange, account, mode, market, side }: Position,
): Promise<VenuePosition | undefined> {
  const at = venues.find((venue) => venue.exchange === exchange && venue.account === account && venue.mode === mode);
  const positions = await at?.positions(market).catch(() => []);
  return positions?.find((position) => position.side === side);
}
