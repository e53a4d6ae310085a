// How long a signal's answer takes when it is traded at an emulated venue, at a rate that nobody has to wait for: without a paper twin
// and, in turns with it, with one.

import type { Exchange } from '../../src/exchanges/exchange.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { type FloodedGateway, floodMarket, openFlooded } from './order-flood.ts';

const MARKETS = 10;
/** The first signals load the code of the venue and ask for its markets. */
const WARM_UP = MARKETS;
const SIGNALS_A_TURN = 20;
/** The twin trades half a second behind: its work for one turn must be over when the other gateway is measured. */
const REST_MS = 1_500;
/** A busy machine may let it wait. */
const MOST_LOOKS = 20;

export interface LatencyOptions {
  readonly exchange: Exchange;
  /** Of each gateway. */
  readonly signals: number;
  /**
   * From one signal to the next; one that is answered later is waited for. Positions are asked for four times a second at most
   * (shared-read.ts), so signals closer than 250 ms wait for each other.
   */
  readonly everyMs: number;
  /** Whether a gateway with a paper twin is measured beside the one without. */
  readonly hasTwin: boolean;
}

/** From signal to answer, of each signal. */
export interface LatencyReport {
  readonly withoutTwinMs: readonly number[];
  readonly withTwinMs: readonly number[];
}

interface Measured {
  readonly gateway: FloodedGateway;
  readonly hasTwin: boolean;
  readonly tookMs: number[];
  sent: number;
}

export async function measureLatency(options: LatencyOptions): Promise<LatencyReport> {
  const { exchange, signals, everyMs, hasTwin } = options;
  const all: Measured[] = [];
  try {
    for (const isTwin of hasTwin ? [false, true] : [false]) {
      const gateway = await openFlooded({ exchange, markets: MARKETS, mode: 'direct', hasTwin: isTwin });
      all.push({ gateway, hasTwin: isTwin, tookMs: [], sent: 0 });
    }
    for (const measured of all) {
      await takeTurn(measured, WARM_UP, everyMs);
      measured.tookMs.length = 0;
    }
    for (let left = signals; left > 0; left -= SIGNALS_A_TURN)
      for (const measured of all) await takeTurn(measured, Math.min(SIGNALS_A_TURN, left), everyMs);
    for (const measured of all) await assertTwins(measured);
    const [withoutTwinMs = [], withTwinMs = []] = all.map(({ tookMs }) => tookMs);
    return { withoutTwinMs, withTwinMs };
  } finally {
    for (const { gateway } of all) await gateway.close();
  }
}

const pause = (ms: number): Promise<void> => wait(ms, { timers: foregroundTimers });

async function takeTurn(measured: Measured, signals: number, everyMs: number): Promise<void> {
  const { gateway, tookMs } = measured;
  for (let count = 0; count < signals; count += 1) {
    const index = measured.sent++;
    const beganMs = performance.now();
    // The quantities differ, so that no signal is taken for another one that was sent again.
    await gateway.send({ symbol: floodMarket(index % MARKETS), quantity: 0.1 + index / 1000 });
    const answeredMs = performance.now();
    tookMs.push(answeredMs - beganMs);
    await pause(Math.max(0, beganMs + everyMs - answeredMs));
  }
  await gateway.built.gateway?.desk.atRest();
  await pause(REST_MS);
}

/** A twin that has not traded costs nothing, and its figure would say so. */
async function assertTwins({ gateway, hasTwin, sent }: Measured): Promise<void> {
  if (!hasTwin) return;
  for (let tries = 0, trades = 0; trades !== sent; tries += 1) {
    if (tries === MOST_LOOKS) throw new Error(`the paper twin has ${trades} of ${sent} trades`);
    const init = { headers: { host: 'localhost' } };
    const response = await gateway.built.app.request('/performance/twin', init, { peer: '127.0.0.1' });
    const { result = [] } = (await response.json()) as { result?: readonly { readonly trades: number }[] };
    trades = result[0]?.trades ?? 0;
    if (trades !== sent) await pause(REST_MS);
  }
}
