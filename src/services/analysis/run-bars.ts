// The bars of a run that names a market instead of sending them: from the archive alone for strangers, who must not be able
// to make us ask a venue; with what the venue has besides for whoever holds a key.

import { StorageError } from '../../errors/storage-error.ts';
import { Refusal } from '../../http/errors.ts';
import type { Caller, GivenBars } from '../../library/request-runner.ts';
import type { WantedBars } from '../../library/search/search-draft.ts';
import { type MarketBars, UnknownMarket, UnknownTimeframe } from '../../market-data/market-bars.ts';
import type { Bar } from '../../market-data/price-source.ts';
import { timeframeText } from '../../market-data/timeframe.ts';
import { barColumns } from '../../pine/light.ts';
import { type Leave, Semaphore, type TurnedAway } from '../../timing/semaphore.ts';
import { refusal } from './refusal.ts';

/** To read or compute fifty thousand bars takes a second of the event loop, in small turns: so few do it at once. */
const AT_ONCE = { atOnce: 2, maxWaiting: 16, maxWaitMs: 10_000 };

/** One caller loads one after the other: so he leaves the other place to others, and has one place where they wait. */
const ONE_CALLER = { atOnce: 1, maxWaiting: 7, maxWaitMs: 10_000 };

/** To compute those of the simulated market takes ten times as long as to read them; a stranger's few bytes must not cost that. */
const MAX_COMPUTED_FOR_STRANGERS = 5_000;

export type RunBarsSource = Pick<MarketBars, 'source' | 'isComputed' | 'newest' | 'newestKept'>;

/** Throws the refusal. */
export type GetRunBars = (wanted: WantedBars, caller: Caller) => Promise<GivenBars>;

export function createGetRunBars(market: RunBarsSource): GetRunBars {
  // Apart, so that strangers who crowd here keep nobody with a key waiting.
  const turns = { strangers: new Semaphore(AT_ONCE), others: new Semaphore(AT_ONCE) };
  const callers = new CallerTurns();
  return async (wanted, caller) => {
    const { symbol, timeframeMs, count } = wanted;
    const isStranger = caller.class === 'anonymous';
    if (isStranger && market.isComputed && count > MAX_COMPUTED_FOR_STRANGERS)
      throw refusal(
        'TOO_MANY_BARS',
        `bars: is ${count}, ask for at most ${MAX_COMPUTED_FOR_STRANGERS} of the simulated market, or send a key to /api/run`,
      );
    const leaveOwn = await callers.enter(caller);
    if (typeof leaveOwn === 'string') throw busy('too many requests of yours wait for bars of a market');
    const leave = await (isStranger ? turns.strangers : turns.others).enter();
    const timeframe = timeframeText(timeframeMs);
    try {
      if (typeof leave === 'string') throw busy('too many runs wait for bars of a market');
      const bars = await (isStranger ? market.newestKept : market.newest).call(market, symbol, timeframeMs, count);
      if (isStranger && bars.length < count) throw notArchived(wanted, timeframe, bars);
      if (bars.length === 0) throw refusal('BARS_NOT_ARCHIVED', `${symbol} has no final bar of ${timeframe} yet`);
      return { symbol, timeframe, source: market.source, columns: barColumns(bars) };
    } catch (error) {
      throw inWords(error, isStranger);
    } finally {
      if (typeof leave !== 'string') leave();
      leaveOwn();
    }
  };
}

/** The turns of each caller among his own requests, for as long as he has any. */
class CallerTurns {
  readonly #callers = new Map<string, { readonly turns: Semaphore; requests: number }>();

  async enter({ class: name, id }: Caller): Promise<Leave | TurnedAway> {
    const key = `${name} ${id}`;
    const own = this.#callers.get(key) ?? { turns: new Semaphore(ONE_CALLER), requests: 0 };
    this.#callers.set(key, own);
    own.requests += 1;
    const gone = (): void => {
      own.requests -= 1;
      if (own.requests === 0) this.#callers.delete(key);
    };
    const leave = await own.turns.enter();
    if (typeof leave === 'string') {
      gone();
      return leave;
    }
    return () => {
      leave();
      gone();
    };
  }
}

const busy = (words: string): Error =>
  refusal('BUSY', `${words}; try again in a moment`, { headers: { 'retry-after': '1' } });

function notArchived({ symbol, count }: WantedBars, timeframe: string, bars: readonly Bar[]): Error {
  const has = bars.length === 0 ? 'no bars' : `${bars.length} bars in one piece`;
  const remedy =
    'ask for fewer, send the bars as data, or let the owner fill it: ' +
    `signalbox bars download --symbol ${symbol} --timeframe ${timeframe} --from …`;
  return refusal('BARS_NOT_ARCHIVED', `the archive has ${has} of ${symbol} ${timeframe}, not ${count}; ${remedy}`);
}

/** Whatever is neither the caller's fault nor the disk's is the venue's, where one is asked. */
function inWords(error: unknown, isStranger: boolean): unknown {
  if (error instanceof UnknownMarket)
    return refusal('UNKNOWN_SYMBOL', `symbol: ${error.message}`, { extra: { nearest: error.nearest } });
  if (error instanceof UnknownTimeframe) return refusal('INVALID_FIELD', `timeframe: ${error.message}`);
  if (error instanceof StorageError)
    return refusal('UNAVAILABLE', 'the archive of bars cannot be read just now; send the bars as data', {
      cause: error,
    });
  if (isStranger || error instanceof Refusal || !(error instanceof Error)) return error;
  return refusal('MARKET_DATA_UNREACHABLE', error.message, { cause: error });
}
