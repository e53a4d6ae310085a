// Stops that wait at a real venue, on top of what its adapter knows of them. Like orders, a stop is found, in doubt or not there;
// see live-venue.ts.
//
// When a stop acts, the venue places an order that nobody here has sent. So stops that wait are looked after too: every few seconds
// the venue is asked which of them still wait. One that does not has sent its order, which is then told like any other, or has ended.

import type { Timers } from '../../timing/timers.ts';
import {
  type PositionMode,
  StopPassed,
  type StopRequest,
  VenueError,
  type VenueStop,
  type VenueStops,
} from '../../trading/venue.ts';
import type { MarketTable } from './market-table.ts';
import type { OrderWatch } from './order-watch.ts';
import type { SentTimes } from './sent-times.ts';
import type { StopAdapter } from './venue-adapter.ts';
import { beforeSending, isRefusal } from './venue-call.ts';

export interface LiveStopsOptions {
  readonly title: string;
  readonly adapter: StopAdapter;
  readonly markets: Pick<MarketTable, 'find'>;
  readonly sent: SentTimes;
  /** Tells of the orders that stops have sent. */
  readonly watch: Pick<OrderWatch, 'listen' | 'look'>;
  /** Sends something in the account's position mode. */
  readonly inMode: <T>(send: (mode: PositionMode) => Promise<T>) => Promise<T>;
  readonly timers: Pick<Timers, 'after'>;
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Stops in more markets than this are asked for all at once: at Binance that costs as much as forty markets. */
const MAX_MARKETS_ONE_BY_ONE = 20;
const MAX_ACTED = 1000;

export class LiveStops implements VenueStops {
  readonly #options: LiveStopsOptions;
  /** The markets of stops whose order was not told and whose end is not known, by their ids. */
  readonly #watched = new Map<string, string>();
  /** The newest of those whose order was told: an answer from before it shows them waiting, which is no news. */
  readonly #acted = new Set<string>();
  readonly #endListeners: ((stop: Pick<VenueStop, 'clientStopId' | 'market'>) => void)[] = [];
  #looking: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LiveStopsOptions) {
    this.#options = options;
    // Its order is told: from here on the watch of orders looks after it.
    options.watch.listen(({ clientOrderId }) => this.#noteActed(clientOrderId));
  }

  get livesForMs(): number | undefined {
    return this.#options.adapter.livesForMs;
  }

  async place(request: StopRequest): Promise<void> {
    const { adapter, markets, inMode, sent } = this.#options;
    const { clientStopId } = request;
    const market = await beforeSending(markets.find(request.market));
    await inMode(async (mode) => {
      // One that was sent before may be there, whatever is said of this attempt.
      const wasSent = this.#watched.has(clientStopId);
      sent.note(clientStopId);
      this.#watch(request);
      try {
        await adapter.place(market, request, mode);
      } catch (error) {
        if (isRefusal(error, 'duplicate-id')) return;
        const mayBeThere = !(error instanceof VenueError) || error.failure === 'unknown';
        if (!mayBeThere && !wasSent) this.#watched.delete(clientStopId);
        throw isRefusal(error, 'would-trigger') ? new StopPassed(error.message, { cause: error }) : error;
      }
    });
  }

  async find(name: string, clientStopId: string) {
    const { adapter, markets, sent } = this.#options;
    const market = await markets.find(name);
    const isOver = sent.isOver(clientStopId);
    const stop = await adapter.find(market, clientStopId);
    if (stop === undefined)
      return { found: false, certain: isOver && (adapter.knows?.(clientStopId) ?? true) } as const;
    this.#note(stop);
    return { found: true, stop } as const;
  }

  async waiting(name?: string): Promise<readonly VenueStop[]> {
    const { adapter, markets } = this.#options;
    const stops = await adapter.waiting(name === undefined ? undefined : await markets.find(name));
    for (const stop of stops) this.#note(stop);
    return stops;
  }

  async cancel(name: string, clientStopId: string): Promise<void> {
    const { adapter, markets, title } = this.#options;
    const market = await markets.find(name);
    await adapter.cancel(market, clientStopId).catch((error: unknown) => {
      // It may have acted first, or never have arrived: the venue's word on it says.
      if (!isRefusal(error, 'no-order')) throw error;
    });
    const lookup = await this.find(name, clientStopId);
    if (lookup.found && lookup.stop.state === 'waiting')
      throw new VenueError('unknown', `${title} took the cancel and still shows the stop as waiting`);
    if (!lookup.found && !lookup.certain)
      throw new VenueError('unknown', `${title} does not show the stop ${clientStopId}, which may still appear`);
    if (!lookup.found) this.#end({ clientStopId, market: name });
  }

  async recall(request: StopRequest, sentAtMs: number): Promise<void> {
    const { adapter, markets } = this.#options;
    await adapter.recall?.(await markets.find(request.market), request, sentAtMs);
    this.#watch(request);
  }

  watchEnded(listener: (stop: Pick<VenueStop, 'clientStopId' | 'market'>) => void): void {
    this.#endListeners.push(listener);
  }

  /** Whether a stop with this id may still send an order. */
  async mayAct(name: string, clientStopId: string): Promise<boolean> {
    const { adapter, markets } = this.#options;
    const stop = await adapter.find(await markets.find(name), clientStopId);
    return stop !== undefined && stop.state !== 'ended';
  }

  /** The venue's stream has told something of this stop, or of its order. */
  ring(clientStopId: string): void {
    const market = this.#watched.get(clientStopId);
    if (market !== undefined && !this.#isStopped) void this.#lookAt(market, clientStopId);
  }

  /** Asks which of them still wait. One look at a time. */
  lookAtAll(): Promise<void> {
    this.#looking ??= this.#lookAtAll()
      .catch((error) => {
        if (!this.#isStopped) this.#options.onTrouble('the stops at the venue cannot be looked at', error);
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#looking;
  }

  #note(stop: VenueStop): void {
    if (stop.state === 'waiting') this.#watch(stop);
    if (stop.state === 'ended') this.#end(stop);
  }

  #end(stop: Pick<VenueStop, 'clientStopId' | 'market'>): void {
    if (this.#watched.delete(stop.clientStopId)) for (const listener of this.#endListeners) listener(stop);
  }

  #noteActed(clientOrderId: string): void {
    if (!this.#watched.delete(clientOrderId)) return;
    this.#acted.add(clientOrderId);
    const [oldest] = this.#acted;
    if (this.#acted.size > MAX_ACTED && oldest !== undefined) this.#acted.delete(oldest);
  }

  #watch({ clientStopId, market }: StopRequest): void {
    if (this.#acted.has(clientStopId)) return;
    this.#watched.set(clientStopId, market);
    this.#plan();
  }

  async #lookAtAll(): Promise<void> {
    // Taken before the question: a stop that is placed meanwhile is not among the answers.
    const watched = [...this.#watched];
    if (watched.length === 0 || this.#isStopped) return;
    const markets = [...new Set(watched.map(([, market]) => market))];
    const asked = markets.length > MAX_MARKETS_ONE_BY_ONE ? [undefined] : markets;
    const waiting = (await Promise.all(asked.map((market) => this.waiting(market)))).flat();
    const ids = new Set(waiting.map(({ clientStopId }) => clientStopId));
    await Promise.all(watched.filter(([id]) => !ids.has(id)).map(([id, market]) => this.#lookAt(market, id)));
  }

  /** Tells of its order where there is one; forgets it where there never will be. */
  async #lookAt(market: string, clientStopId: string): Promise<void> {
    const { watch, onTrouble } = this.#options;
    // Its order was told while the question was under way that has led here.
    if (!this.#watched.has(clientStopId)) return;
    try {
      await watch.look(market, clientStopId);
      if (!this.#watched.has(clientStopId) || this.#isStopped) return;
      const lookup = await this.find(market, clientStopId);
      if (!lookup.found && lookup.certain) this.#end({ clientStopId, market });
    } catch (error) {
      if (!this.#isStopped) onTrouble(`the stop ${clientStopId} cannot be looked at`, error);
    }
  }

  #plan(): void {
    const { timers, everyMs } = this.#options;
    if (this.#isStopped || this.#watched.size === 0 || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = timers.after(everyMs, () => {
      this.#cancelTimer = undefined;
      void this.lookAtAll().finally(() => this.#plan());
    });
  }
}
