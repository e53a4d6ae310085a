// What a dry run says, of an order as of an alert, in the words of a trader.

import type { Checked } from '../../server/answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { fixed, percent, plain } from '../../ui/numbers.ts';
import { lasting } from '../../ui/times.ts';

type Foreseen = Checked['accounts'][number];
/** Stops as they were asked for, by name. */
export type AskedStops = NonNullable<Checked['signal']>['protect'];
type Gate = Checked['gates'][number]['gate'];

const OUTCOMES: Readonly<Record<Checked['outcome'], readonly [words: string, tone: Tone]>> = {
  would_trade: ['would trade', 'accent'],
  would_wait: ['would wait', 'warn'],
  would_refuse: ['would be refused', 'down'],
};
export const outcomeWords = (outcome: Checked['outcome']): readonly [words: string, tone: Tone] => OUTCOMES[outcome];

const GATES: Readonly<Record<Gate, string>> = {
  size: 'Length of the message',
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
export const gateWords = (gate: Gate): string => GATES[gate];

const LEGS: Readonly<Partial<Record<Foreseen['orders'][number]['leg'], string>>> = {
  flatten: 'closes the other side first',
  catch_up_close: 'closes first what the strategy should not hold any more',
  catch_up_open: 'opens first what the strategy is missing',
};

/** `BUY 0.01 at the market, opens long`. */
export function orderWords({ leg, side, positionSide, reduceOnly, quantity, ...order }: Foreseen['orders'][number]) {
  const terms = [
    order.timeInForce !== null && order.timeInForce !== 'GTC' && order.timeInForce,
    order.postOnly && 'post only',
  ].filter((word) => word !== false);
  const at = order.price === null ? 'at the market' : ['limit', plain(order.price), ...terms].join(' ');
  const does = LEGS[leg] ?? `${reduceOnly ? 'closes' : 'opens'} ${positionSide.toLowerCase()}`;
  return `${side} ${plain(quantity)} ${at}, ${does}`;
}

/** Without a price there are no levels, whatever was asked for. */
const NOT_KNOWN_YET = 'not known yet: the market has no price';

/** Where its stops would stand, and how far from the price that is. */
function protectionWords({ protection, price }: Pick<Foreseen, 'protection' | 'price'>, asked: AskedStops): string {
  if (protection === null) return Object.keys(asked).length === 0 ? 'none' : NOT_KNOWN_YET;
  const { stopLoss, takeProfit, targets, trailPercent, trailAmount, activationPrice, breakEvenAfter, maxHoldSeconds } =
    protection;
  const at = (level: number): string =>
    price === null ? plain(level) : `${plain(level)} (${percent(level / price - 1)})`;
  const words = [
    stopLoss !== null && `stop ${at(stopLoss)}`,
    takeProfit !== null && `target ${at(takeProfit)}`,
    ...targets.map(({ price: level, share }) => `target ${at(level)} for ${fixed(share * 100, 0)} %`),
    breakEvenAfter !== null && `stop to the entry price after target ${breakEvenAfter}`,
    trailPercent !== null && `trail ${plain(trailPercent)} %`,
    trailAmount !== null && `trail ${plain(trailAmount)}`,
    activationPrice !== null && `from ${plain(activationPrice)} on`,
    maxHoldSeconds !== null && `at most ${lasting(maxHoldSeconds * 1000)}`,
  ];
  return words.filter((word) => word !== false).join(' · ');
}

/** What it costs and risks, line by line; a close binds nothing and risks nothing. */
export function costFacts(account: Foreseen, asked: AskedStops): readonly (readonly [name: string, words: string])[] {
  const { action, fee, risk } = account;
  const feeFact = ['Fee', fee === null ? '–' : `about ${fixed(fee)} USDT`] as const;
  if (action.startsWith('CLOSE_')) return [feeFact];
  return [
    ['Margin', marginWords(account)],
    feeFact,
    ['Stops', protectionWords(account, asked)],
    ['Lost at the stop', risk === null ? unlimitedWords(account, asked) : riskWords(risk)],
  ];
}

function marginWords({ price, margin, leverage, leverageInForce, freeMargin }: Foreseen): string {
  if (margin === null) return price === null ? NOT_KNOWN_YET : 'not known: the venue does not tell it beforehand';
  const set = leverage === null ? '' : ', which is set first';
  const free = freeMargin === null ? '' : `; ${fixed(freeMargin)} USDT are free`;
  return `about ${fixed(margin)} USDT at ${plain(leverageInForce)}×${set}${free}`;
}

const riskWords = ({ loss, percentOfEquity }: NonNullable<Foreseen['risk']>): string => {
  const part = percentOfEquity === null ? '' : `, ${fixed(percentOfEquity)} % of the account`;
  return `about ${fixed(loss)} USDT${part}, before fees`;
};

function unlimitedWords({ protection, price }: Foreseen, { stopLoss, trail, activationPrice }: AskedStops): string {
  const isWaiting = activationPrice !== undefined;
  if (price === null && (stopLoss !== undefined || (trail !== undefined && !isWaiting))) return NOT_KNOWN_YET;
  return isWaiting || (protection?.activationPrice ?? null) !== null
    ? 'no stop limits it until the trail begins'
    : 'no stop of its own limits it';
}

/** What becomes of it at the gates and behind them. */
export function gatesWords({ gates, outcome }: Pick<Checked, 'gates' | 'outcome'>): string {
  const passed = gates.filter((gate) => gate.outcome === 'passed').length;
  const stopping = gates.find((gate) => gate.outcome === 'refused');
  const counted = passed === 1 ? '1 gate' : `${passed} gates`;
  if (stopping !== undefined) return `${counted} passed, then refused: ${gateWords(stopping.gate).toLowerCase()}`;
  if (outcome === 'would_refuse') return 'Let in by the gates, refused as an order';
  return `All ${passed} gates passed`;
}
