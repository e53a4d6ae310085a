// Stops in MEXC's words: plan orders, which carry no id of ours (see sent-stops.ts) and die after a week at most. They are placed
// one after another, so that each lost answer can be looked into before the next plan order is made.

import { SerialQueue } from '../../../timing/serial-queue.ts';
import { type Decimal, times, toText } from '../../../trading/decimal.ts';
import { type PositionMode, type StopRequest, VenueError, type VenueStop } from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { StopAdapter, VenueMarket } from '../venue-adapter.ts';
import { beforeSending, isRefusal, type VenueCall, VenueRefusal } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { readTerms, termsCall } from './account.ts';
import { PRIVATE, TITLE } from './dialect.ts';
import { MARKET, type OpeningTerms, sizeOf } from './orders.ts';
import { pagesOf } from './pages.ts';
import { planOf, RISE, type SentStop, type SentStops, TRIGGERED, WAITING } from './sent-stops.ts';

const read = new AnswerReader(TITLE);
/** MEXC's number for seven days; there is nothing longer. */
const ONE_WEEK = 2;
const WEEK_MS = 7 * 24 * 3_600_000;
/** The price of the last trade, which our own guard goes by too. */
const LAST_PRICE = 1;
/** Longer than this no stop waits behind others: how long it may still appear is counted from when it was asked for. */
const MAX_TURN_WAIT_MS = 15_000;

export interface MexcStopsParts {
  readonly client: VenueClient;
  readonly sent: SentStops;
  readonly nowMs: () => number;
  readonly lastPrice: (market: VenueMarket) => Promise<Decimal>;
}

export function placeCall(
  market: VenueMarket,
  request: StopRequest,
  mode: PositionMode,
  { openType, leverage }: OpeningTerms,
): VenueCall {
  const { side, triggerType, triggerPrice, volume } = planOf(market, request);
  return {
    ...{ method: 'POST', section: PRIVATE, path: 'planorder/place', cost: { plans: 1 } },
    params: {
      ...{ symbol: market.venueSymbol, side, vol: toText(volume), openType, leverage, orderType: MARKET },
      ...{ triggerPrice: toText(triggerPrice), triggerType, trend: LAST_PRICE, executeCycle: ONE_WEEK },
      // Where both sides can be held, the side alone says that it closes.
      ...(mode === 'one-way' && { reduceOnly: true }),
    },
  };
}

const cancelCall = ({ venueSymbol: symbol }: VenueMarket, orderId: string): VenueCall => ({
  ...{ method: 'POST', section: PRIVATE, path: 'planorder/cancel', cost: { 'plan-cancels': 1 } },
  list: [{ symbol, orderId }],
});

interface PlanFilter {
  readonly symbol?: string;
  readonly states?: string;
  readonly start_time: number;
  readonly end_time: number;
}

/** By when they were made. */
const plansCall = (filter: PlanFilter): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'planorder/list/orders', cost: { 'plan-reads': 1 } },
  params: { ...filter },
});

export class MexcStops implements StopAdapter {
  readonly livesForMs = WEEK_MS;
  readonly #parts: MexcStopsParts;
  readonly #queue = new SerialQueue();

  constructor(parts: MexcStopsParts) {
    this.#parts = parts;
  }

  place(market: VenueMarket, request: StopRequest, mode: PositionMode): Promise<void> {
    const { nowMs } = this.#parts;
    const askedAtMs = nowMs();
    return this.#queue.run(() => {
      if (nowMs() - askedAtMs > MAX_TURN_WAIT_MS)
        throw new VenueError('not-sent', `${TITLE} is still busy with other stops; nothing was sent`);
      return this.#place(market, request, mode);
    });
  }

  async #place(market: VenueMarket, request: StopRequest, mode: PositionMode): Promise<void> {
    const { client, sent } = this.#parts;
    const before = sent.get(request.clientStopId);
    // MEXC would take it twice.
    if (before !== undefined && (await this.#isThere(before))) return;
    const told = client.send(termsCall(market)).then((body) => readTerms(body, request.positionSide));
    const terms = await beforeSending(told);
    const stop = sent.note(market, request, await beforeSending(client.venueNowMs()));
    try {
      const { data } = fieldsOf(await client.send(placeCall(market, request, mode, terms)));
      sent.name(stop, read.text(data));
    } catch (error) {
      const mayBeThere = !(error instanceof VenueError) || error.failure === 'unknown';
      if (!mayBeThere) sent.forget(request.clientStopId);
      throw isRefusal(error, 'would-trigger') ? await this.#checked(error, market, request) : error;
    }
  }

  /** Rejects with `unknown` where a stop that was sent before may still appear, however the question fails. */
  async #isThere(stop: SentStop): Promise<boolean> {
    const inDoubt = `${TITLE} may still show the stop that was sent before; nothing more was sent`;
    const row = await this.#look(stop).catch((cause) => {
      throw new VenueError('unknown', inDoubt, { cause });
    });
    if (row === undefined && !stop.isOver) throw new VenueError('unknown', inDoubt);
    return row !== undefined;
  }

  /** MEXC has one code for every trigger price that it does not like: only the market says whether it is past this one. */
  async #checked(refusal: VenueRefusal, market: VenueMarket, request: StopRequest): Promise<VenueRefusal> {
    const price = await beforeSending(this.#parts.lastPrice(market));
    const { triggerType, triggerPrice } = planOf(market, request);
    const isPast = triggerType === RISE ? price >= triggerPrice : price <= triggerPrice;
    return isPast ? refusal : new VenueRefusal('other', refusal.code, refusal.message);
  }

  async find(_: VenueMarket, clientStopId: string): Promise<VenueStop | undefined> {
    const stop = this.#parts.sent.get(clientStopId);
    const row = stop && (await this.#rowOf(stop));
    return stop && row && readStop(stop, row);
  }

  async waiting(market?: VenueMarket): Promise<readonly VenueStop[]> {
    const { client, sent } = this.#parts;
    for (const stop of sent.all())
      if (stop.planId === undefined && !stop.isOver && (market === undefined || stop.market.symbol === market.symbol))
        await this.#rowOf(stop);
    const nowMs = await client.venueNowMs();
    const waiting = plansCall({
      ...(market !== undefined && { symbol: market.venueSymbol }),
      ...{ states: WAITING, start_time: nowMs - WEEK_MS - 3_600_000, end_time: nowMs + 3_600_000 },
    });
    const rows = await pagesOf(client, waiting);
    return rows.flatMap((row) => {
      const stop = sent.get(sent.idOfPlan(row.id) ?? '');
      return stop === undefined ? [] : [readStop(stop, row)];
    });
  }

  async cancel(market: VenueMarket, clientStopId: string): Promise<void> {
    const stop = this.#parts.sent.get(clientStopId);
    if (stop !== undefined && stop.planId === undefined) await this.#rowOf(stop);
    if (stop?.planId === undefined) throw new VenueRefusal('no-order', '', `${TITLE} shows no stop ${clientStopId}`);
    await this.#parts.client.send(cancelCall(market, stop.planId));
  }

  async recall(market: VenueMarket, request: StopRequest, sentAtMs: number): Promise<void> {
    const { client, sent, nowMs } = this.#parts;
    const offsetMs = (await client.venueNowMs()) - nowMs();
    if (!sent.has(request.clientStopId)) sent.note(market, request, sentAtMs + offsetMs);
  }

  knows(clientStopId: string): boolean {
    return this.#parts.sent.has(clientStopId);
  }

  /** MEXC's id of the order that a stop has placed; undefined while there is none. */
  async orderIdOf(clientStopId: string): Promise<string | undefined> {
    const stop = this.#parts.sent.get(clientStopId);
    if (stop !== undefined && stop.orderId === undefined) await this.#rowOf(stop);
    return stop?.orderId;
  }

  /** One whose answer is missing waits until nothing is being placed: the answer to another would tell which plan order is whose. */
  #rowOf(stop: SentStop): Promise<Fields | undefined> {
    return stop.planId === undefined ? this.#queue.run(() => this.#look(stop)) : this.#look(stop);
  }

  async #look(stop: SentStop): Promise<Fields | undefined> {
    const { client, sent } = this.#parts;
    const { fromMs, toMs } = sent.periodOf(stop);
    const nowMs = await client.venueNowMs();
    const symbol = stop.market.venueSymbol;
    const rows = await pagesOf(client, plansCall({ symbol, start_time: fromMs, end_time: toMs }));
    const row = sent.find(stop, rows);
    if (row === undefined) stop.isOver = nowMs > toMs;
    return row;
  }
}

const readStop = ({ market, request }: SentStop, row: Fields): VenueStop => ({
  ...request,
  quantity: times(read.decimal(row.vol), sizeOf(market)),
  triggerPrice: read.decimal(row.triggerPrice),
  state: row.state === WAITING ? 'waiting' : row.state === TRIGGERED ? 'sent' : 'ended',
});
