// One look at the market for one protection: through everything that was traded since the last look, up to the last second.

import { decimal } from '../decimal.ts';
import { closesAtMs, type Protection, secondBefore, type Trigger } from './protection.ts';
import { type Extremes, triggerOf } from './stop-rules.ts';
import { walkPrices } from './walk-prices.ts';

/** What protections need of market data. Prices are decimal text. */
export interface TradedPrices {
  lastPrice(market: string): Promise<string>;
  /** Lowest and highest trade in [fromMs, toMs), never past the present; undefined when there was no trade. */
  range(market: string, fromMs: number, toMs: number): Promise<{ low: string; high: string } | undefined>;
}

export interface Look {
  readonly after: Protection;
  readonly trigger?: Trigger;
  /** What was traded could not be read, so the stretch is looked at again next time. */
  readonly fault?: unknown;
}

/** A clock that is further behind than this was set back; less is jitter. */
const CLOCK_TOLERANCE_MS = 2000;

export async function lookAtMarket(protection: Protection, prices: TradedPrices, nowMs: number): Promise<Look> {
  const closesAt = closesAtMs(protection) ?? Number.POSITIVE_INFINITY;
  if (closesAt <= Math.min(protection.seenUntilMs, nowMs)) return { after: protection, trigger: { by: 'time-stop' } };
  const look = await lookUntil(protection, prices, Math.min(secondBefore(nowMs), secondBefore(closesAt)));
  // What the market reached before that moment comes first; what it does after it no longer matters.
  return look.trigger || nowMs < closesAt ? look : { ...look, trigger: { by: 'time-stop' } };
}

async function lookUntil(protection: Protection, prices: TradedPrices, toMs: number): Promise<Look> {
  const { market, seenUntilMs } = protection;
  if (toMs < seenUntilMs - CLOCK_TOLERANCE_MS) {
    // The clock was set back: forget the later time and go on from now.
    return byLastPrice({ ...protection, seenUntilMs: toMs }, prices, toMs);
  }
  if (toMs <= seenUntilMs) return { after: protection };
  const readRange = async (fromMs: number, untilMs: number): Promise<Extremes | undefined> => {
    const range = await prices.range(market, fromMs, untilMs);
    return range && { low: decimal(range.low), high: decimal(range.high) };
  };
  try {
    const { peak, trigger, untilMs = toMs } = await walkPrices(protection, seenUntilMs, toMs, readRange);
    const after: Protection = { ...protection, seenUntilMs: untilMs, ...(peak !== undefined && { peak }) };
    return { after, ...(trigger && { trigger }) };
  } catch (fault) {
    return { ...(await byLastPrice(protection, prices, toMs)), fault };
  }
}

/** Only asks whether a level is passed now, and leaves the peak alone: the stretch itself is still to be looked at. */
async function byLastPrice(protection: Protection, prices: TradedPrices, toMs: number): Promise<Look> {
  try {
    const price = decimal(await prices.lastPrice(protection.market));
    const trigger = triggerOf(protection, { low: price, high: price });
    // What comes after a target, such as the stop at the entry price, must not be compared with prices from before it.
    const after = trigger?.target === undefined ? protection : { ...protection, seenUntilMs: toMs };
    return { after, ...(trigger && { trigger }) };
  } catch (fault) {
    return { after: protection, fault };
  }
}
