// A venue that outlives its processes and keeps stops: they act when the market trades at their price, whoever lives; answers get lost,
// stops appear late or never, are refused, act late, or fill in part.

import { type Decimal, decimal } from '../decimal.ts';
import { StopPassed, type StopRequest, type Venue, VenueError, type VenueStop, type VenueStops } from '../venue.ts';
import { turn } from './hurry.ts';
import { createSurvivingVenue, type SurvivingVenue } from './surviving-venue.ts';

/** What becomes of a stop that is placed: `lost` is there without an answer, `late` appears after a while, `never` does not. */
export type PlaceFate = 'kept' | 'lost' | 'late' | 'never' | 'not-sent' | 'refused';

export interface VenueFate {
  readonly answerTurns: () => number;
  readonly place: () => PlaceFate;
  /** A stop whose price is traded acts now, or waits for the next trade. */
  readonly isSlow: () => boolean;
  /** How much its order fills at most. */
  readonly fills: () => number;
  /** Nobody is told of the order. */
  readonly isQuiet: () => boolean;
}

export const KIND_VENUE: VenueFate = {
  ...{ answerTurns: () => 0, place: () => 'kept', isSlow: () => false, fills: () => 1e6, isQuiet: () => false },
};

export interface StopKeepingVenue extends SurvivingVenue {
  /** The market trades at this price. */
  trade(price: number): void;
  /** Those that wait, as `LONG stop 3 at 97`. */
  waiting(): readonly string[];
  /** Every stop there ever was. */
  readonly all: ReadonlyMap<string, VenueStop>;
  /** The owner takes one away at the venue, or the venue drops it. */
  drop(index: number): void;
  /** Puts a stop there that nobody here asked for. */
  plant(request: StopRequest): void;
}

/** So often an answer about a stop without one is "not there, but it may come". */
const DOUBTFUL_LOOKS = 2;

export function createStopKeepingVenue(fate: VenueFate): StopKeepingVenue {
  const inner = createSurvivingVenue(fate.answerTurns);
  const stops = new Map<string, VenueStop>();
  const doubtful = new Map<string, { readonly late: StopRequest | undefined; looks: number }>();
  let price = decimal(100);
  let generation = 0;

  const isReached = ({ kind, positionSide, triggerPrice }: StopRequest): boolean =>
    (positionSide === 'LONG') === (kind === 'stop') ? price <= triggerPrice : price >= triggerPrice;
  const act = (stop: VenueStop): void => {
    const { clientStopId: clientOrderId, market, positionSide, quantity } = stop;
    stops.set(clientOrderId, { ...stop, state: 'sent' });
    const side = positionSide === 'LONG' ? 'SELL' : 'BUY';
    const order = { clientOrderId, market, side, positionSide, reduceOnly: true, quantity } as const;
    inner.send(order, decimal(fate.fills()), fate.isQuiet());
  };
  const keep = (request: StopRequest): void => {
    if (stops.has(request.clientStopId)) inner.faults.push(`the stop ${request.clientStopId} was sent twice`);
    stops.set(request.clientStopId, { ...request, state: 'waiting' });
  };
  const arrive = (id: string): void => {
    const late = doubtful.get(id)?.late;
    doubtful.delete(id);
    // A stop that would act at once is refused, whenever it comes.
    if (late !== undefined && !isReached(late)) keep(late);
  };

  const place = (request: StopRequest, fated: PlaceFate): void => {
    if (fated === 'not-sent') throw new VenueError('not-sent', 'no connection');
    if (fated === 'refused') throw new VenueError('rejected', 'too many stops');
    if (fated === 'late' || fated === 'never') {
      doubtful.set(request.clientStopId, { late: fated === 'late' ? request : undefined, looks: DOUBTFUL_LOOKS });
      throw new VenueError('unknown', 'timed out');
    }
    if (isReached(request)) throw new StopPassed('it would act at once');
    keep(request);
    if (fated === 'lost') throw new VenueError('unknown', 'timed out');
  };

  const find = (id: string): Awaited<ReturnType<VenueStops['find']>> => {
    const doubt = doubtful.get(id);
    if (doubt && doubt.looks-- > 0) return { found: false, certain: false };
    if (doubt) arrive(id);
    const stop = stops.get(id);
    return stop ? { found: true, stop } : { found: false, certain: true };
  };
  const waiting = (): readonly VenueStop[] => [...stops.values()].filter(({ state }) => state === 'waiting');
  const end = (stop: VenueStop | undefined): void => {
    if (stop?.state === 'waiting') stops.set(stop.clientStopId, { ...stop, state: 'ended' });
  };

  const connect = (): Venue => {
    const mine = generation;
    const reach = async <T>(work: () => T): Promise<T> => {
      for (let turns = fate.answerTurns(); turns > 0; turns--) await turn();
      if (mine !== generation) await new Promise<never>(() => {});
      const answer = await Promise.resolve()
        .then(work)
        .then(
          (value) => ({ value }),
          (error) => ({ error }),
        );
      for (let turns = fate.answerTurns(); turns > 0; turns--) await turn();
      if (mine !== generation) await new Promise<never>(() => {});
      if ('error' in answer) throw answer.error;
      return answer.value as T;
    };
    const kept: VenueStops = {
      place: (request) => reach(() => place(request, fate.place())),
      find: (_, id) => reach(() => find(id)),
      waiting: (market) => reach(() => waiting().filter((stop) => market === undefined || stop.market === market)),
      cancel: (_, id) => reach(() => end(stops.get(id))),
    };
    return { ...inner.connect(), stops: kept };
  };

  return {
    ...inner,
    connect,
    die() {
      generation++;
      inner.die();
    },
    trade(at) {
      for (const id of [...doubtful.keys()]) arrive(id);
      price = decimal(at) as Decimal;
      for (const stop of waiting()) if (isReached(stop) && !fate.isSlow()) act(stop);
    },
    waiting: () =>
      waiting().map(
        ({ positionSide, kind, quantity, triggerPrice }) =>
          `${positionSide} ${kind} ${Number(quantity) / 1e12} at ${Number(triggerPrice) / 1e12}`,
      ),
    all: stops,
    drop: (index) => end(waiting()[index]),
    plant: keep,
  };
}
