// The broker of a run: what the script declares of its account, on the market of the chart.

import { Broker, brokerSettings, RecordingBroker, type TradeRange } from '../broker/index.ts';
import type { CheckedProgram } from '../check/tree.ts';
import type { Market } from './market.ts';

/** What whoever runs a strategy says of its account. */
export interface AccountOptions extends TradeRange {
  /** Instead of what the script declares. */
  readonly initialCapital?: number | undefined;
  /** Keeps what the script asks of the broker, for the events of the report. */
  readonly recordsOrders?: boolean | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function createBroker(program: CheckedProgram, { facts, calendar }: Market, options: AccountOptions): Broker {
  const number = (name: string): number => facts[name] as number;
  const declared = brokerSettings(program.settings, program.version, options);
  const settings = { ...declared, initialCapital: options.initialCapital ?? declared.initialCapital };
  const Kind = options.recordsOrders === true ? RecordingBroker : Broker;
  return new Kind(settings, {
    pricescale: number('syminfo.pricescale'),
    minmove: number('syminfo.minmove'),
    pointvalue: number('syminfo.pointvalue'),
    mincontract: number('syminfo.mincontract'),
    currency: String(program.settings.currency || facts['syminfo.currency']),
    dayOf: (timeMs) => Math.floor(calendar.zone.toLocal(timeMs) / DAY_MS),
  });
}
