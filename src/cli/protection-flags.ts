// The flags by which a position is guarded, the same for a signal and for a position that is open already.

import { type Args, plainNumber, UsageFault, wholeNumber } from './command.ts';

export const PROTECTION_FLAGS = {
  'stop-loss': 'where it is closed at a loss: a price, 2% or 50ticks from the fill',
  'take-profit': 'where it is closed at a profit, written the same way',
  trail: 'how far the trailing stop follows: 2% of the best price, or 50ticks or 150 as a price difference',
  activation: 'the price at which the trail begins; at once if left out',
  targets: 'levels with the share each closes, the nearest first: 2%:0.5,4%:0.5',
  'break-even-after': 'after so many targets the stop loss moves to the entry price',
  'max-hold': 'seconds after which it is closed, counted from its first fill',
} as const;

/** As the gateway reads them; empty where none is given. */
export function protectionOf(flags: Args['flags']): object {
  const { trail, activation, targets } = flags;
  const [stopLoss, takeProfit] = [flags['stop-loss'], flags['take-profit']];
  const [breakEven, maxHold] = [flags['break-even-after'], flags['max-hold']];
  return {
    ...(stopLoss === undefined ? {} : { stopLoss: levelOf(stopLoss, '--stop-loss') }),
    ...(takeProfit === undefined ? {} : { takeProfit: levelOf(takeProfit, '--take-profit') }),
    ...(trail === undefined ? {} : { trail: levelOf(trail, '--trail') }),
    ...(activation === undefined ? {} : { activationPrice: plainNumber(activation, 'activation') }),
    ...(targets === undefined ? {} : { targets: targets.split(',').map(targetOf) }),
    ...(breakEven === undefined ? {} : { breakEvenAfter: wholeNumber(breakEven, 'break-even-after') }),
    ...(maxHold === undefined ? {} : { maxHoldSeconds: wholeNumber(maxHold, 'max-hold') }),
  };
}

/** `60000`, `2%`, `50ticks` or `50 ticks`. */
export function levelOf(text: string, what: string): { price: number } | { percent: number } | { ticks: number } {
  const [, number, suffix] = /^(\d{1,15}(?:\.\d{1,12})?) ?(%|ticks?)?$/.exec(text.trim()) ?? [];
  if (number === undefined)
    throw new UsageFault(`${what} ${text} is no level; write a price like 60000, or 2% or 50ticks from the fill.`);
  if (suffix === undefined) return { price: Number(number) };
  return suffix === '%' ? { percent: Number(number) } : { ticks: Number(number) };
}

function targetOf(text: string): object {
  const [level = '', share = '', more] = text.trim().split(':');
  if (share === '' || more !== undefined)
    throw new UsageFault(`--targets ${text} is no target; write its level and its share, like 2%:0.5.`);
  return { ...levelOf(level, '--targets'), share: plainNumber(share, 'targets') };
}
