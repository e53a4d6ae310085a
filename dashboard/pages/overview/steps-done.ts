// The way from a fresh start to trading: which of its steps are done, by what the server says.

import type { Trade } from '../../server/answers.ts';
import type { KnownAccounts, Notifier, Reach } from '../../server/setup-answers.ts';

export interface StepFacts {
  readonly trades: readonly Trade[];
  readonly reach: Reach;
  readonly notifiers: readonly Notifier[];
  readonly accounts: KnownAccounts['accounts'];
}

export type StepName = 'signal' | 'tradingview' | 'telegram' | 'live';

export interface Step {
  readonly name: StepName;
  readonly isDone: boolean;
  /** What tells that it is done, or what is left to do. */
  readonly words: string;
}

export function stepsOf({ trades, reach, notifiers, accounts }: StepFacts): readonly Step[] {
  const call = reach.tradingviewCall;
  const hasStrategyAlert = trades.some(({ source }) => source === 'tradingview');
  const live = accounts.filter(({ mode, off }) => mode === 'live' && off === '');
  const unconfirmed = live.filter(({ isUnconfirmed }) => isUnconfirmed);
  return [
    step('signal', trades.length > 0, 'A signal has traded.', signalWords(paperVenueOf(accounts))),
    step(
      'tradingview',
      call !== null || hasStrategyAlert,
      call === null ? 'An alert of a strategy has traded.' : `TradingView has called, from ${call.address}.`,
      'Make a key for your chart, and take the address and the message of the alert along.',
    ),
    step(
      'telegram',
      notifiers.length > 0,
      `You are told by ${notifiers.map(({ channel }) => channel).join(', ')}.`,
      'Fills, refusals and alarms on your phone, by Telegram or another channel.',
    ),
    step(
      'live',
      live.length > unconfirmed.length,
      'An account may open positions with real money.',
      unconfirmed.length > 0
        ? `${unconfirmed.map(({ exchange, account }) => `${exchange}:${account}`).join(', ')} waits for your word.`
        : 'When paper has earned your trust: an API key without the right to withdraw, limits, and your word.',
    ),
  ];
}

const step = (name: StepName, isDone: boolean, done: string, left: string): Step => ({
  ...{ name, isDone, words: isDone ? done : left },
});

const signalWords = (paper: string | undefined): string =>
  paper === undefined
    ? 'Nothing here trades on paper: let a small signal come from your chart.'
    : `Buys 0.01 BTCUSDT with paper money on ${paper}, so that you see the whole way once.`;

/** Where the account that a test goes to costs nothing; undefined where all is real. */
export const paperVenueOf = (accounts: KnownAccounts['accounts']): string | undefined =>
  accounts.find(({ account, mode, off }) => account === TEST_ACCOUNT && mode === 'paper' && off === '')?.exchange;

/** Every exchange has one of that name. */
export const TEST_ACCOUNT = 'main';
