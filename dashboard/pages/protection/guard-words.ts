// What guards a position, in words: each part with where it stands, and what is still to come.

import type { Protection } from '../../server/answers.ts';
import { plain } from '../../ui/numbers.ts';
import { lasting } from '../../ui/times.ts';

type Asked = Protection['targets'][number]['asked'];

/** `2 %`, `30 ticks`, `95,000`: as it was asked for. */
const askedWords = ({ price, percent, ticks }: Asked): string => {
  if (percent !== undefined) return `${plain(percent)} %`;
  return ticks === undefined ? plain(price) : `${plain(ticks)} ticks`;
};

const levelWords = (price: number | null, asked: Asked): string => (price === null ? askedWords(asked) : plain(price));

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
/** As many targets as there can be have one. */
export const ordinal = (number: number): string => ORDINALS[number - 1] ?? `${number}.`;

/** What there may be of them. */
export type Guards = Pick<
  Protection,
  'stopLoss' | 'takeProfit' | 'trail' | 'targets' | 'breakEvenAfter' | 'maxHoldSeconds'
>;

/** Of one share, a line each. */
export function guardParts(guards: Guards): readonly string[] {
  const { stopLoss, takeProfit, trail, targets, breakEvenAfter, maxHoldSeconds } = guards;
  const isToBreakEven = breakEvenAfter !== null && stopLoss?.isBreakEven !== true;
  const parts = [
    stopLoss !== null &&
      `stop ${levelWords(stopLoss.price, stopLoss.asked)}${stopLoss.isBreakEven ? ', moved to entry' : ''}`,
    takeProfit !== null && `target ${levelWords(takeProfit.price, takeProfit.asked)}`,
    ...targets.map((target, index) => {
      const name = targets.length === 1 ? 'target' : `${ordinal(index + 1)} target`;
      const does = target.isHit ? 'closed' : 'closes';
      return `${name} ${levelWords(target.price, target.asked)} ${does} ${percentOf(target.share)} %`;
    }),
    isToBreakEven && `stop moves to entry after the ${ordinal(breakEvenAfter)} target`,
    trail !== null && trailWords(trail),
    maxHoldSeconds !== null && `held ${lasting(maxHoldSeconds * 1000)} at most`,
  ];
  return parts.filter((part) => part !== false);
}

/** Without the dust of the product. */
const percentOf = (share: number): string => plain(Number((share * 100).toFixed(4)));

function trailWords({ asked, stopPrice, activationPrice }: NonNullable<Protection['trail']>): string {
  const words = `trailing stop ${askedWords(asked)} behind`;
  if (stopPrice !== null) return `${words}, now at ${plain(stopPrice)}`;
  return activationPrice === null ? words : `${words}, begins at ${plain(activationPrice)}`;
}

/** The same in one line, with what it waits for. */
export const guardWords = (protection: Protection): string =>
  `${guardParts(protection).join(' · ')}${stateWords(protection)}`;

export const stateWords = ({ status }: Pick<Protection, 'status'>): string => STATES[status] ?? '';

/** A trail that has not begun says so itself. */
const STATES: Readonly<Partial<Record<Protection['status'], string>>> = {
  'waiting for the fill': ' (after the fill)',
  closing: ' (closing now)',
};
