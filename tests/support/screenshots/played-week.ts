// A week of paper trading in a minute or two: the process's clock is moved from trade to trade, and most of its signals win, because
// the prices of the simulated market are known before they come.

import { setTimeout as sleep } from 'node:timers/promises';
import { createSimulatedMarket } from '../../../src/adapters/market-data/simulated/simulated-market.ts';
import type { MovedClock } from '../moved-clock/index.ts';
import type { RunningProcess } from '../process.ts';
import { Random } from '../random.ts';

const HOUR_MS = 3_600_000;
export const WEEK_MS = 7 * 24 * HOUR_MS;
const EVERY_MS = 2 * HOUR_MS;
/** Of 100 trades; the others lose. */
const WON_PERCENT = 62;
/** As MARKET_SEED is where nobody sets it. */
const MARKET_SEED = 1;
/** The equity is looked at every five seconds of real time, and each look after a fill is a point of the curve. */
const STEP_TAKES_MS = 2_600;

interface Book {
  readonly strategy: string;
  readonly symbol: string;
  readonly exchange: string;
  readonly quantity: number;
  readonly stops: object;
}

const BOOKS: readonly Book[] = [
  { strategy: 'ema-cross', symbol: 'BTCUSDT', exchange: 'binance', quantity: 0.8, stops: { stopLoss: { percent: 4 } } },
  { strategy: 'breakout', symbol: 'ETHUSDT', exchange: 'bybit', quantity: 20, stops: { stopLoss: { percent: 5 } } },
  { strategy: 'breakout', symbol: 'SOLUSDT', exchange: 'binance', quantity: 400, stops: {} },
  { strategy: 'mean', symbol: 'AVAXUSDT', exchange: 'mexc', quantity: 1_500, stops: { stopLoss: { percent: 6 } } },
];

export class PlayedWeek {
  readonly #clock: MovedClock;
  readonly #signalbox: RunningProcess;
  readonly #random = new Random(7);
  #movedBy = -WEEK_MS;
  /** Whose price is asked for, past or to come. */
  #atMs = 0;
  readonly #market = createSimulatedMarket({ seed: MARKET_SEED, nowMs: () => this.#atMs });
  /** The side that each book holds. */
  readonly #held = new Map<Book, 'LONG' | 'SHORT'>();

  constructor(clock: MovedClock, signalbox: RunningProcess) {
    this.#clock = clock;
    this.#signalbox = signalbox;
  }

  /** Ends at the present, with nothing held. */
  async play(): Promise<void> {
    const steps = Math.floor(WEEK_MS / EVERY_MS);
    for (let step = 0; step < steps; step += 1) {
      this.#movedBy = step * EVERY_MS - WEEK_MS;
      this.#clock.move(this.#movedBy);
      await this.#turn(BOOKS[step % BOOKS.length] as Book);
      await sleep(STEP_TAKES_MS);
    }
    for (const book of this.#held.keys()) await this.#turn(book);
    this.#clock.move(0);
  }

  /** A book that holds something closes it, and one that holds nothing opens what its next turn will close. */
  async #turn(book: Book): Promise<void> {
    const { stops, ...order } = book;
    const side = this.#held.get(book);
    if (side !== undefined) {
      this.#held.delete(book);
      return sendSignal(this.#signalbox, { ...order, action: `CLOSE_${side}` });
    }
    const { symbol } = book;
    const nowMs = Date.now() + this.#movedBy;
    const rises = (await this.#priceAt(symbol, nowMs + BOOKS.length * EVERY_MS)) > (await this.#priceAt(symbol, nowMs));
    const action = rises === this.#random.chance(WON_PERCENT) ? 'LONG' : 'SHORT';
    this.#held.set(book, action);
    await sendSignal(this.#signalbox, { ...order, action, ...stops });
  }

  async #priceAt(symbol: string, atMs: number): Promise<number> {
    this.#atMs = atMs;
    return Number(await this.#market.lastPrice(symbol));
  }
}

export async function sendSignal({ url, apiKey }: RunningProcess, fields: object): Promise<void> {
  const response = await fetch(`${url}/webhook`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ apiKey, ...fields }),
  });
  if (response.status >= 500 || response.status === 401) throw new Error(`/webhook: ${await response.text()}`);
}
