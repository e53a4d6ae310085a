// The simulated market: seeded prices that move like real ones, the same after every restart, and always labelled as simulated.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MarketList } from '../../../market-data/market-list.ts';
import { nearestMarkets } from '../../../market-data/nearest-markets.ts';
import { type Bar, FUNDING_EVERY_MS, type RangeSource } from '../../../market-data/price-source.ts';
import { barStart, DAY_MS } from '../../../market-data/timeframe.ts';
import { SerialQueue } from '../../../timing/serial-queue.ts';
import { DayExtremes } from './day-extremes.ts';
import { hash32, signedUnit } from './hash.ts';
import { createPricePath, type PricePath } from './price-path.ts';
import { type AddedMarket, LISTED_MARKETS, referenceMarket } from './reference-markets.ts';
import { createVolumeCurve, type VolumeCurve } from './volume.ts';

/** More would hold up other work; a chart shows fewer. */
const MAX_BARS = 5_000;
/** After this many bars, or days where bars are longer, other work gets its turn: some ten milliseconds. */
const BARS_A_TURN = 50;
/** Anyone may name a new market, so those kept in memory are limited; a forgotten one is made anew, the same. */
const MAX_KEPT_MARKETS = 512;
const MAX_NAME_LENGTH = 40;

export interface SimulatedMarketOptions {
  /** The same seed gives the same market, for all time. */
  readonly seed: number;
  readonly nowMs: () => number;
  /** Markets besides the usual ones. */
  readonly added?: readonly AddedMarket[] | undefined;
}

export interface SimulatedMarket extends RangeSource, MarketList {
  readonly names: readonly string[];
  unlisted(market: string): readonly string[] | undefined;
}

interface Track {
  readonly anchor: number;
  readonly scale: number;
  readonly decimals: number;
  readonly path: PricePath;
  readonly volume: VolumeCurve;
  lastSecond: number;
  lastText: string;
}

/** The paths of the markets that were asked for lately. */
class Tracks {
  readonly #seed: number;
  readonly #added: ReadonlyMap<string, AddedMarket>;
  readonly #tracks = new Map<string, Track>();

  constructor(seed: number, added: ReadonlyMap<string, AddedMarket>) {
    this.#seed = seed;
    this.#added = added;
  }

  of(market: string): Track {
    const known = this.#tracks.get(market);
    if (known) return known;
    if (market === '' || market.length > MAX_NAME_LENGTH)
      throw new RangeError(`a market's name has 1 to ${MAX_NAME_LENGTH} characters, such as BTCUSDT`);
    const track = createTrack(this.#seed, market, this.#added.get(market));
    const oldest = this.#tracks.keys().next();
    if (this.#tracks.size >= MAX_KEPT_MARKETS && !oldest.done) this.#tracks.delete(oldest.value);
    this.#tracks.set(market, track);
    return track;
  }

  priceAt(market: string, second: number): string {
    const track = this.of(market);
    if (track.lastSecond !== second) {
      track.lastText = priceText(track, track.path.at(second));
      track.lastSecond = second;
    }
    return track.lastText;
  }
}

export function createSimulatedMarket({ seed, nowMs, added = [] }: SimulatedMarketOptions): SimulatedMarket {
  const addedByName = new Map(added.map((each) => [each.market, each]));
  const names = [...new Set([...LISTED_MARKETS, ...addedByName.keys()])];
  const listed = new Set(names);
  const tracks = new Tracks(seed, addedByName);
  const days = new DayExtremes();
  // Of several long charts each makes a piece in turn; all at once they would hold up everybody else.
  const turns = new SerialQueue();
  const nowSecond = (): number => Math.floor(nowMs() / 1000);
  const lastPriceOf = (market: string): string => tracks.priceAt(market, nowSecond());

  return {
    label: 'simulated',
    grainMs: 1000,

    lastPrice: async (market) => lastPriceOf(market),

    fundingRate: async (market, atMs) => rateText(referenceMarket(seed, market).pathSeed, atMs),

    names,
    unlisted: (market) => (listed.has(market) ? undefined : nearestMarkets(market, names)),

    markets: async () => names.map((market) => ({ market, lastPrice: lastPriceOf(market) })),

    async bars(market, timeframeMs, fromMs, toMs) {
      if (!Number.isSafeInteger(timeframeMs) || timeframeMs <= 0 || timeframeMs % 1000 !== 0)
        throw new RangeError(`a bar lasts whole seconds; ${timeframeMs} ms does not`);
      requireOrder(fromMs, toMs);
      const track = tracks.of(market);
      const end = Math.min(toMs, (nowSecond() + 1) * 1000);
      let start = barStart(Math.max(fromMs, 0), timeframeMs);
      if (start < fromMs || start < 0) start += timeframeMs;
      const count = Math.max(0, Math.ceil((end - start) / timeframeMs));
      if (count > MAX_BARS)
        throw new RangeError(
          `${count} bars were asked for, at most ${MAX_BARS} fit one call: ask for a shorter range or a larger timeframe`,
        );
      const now = nowSecond();
      const bars: Bar[] = [];
      const make = (until: number): void => {
        while (bars.length < until) bars.push(barOf(track, days, start + bars.length * timeframeMs, timeframeMs, now));
      };
      const aTurn = Math.max(1, Math.floor(BARS_A_TURN / Math.max(1, timeframeMs / DAY_MS)));
      if (count <= aTurn) make(count);
      while (bars.length < count)
        await turns.run(async () => {
          make(Math.min(count, bars.length + aTurn));
          await nextTurn();
        });
      return bars;
    },

    async range(market, fromMs, toMs) {
      requireOrder(fromMs, toMs);
      const from = Math.ceil(Math.max(fromMs, 0) / 1000);
      const to = Math.min(Math.ceil(toMs / 1000), nowSecond() + 1);
      if (from >= to) return undefined;
      const track = tracks.of(market);
      const { low, high } = track.path.extremes(from, to);
      return { low: priceText(track, low), high: priceText(track, high) };
    },
  };
}

function createTrack(seed: number, market: string, added: AddedMarket | undefined): Track {
  const reference = referenceMarket(seed, market, added);
  return {
    anchor: reference.anchor,
    scale: 10 ** reference.priceDecimals,
    decimals: reference.priceDecimals,
    path: createPricePath(reference.pathSeed, reference.volatility),
    volume: createVolumeCurve(reference.pathSeed, reference.dailyTurnoverUsd / reference.anchor),
    lastSecond: Number.NaN,
    lastText: '',
  };
}

/** 0.01 %, as markets settle at while longs and shorts are even, and up to 0.03 % more or less. */
const USUAL_FUNDING = 0.0001;
const FUNDING_SPREAD = 0.0003;
const FUNDING_PLACES = 6;
const FUNDING_SEED = 2_001;

const rateText = (pathSeed: number, atMs: number): string => {
  const draw = signedUnit(hash32(pathSeed, FUNDING_SEED), Math.floor(atMs / FUNDING_EVERY_MS));
  return (USUAL_FUNDING + FUNDING_SPREAD * draw).toFixed(FUNDING_PLACES);
};

/** On the tick. Rounding keeps order, so the highest second of a stretch is also its highest price. */
const priceOf = (track: Track, log: number): number =>
  Math.round(track.anchor * Math.exp(log) * track.scale) / track.scale;

const priceText = (track: Track, log: number): string => priceOf(track, log).toFixed(track.decimals);

/** A bar is made of one price each second, so larger bars are exactly the sum of smaller ones. */
function barOf(track: Track, days: DayExtremes, startMs: number, timeframeMs: number, nowSecond: number): Bar {
  const from = startMs / 1000;
  const to = Math.min(from + timeframeMs / 1000, nowSecond + 1);
  const { low, high } = days.of(track.path, from, to);
  return {
    time: startMs,
    open: priceOf(track, track.path.at(from)),
    high: priceOf(track, high),
    low: priceOf(track, low),
    close: priceOf(track, track.path.at(to - 1)),
    volume: track.volume.between(from, to),
  };
}

function requireOrder(fromMs: number, toMs: number): void {
  if (!Number.isFinite(fromMs) || !Number.isFinite(toMs) || fromMs > toMs)
    throw new RangeError(`from ${fromMs} to ${toMs} is no range of time: use ms since 1970, the earlier first`);
}
