// Hours of live updates in a minute: signals that trade, through the real program, and bars of a market as its stream would tell them.

import type { Page, WebSocketRoute } from 'playwright-core';

/** What a page has heard of what happens at the desk. */
export class HeardEvents {
  count = 0;
  cursor = '';

  /** Before the page is opened. */
  constructor(page: Page) {
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).pathname !== '/events') return;
      socket.on('framereceived', ({ payload }) => {
        const { type, cursor } = JSON.parse(String(payload)) as { readonly type: string; readonly cursor?: string };
        // A word that is no event has none.
        this.cursor = cursor ?? this.cursor;
        if (type === 'event') this.count += 1;
      });
    });
  }
}

const MARKETS = { BTCUSDT: 0.01, ETHUSDT: 0.1, SOLUSDT: 1, AVAXUSDT: 10 };

/** In each market in turn, and in all of them side by side: a position is opened and closed again, so that the desk ends as it began. */
export async function tradeToAndFro(url: string, apiKey: string, times: number): Promise<void> {
  const send = async (symbol: string, quantity: number, action: string): Promise<void> => {
    const body = JSON.stringify({ apiKey, exchange: 'binance', action, symbol, quantity });
    await fetch(`${url}/webhook`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  };
  await Promise.all(
    Object.entries(MARKETS).map(async ([symbol, quantity]) => {
      for (let turn = 0; turn < times; turn += 1) {
        await send(symbol, quantity, 'LONG');
        await send(symbol, quantity, 'CLOSE_LONG');
      }
    }),
  );
}

/** The place of the newest event there is. */
export async function newestCursor(url: string): Promise<string> {
  const { result } = (await (await fetch(`${url}/events?limit=1`)).json()) as { readonly result: { cursor: string } };
  return result.cursor;
}

const MINUTE_MS = 60_000;
const TICKS_A_BAR = 3;

/** The stream of a market, told by the test: bars of a minute, each with some ticks before its end. */
export class ToldStream {
  #socket: WebSocketRoute | undefined;
  #timeMs: number;

  constructor(fromMs: number) {
    this.#timeMs = fromMs;
  }

  /** Before the page is opened. */
  async attach(page: Page): Promise<void> {
    await page.routeWebSocket(/\/api\/stream/, (socket) => {
      this.#socket = socket;
    });
  }

  /** Returns when the last of them begins. */
  tell(bars: number): number {
    if (this.#socket === undefined) throw new Error('the page has not opened its stream yet');
    for (let bar = 0; bar < bars; bar += 1) {
      this.#timeMs += MINUTE_MS;
      for (let tick = 1; tick <= TICKS_A_BAR; tick += 1) {
        const close = 60_000 + 500 * Math.sin(this.#timeMs / MINUTE_MS) + tick;
        const [time, closed] = [this.#timeMs, tick === TICKS_A_BAR];
        const told = { time, open: 60_000, high: 61_000, low: 59_000, close, volume: tick, closed };
        this.#socket.send(JSON.stringify({ type: 'kline', bar: told }));
      }
    }
    return this.#timeMs;
  }
}
