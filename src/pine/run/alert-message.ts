// The message of an `alertcondition` with its {{placeholders}}; those that nobody knows stay as they are written.
//
//   {{open}} {{high}} {{low}} {{close}} {{volume}}  of the bar      {{time}} of its opening, {{timenow}} of the alert
//   {{ticker}} {{exchange}} {{interval}} {{syminfo.currency}} {{syminfo.basecurrency}}
//   {{plot_0}} … {{plot_19}}  by number, {{plot("Title")}}  by title
//   {{strategy.order.action}} …  of the fill that the message is about, where it is about one: see order-message.ts

import { zoneOf } from '../values/index.ts';
import { formatDate } from '../values/strings/date-format.ts';
import { toText } from '../values/strings/to-text.ts';
import type { Bar } from './bars.ts';
import type { Market } from './market.ts';
import { ORDER_FIELDS, type OrderFields } from './order-message.ts';

/** What an alert can tell of the bar it is raised on. */
export interface AlertMoment {
  readonly bar: Bar;
  readonly nowMs: number;
  /** Place of the bar in the columns of the outputs. */
  readonly place: number;
  /** Of the fill, by the name of the placeholder. */
  readonly order?: OrderFields;
}

/** The value of a plot at a place of its column. */
export type PlotReader = (place: number) => number;

export interface MessagePlots {
  /** In the order of the script. */
  readonly byNumber: readonly PlotReader[];
  readonly byTitle: ReadonlyMap<string, PlotReader>;
}

type Piece = string | ((moment: AlertMoment) => string);

/** Plots that can be named by number, as the language has it. */
const MAX_NUMBERED_PLOTS = 20;
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const TIME_PATTERN = "yyyy-MM-dd'T'HH:mm:ss'Z'";

/** The message is taken apart once; a condition may hold on every bar. */
export function alertMessage(message: string, market: Market, plots: MessagePlots): (moment: AlertMoment) => string {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of message.matchAll(PLACEHOLDER)) {
    pieces.push(message.slice(end, match.index), pieceOf(match[1] as string, market, plots) ?? match[0]);
    end = match.index + match[0].length;
  }
  pieces.push(message.slice(end));
  return (moment) => pieces.map((piece) => (typeof piece === 'string' ? piece : piece(moment))).join('');
}

const FACTS: Readonly<Record<string, string>> = {
  ticker: 'syminfo.ticker',
  exchange: 'syminfo.prefix',
  interval: 'timeframe.period',
  'syminfo.currency': 'syminfo.currency',
  'syminfo.basecurrency': 'syminfo.basecurrency',
};

function pieceOf(written: string, market: Market, plots: MessagePlots): Piece | null {
  const name = written.trim();
  const number = (read: (moment: AlertMoment) => number) => (moment: AlertMoment) =>
    toText(read(moment), null, market.mintick);
  switch (name) {
    case 'open':
    case 'high':
    case 'low':
    case 'close':
    case 'volume':
      return number(({ bar }) => bar[name]);
    case 'time':
      return ({ bar }) => timeText(bar.time);
    case 'timenow':
      return ({ nowMs }) => timeText(nowMs);
  }
  if (ORDER_FIELDS.has(name)) return ({ order }) => order?.[name] ?? `{{${written}}}`;
  if (Object.hasOwn(FACTS, name)) return String(market.facts[FACTS[name] as string]);
  const plot = plotOf(name, plots);
  return plot === undefined ? null : number(({ place }) => plot(place));
}

function plotOf(name: string, { byNumber, byTitle }: MessagePlots): PlotReader | undefined {
  const numbered = /^plot_(\d{1,2})$/.exec(name);
  if (numbered !== null) return Number(numbered[1]) < MAX_NUMBERED_PLOTS ? byNumber[Number(numbered[1])] : undefined;
  const titled = /^plot\(\s*(["'])(.*)\1\s*\)$/.exec(name);
  return titled === null ? undefined : byTitle.get(titled[2] as string);
}

const timeText = (timeMs: number) => formatDate(timeMs, TIME_PATTERN, zoneOf('UTC'));
