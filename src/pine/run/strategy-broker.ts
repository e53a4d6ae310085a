// The broker of a run: what the script declares of its account, on the market of the chart.

import { Broker, brokerSettings, type TradeRange } from '../broker/index.ts';
import type { CheckedProgram } from '../check/tree.ts';
import type { Market } from './market.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function createBroker(program: CheckedProgram, { facts, calendar }: Market, range: TradeRange): Broker {
  const number = (name: string): number => facts[name] as number;
  return new Broker(brokerSettings(program.settings, program.version, range), {
    pricescale: number('syminfo.pricescale'),
    minmove: number('syminfo.minmove'),
    pointvalue: number('syminfo.pointvalue'),
    mincontract: number('syminfo.mincontract'),
    currency: String(program.settings.currency || facts['syminfo.currency']),
    dayOf: (timeMs) => Math.floor(calendar.zone.toLocal(timeMs) / DAY_MS),
  });
}
