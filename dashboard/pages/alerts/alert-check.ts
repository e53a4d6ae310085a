// What the check of a pasted alert says, in the words of the page; and what stands for the placeholders while TradingView has not filled them in.

import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { Checked } from '../../server/setup-answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';

export type Samples = Readonly<Record<string, string>>;

export interface AskedCheck {
  readonly body: string;
  /** The label of a key, for a text that has none; empty: the one in the text. */
  readonly key: string;
  /** Empty: by what stands in the text. */
  readonly route: string;
}

export interface CheckedAlert {
  readonly checked: Checked;
  /** What was put in for each placeholder. */
  readonly samples: Samples;
}

/** The names of placeholders come with the first answer; with a value for each the alert is checked as it would arrive. */
export async function checkAlert(asked: AskedCheck, own: Samples): Promise<CheckedAlert> {
  const first = await askFor(asked, {});
  const samples = samplesOf(first.placeholders, own);
  return { checked: Object.keys(samples).length === 0 ? first : await askFor(asked, samples), samples };
}

async function askFor({ body, key, route }: AskedCheck, samples: Samples): Promise<Checked> {
  const question = { body, ...(key !== '' && { key }), ...(route !== '' && { route }), samples };
  return (await ask<Result<Checked>>('/webhook/check', { method: 'POST', effect: 'none', body: question })).result;
}

/** One for each that TradingView fills in: what the user wrote, else an example. */
export const samplesOf = (placeholders: Checked['placeholders'], own: Samples): Samples =>
  Object.fromEntries(
    placeholders.flatMap(({ placeholder, filledBy, example }) => {
      const name = placeholder.slice(2, -2).trim();
      return filledBy === 'tradingview' ? [[name, own[name] ?? example ?? '']] : [];
    }),
  );

const OUTCOMES: Readonly<Record<Checked['outcome'], readonly [words: string, tone: Tone]>> = {
  would_trade: ['would be traded', 'up'],
  would_wait: ['would wait for its venue', 'warn'],
  would_refuse: ['would be refused', 'down'],
};
export const outcomeOf = (outcome: Checked['outcome']): readonly [words: string, tone: Tone] => OUTCOMES[outcome];

type Gate = Checked['gates'][number];

const GATES: Readonly<Record<Gate['gate'], string>> = {
  size: 'Size of the text',
  shape: 'Its fields',
  key: 'Key',
  key_limits: 'Scope and limits of the key',
  address: 'Address it comes from',
  rate: 'Signals a minute',
  account: 'Account',
  real_money: 'Your word for real money',
  market: 'Market',
  kill_switch: 'Kill switch',
  limits: 'Limits and pauses',
  entry_rate: 'Entries a minute',
  duplicate: 'Not seen before',
};
export const gateWords = (gate: Gate['gate']): string => GATES[gate];

const PASSES: Readonly<Record<Gate['outcome'], readonly [words: string, tone: Tone]>> = {
  passed: ['passes', 'up'],
  refused: ['refuses', 'down'],
  not_reached: ['not asked', 'plain'],
};
export const passOf = (outcome: Gate['outcome']): readonly [words: string, tone: Tone] => PASSES[outcome];

type Foreseen = Checked['accounts'][number];

const LEGS: Readonly<Record<Foreseen['orders'][number]['leg'], string>> = {
  open: '',
  close: '',
  flatten: 'first, to close the other side: ',
  catch_up_close: 'first, to catch up with the strategy: ',
  catch_up_open: 'first, to catch up with the strategy: ',
};

/** `buy 0.01 BTCUSDT at the market, opens LONG`, one for each order. */
export const orderWords = ({ orders, market }: Foreseen): readonly string[] =>
  orders.map(({ leg, side, quantity, price, positionSide, reduceOnly, postOnly }) => {
    const at = price === null ? 'at the market' : `at ${plain(price)}${postOnly ? ', only as a maker' : ''}`;
    const does = `${reduceOnly ? 'closes' : 'opens'} ${positionSide}`;
    return `${LEGS[leg]}${side.toLowerCase()} ${plain(quantity)} ${market} ${at}, ${does}`;
  });

/** Where its stops would stand; empty without any. */
export function protectionWords({ protection }: Foreseen): string {
  if (protection === null) return '';
  const { stopLoss, takeProfit, targets, trailPercent, trailAmount, breakEvenAfter, maxHoldSeconds } = protection;
  const parts = [
    stopLoss === null ? '' : `stop ${plain(stopLoss)}`,
    takeProfit === null ? '' : `target ${plain(takeProfit)}`,
    ...targets.map(({ price, share }) => `${plain(share * 100)} % at ${plain(price)}`),
    trailPercent === null ? '' : `trails by ${plain(trailPercent)} %`,
    trailAmount === null ? '' : `trails by ${plain(trailAmount)}`,
    breakEvenAfter === null ? '' : `break-even after ${breakEvenAfter} ${breakEvenAfter === 1 ? 'target' : 'targets'}`,
    maxHoldSeconds === null ? '' : `held ${plain(maxHoldSeconds)} s at most`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
