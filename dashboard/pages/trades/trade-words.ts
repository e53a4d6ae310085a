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

/** Where a trade came from; a stop or the owner sends no signal. */
export const SIGNAL_SOURCES: ReadonlySet<string> = new Set(['webhook', 'tradingview', 'email', 'script']);

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  webhook: 'a signal by webhook',
  tradingview: 'an alert of TradingView',
  email: 'a mail',
  script: 'a script of yours',
  owner: 'your own hand',
  liquidation: 'a liquidation by the venue',
};

/** `trailing-stop` is a stop of its own. */
export const sourceWords = (source: string): string => SOURCE_WORDS[source] ?? `its ${source.replaceAll('-', ' ')}`;

const QUANTITY_UNITS: Readonly<Record<Trade['quantityType'], string>> = {
  base: '',
  quote: ' USDT',
  percent_equity: ' %',
  risk_percent: ' %',
  percent_position: ' %',
};

/** As it was asked for: coins, money, or percent of something. */
export const quantityWords = ({ quantity, quantityType }: Pick<Trade, 'quantity' | 'quantityType'>): string =>
  `${plain(quantity)}${QUANTITY_UNITS[quantityType]}`;

/** The venue, with the account where it is not the first one. */
export const venueOf = ({ exchange, account }: { readonly exchange: string; readonly account: string }): string =>
  account === 'main' ? exchange : `${exchange}:${account}`;

/** Which money it is, loud where it is real. */
export const moneyWords = (mode: Trade['mode']): string =>
  ({ paper: 'PAPER money', testnet: 'TESTNET money', live: 'LIVE money' })[mode];
