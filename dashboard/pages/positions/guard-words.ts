// What guards a position, in a few words.

import type { Position, Protection } from '../../server/answers.ts';
import { plain } from '../../ui/numbers.ts';
import { lasting } from '../../ui/times.ts';

type Asked = Protection['targets'][number]['asked'];

const levelWords = (price: number | null, { percent, ticks }: Asked): string => {
  if (price !== null) return plain(price);
  return percent === undefined ? `${plain(ticks)} ticks` : `${plain(percent)} %`;
};

export function guardWords({ stopLoss, takeProfit, trail, targets, maxHoldSeconds }: Protection): string {
  const words = [
    stopLoss !== null &&
      `stop ${levelWords(stopLoss.price, stopLoss.asked)}${stopLoss.isBreakEven ? ' (break even)' : ''}`,
    takeProfit !== null && `target ${levelWords(takeProfit.price, takeProfit.asked)}`,
    ...targets.map(
      ({ price, asked, share, isHit }) =>
        `target ${levelWords(price, asked)} for ${plain(share * 100)} %${isHit ? ' (hit)' : ''}`,
    ),
    trail !== null && trailWords(trail),
    maxHoldSeconds !== null && `at most ${lasting(maxHoldSeconds * 1000)}`,
  ];
  return words.filter((word) => word !== false).join(' · ');
}

function trailWords({ asked: { percent, price, ticks }, stopPrice }: NonNullable<Protection['trail']>): string {
  const distance =
    percent === undefined ? (price === undefined ? `${plain(ticks)} ticks` : plain(price)) : `${plain(percent)} %`;
  return `trail ${distance}${stopPrice === null ? '' : `, now ${plain(stopPrice)}`}`;
}

/** Of all its shares; those that wait for their fill say so. */
export function protectionWords({ protections }: Pick<Position, 'protections'>): string {
  if (protections.length === 0) return 'none';
  const words = protections.map((each) => {
    const whose = protections.length > 1 ? `${each.strategy ?? 'no strategy'}: ` : '';
    return `${whose}${guardWords(each)}${STATUS_WORDS[each.status] ?? ''}`;
  });
  return words.join('; ');
}

const STATUS_WORDS: Readonly<Partial<Record<Protection['status'], string>>> = {
  'waiting for the fill': ' (after the fill)',
  waiting: ' (not begun yet)',
  closing: ' (closing now)',
};
