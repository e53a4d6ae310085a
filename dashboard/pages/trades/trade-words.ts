// What became of a trade or an order, in the words that every page uses.

import type { Trade } from '../../server/answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';

export type TradeStatus = Trade['status'];

const OUTCOMES: Readonly<Record<TradeStatus, readonly [outcome: string, tone: Tone]>> = {
  Filled: ['filled', 'up'],
  PartiallyFilled: ['partly filled', 'accent'],
  Submitted: ['resting', 'accent'],
  Enqueued: ['waiting', 'accent'],
  Unknown: ['unknown', 'warn'],
  Rejected: ['refused', 'down'],
  Canceled: ['canceled', 'plain'],
  Expired: ['expired', 'plain'],
};

export const outcomeOf = (status: TradeStatus): readonly [outcome: string, tone: Tone] => OUTCOMES[status];

/** As options of a filter. */
export const OUTCOME_OPTIONS = (Object.keys(OUTCOMES) as TradeStatus[]).map(
  (status) => [status, OUTCOMES[status][0]] as const,
);

/** Where a trade came from: an order of the owner's own goes the way of a signal, a stop or a close by hand does not. */
export const SIGNAL_SOURCES: ReadonlySet<string> = new Set(['webhook', 'tradingview', 'email', 'script', 'ticket']);

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  webhook: 'a signal by webhook',
  tradingview: 'an alert of TradingView',
  email: 'a mail',
  script: 'a script of yours',
  ticket: 'an order of your own',
  owner: 'your own hand',
  liquidation: 'a liquidation by the venue',
};

/** `trailing-stop` is a stop of its own. */
export const sourceWords = (source: string): string => SOURCE_WORDS[source] ?? `its ${source.replaceAll('-', ' ')}`;

/** Short, for a column. */
const QUANTITY_UNITS: Readonly<Record<Trade['quantityType'], string>> = {
  base: '',
  quote: ' USDT',
  percent_equity: ' %',
  risk_percent: ' %',
  percent_position: ' %',
};

const QUANTITY_MEANINGS: Readonly<Record<Trade['quantityType'], string>> = {
  base: '',
  quote: ' USDT',
  percent_equity: ' % of the account',
  risk_percent: ' % at risk to the stop',
  percent_position: ' % of what is held',
};

/** The same where there is room. */
export const quantityInFull = ({ quantity, quantityType }: Pick<Sized, 'quantity' | 'quantityType'>): string =>
  `${plain(quantity)}${QUANTITY_MEANINGS[quantityType]}`;

type Sized = Pick<Trade, 'quantity' | 'quantityType' | 'executedQty'>;

/** As it was asked for: coins, money, or percent of something. */
const quantityWords = ({ quantity, quantityType }: Pick<Sized, 'quantity' | 'quantityType'>): string =>
  `${plain(quantity)}${QUANTITY_UNITS[quantityType]}`;

/** How much it was. A close takes what is held, so that the two may be far apart. */
export interface Size {
  /** Undefined while nothing has filled. */
  readonly filled: string | undefined;
  /** Undefined where it has filled as it was asked for. */
  readonly asked: string | undefined;
}

export function sizeOf(sized: Sized): Size {
  const { quantity, quantityType, executedQty } = sized;
  const isAsAsked = quantityType === 'base' && quantity === executedQty;
  return {
    filled: executedQty === 0 ? undefined : plain(executedQty),
    asked: isAsAsked ? undefined : quantityWords(sized),
  };
}

/** `5 filled (0.02 asked)`, `5` where that was asked for, `0.02 asked` where nothing has filled. */
export function sizeWords({ filled, asked }: Size): string {
  if (filled === undefined) return asked === undefined ? '' : `${asked} asked`;
  return asked === undefined ? filled : `${filled} filled (${asked} asked)`;
}

/** The venue, with the account where it is not the first one. */
export const venueOf = ({ exchange, account }: { readonly exchange: string; readonly account: string }): string =>
  account === 'main' ? exchange : `${exchange}:${account}`;

/** Which money it is, loud where it is real. */
export const moneyWords = (mode: Trade['mode']): string =>
  ({ paper: 'PAPER money', testnet: 'TESTNET money', live: 'LIVE money' })[mode];
