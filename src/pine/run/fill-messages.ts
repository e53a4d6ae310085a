// The messages of a live run's fills: the words of the call, else those of whoever follows the run, with placeholders filled in.

import type { OrderFill } from '../broker/index.ts';
import { plotsOf } from './alert-conditions.ts';
import { alertMessage } from './alert-message.ts';
import type { Bar } from './bars.ts';
import type { Engine } from './engine.ts';
import { DEFAULT_ORDER_MESSAGE, orderFields } from './order-message.ts';

/** A fill and what is told of it. */
export interface LiveFill extends OrderFill {
  readonly message: string;
}

export function tellFills(engine: Engine, template: string | undefined, bar: Bar, place: number): LiveFill[] {
  const { broker, market, nowMs } = engine.runtime;
  if (broker === null || broker.fills.length === 0) return [];
  const plots = plotsOf(engine.outputs());
  return broker.fills.map((fill) => {
    const order = orderFields(fill, market.mintick);
    const text = fill.alertMessage || template || DEFAULT_ORDER_MESSAGE;
    return { ...fill, message: alertMessage(text, market, plots)({ bar, nowMs: nowMs(), place, order }) };
  });
}
