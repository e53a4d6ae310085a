// Bars of any stretch of time out of a venue's pages: asked for in windows, stitched, checked, and holes asked for again.
//
// Each window is asked for once, so no answer can keep the walk going for ever. Venues sometimes leave bars out of an
// answer; so every hole is asked for a second time. What is still missing then is true: nobody traded.

import { FeedRefusal } from '../../market-data/bar-feed.ts';
import type { Bar } from '../../market-data/price-source.ts';
import { barStart, DAY_MS, timeframeText } from '../../market-data/timeframe.ts';
import type { FeedLog } from './feed-options.ts';
import { UpstreamError } from './upstream-error.ts';
import type { Contract, VenueProtocol } from './venue-protocol.ts';

/** Two months of minutes; more is asked for piece by piece. */
export const MAX_BARS_A_CALL = 100_000;
/** Holes asked about again in one call: a venue with more of them has a bad day, and the next call asks again. */
const MAX_REPAIRS = 16;
/** Venues date a listing after its first trades now and then: Binance dates BTCUSDT two weeks late. */
const LISTING_SLACK_MS = 90 * DAY_MS;

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface HistoryRequest extends Stretch {
  readonly contract: Contract;
  readonly timeframeMs: number;
}

export async function collectBars(
  protocol: VenueProtocol,
  { contract, timeframeMs, ...asked }: HistoryRequest,
  deps: { readonly nowMs: () => number; readonly log: FeedLog },
): Promise<readonly Bar[]> {
  const nowMs = deps.nowMs();
  const { fromMs, toMs } = onTheGrid(asked, timeframeMs, contract.listedAtMs ?? 0, nowMs);
  if ((toMs - fromMs) / timeframeMs > MAX_BARS_A_CALL)
    throw new RangeError(
      `at most ${MAX_BARS_A_CALL} bars fit one call: ask for a shorter range or a larger timeframe than ${timeframeText(timeframeMs)}`,
    );
  const found = new Map<number, Bar>();
  const take = async (window: Stretch): Promise<void> => {
    const page = await protocol.page(contract, timeframeMs, window.fromMs, window.toMs);
    const inside = page.filter(({ time }) => time >= window.fromMs && time < window.toMs);
    if (page.length > 0 && inside.length === 0)
      throw new UpstreamError(
        `${protocol.title} answered with bars of another time than it was asked for, at ${contract.symbol}; try again later`,
      );
    for (const bar of inside) found.set(bar.time, bar);
  };
  for (const window of windowsOf({ fromMs, toMs }, protocol.maxPage * timeframeMs)) await take(window);

  // The bar that forms now may not exist yet: only bars that have ended can be missing.
  const ended: Stretch = {
    fromMs: firstMs(found, fromMs, toMs, protocol.maxPage * timeframeMs),
    toMs: Math.min(toMs, barStart(nowMs, timeframeMs)),
  };
  const holes = holesOf(found, ended, timeframeMs);
  const again = holes.flatMap((hole) => windowsOf(hole, protocol.maxPage * timeframeMs));
  for (const window of again.slice(0, MAX_REPAIRS)) await take(window);
  if (holes.length > 0) report(protocol, contract, timeframeMs, holes, holesOf(found, ended, timeframeMs), deps.log);
  return [...found.values()].sort((a, b) => a.time - b.time);
}

/** The first bar that starts at or after the beginning; never before the listing, never after the present bar. */
function onTheGrid({ fromMs, toMs }: Stretch, timeframeMs: number, listedAtMs: number, nowMs: number): Stretch {
  if (!Number.isFinite(fromMs) || !Number.isFinite(toMs) || fromMs > toMs)
    throw new RangeError(`from ${fromMs} to ${toMs} is no range of time: use ms since 1970, the earlier first`);
  const upward = (ms: number): number => {
    const start = barStart(ms, timeframeMs);
    return start < ms ? start + timeframeMs : start;
  };
  // Our clock may be wrong by hours, so a day ahead of it is still believed. Beyond that nobody's clock can be.
  const endMs = toMs <= nowMs + DAY_MS ? upward(toMs) : barStart(nowMs, timeframeMs) + 2 * timeframeMs;
  const startMs = Math.max(
    upward(Math.max(fromMs, 0)),
    barStart(Math.max(0, listedAtMs - LISTING_SLACK_MS), timeframeMs),
  );
  return { fromMs: Math.min(startMs, endMs), toMs: endMs };
}

/** Before its first bar a market may not have existed. One empty page is a question worth asking twice; many are not. */
function firstMs(found: ReadonlyMap<number, Bar>, fromMs: number, toMs: number, pageMs: number): number {
  if (toMs - fromMs <= pageMs) return fromMs;
  let firstFoundMs = toMs;
  for (const timeMs of found.keys()) firstFoundMs = Math.min(firstFoundMs, timeMs);
  return firstFoundMs;
}

function windowsOf({ fromMs, toMs }: Stretch, lengthMs: number): Stretch[] {
  const windows: Stretch[] = [];
  for (let startMs = fromMs; startMs < toMs; startMs += lengthMs)
    windows.push({ fromMs: startMs, toMs: Math.min(startMs + lengthMs, toMs) });
  return windows;
}

/** Runs of bars that should be there and are not. */
function holesOf(found: ReadonlyMap<number, Bar>, { fromMs, toMs }: Stretch, timeframeMs: number): Stretch[] {
  const holes: Stretch[] = [];
  let holeMs: number | undefined;
  for (let timeMs = fromMs; timeMs < toMs; timeMs += timeframeMs) {
    if (!found.has(timeMs)) holeMs ??= timeMs;
    else if (holeMs !== undefined) {
      holes.push({ fromMs: holeMs, toMs: timeMs });
      holeMs = undefined;
    }
  }
  if (holeMs !== undefined) holes.push({ fromMs: holeMs, toMs });
  return holes;
}

function report(
  { title }: VenueProtocol,
  { market }: Contract,
  timeframeMs: number,
  before: readonly Stretch[],
  after: readonly Stretch[],
  log: FeedLog,
): void {
  const count = (holes: readonly Stretch[]): number =>
    holes.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / timeframeMs, 0);
  const fields = {
    market,
    timeframe: timeframeText(timeframeMs),
    missing: count(after),
    repaired: count(before) - count(after),
  };
  const [first] = after;
  if (first === undefined) log.info(fields, `${title} left bars out of its answer and gave them when asked again`);
  else
    log.info(
      { ...fields, firstFromMs: first.fromMs, firstToMs: first.toMs, holes: after.length },
      `${title} has no bars for part of the time, asked twice: taken as time without trades`,
    );
}

/** The venue's word for a timeframe. */
export function intervalOf({ intervals, title }: VenueProtocol, timeframeMs: number): string {
  const interval = intervals.get(timeframeMs);
  if (interval !== undefined) return interval;
  const names = [...intervals.keys()].map(timeframeText).join(', ');
  throw new FeedRefusal(`${title} has no bars of ${timeframeMs} ms; it has ${names}`);
}
