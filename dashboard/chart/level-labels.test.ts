// Labels of levels: at their lines, or at the edge behind which these lie, and never over each other.

import { expect, test } from 'vitest';
import type { Level } from './level.ts';
import { LABEL_STEP_PX, levelLabels } from './level-labels.ts';

/** Ten pixels for each 1 of the price. */
const SIGHT = { topPrice: 120, bottomPrice: 100, width: 400, height: 200 };
const room = { top: 0, letters: 40 };
const level = (title: string, price: number, kind: Level['kind'] = 'stop'): Level => ({
  id: title,
  title,
  price,
  kind,
});

test('what is in view is told at its line, with its price', () => {
  const levels = [level('stop', 105), level('target', 115, 'target'), level('LONG 2', 110, 'entry')];
  expect(levelLabels(levels, SIGHT, room)).toEqual([
    { y: 50, words: 'target 115', kind: 'target' },
    { y: 100, words: 'LONG 2 at 110', kind: 'entry' },
    { y: 150, words: 'stop 105', kind: 'stop' },
  ]);
});

test('a stop below and a target above say where they are, whole in view', () => {
  const [target, stop] = levelLabels([level('stop · trend', 90.5), level('target', 1300, 'target')], SIGHT, room);
  expect([target?.words, stop?.words]).toEqual(['↑ target 1,300', '↓ stop · trend 90.5']);
  expect(target?.y).toBeGreaterThanOrEqual(LABEL_STEP_PX / 2);
  expect(stop?.y).toBeLessThanOrEqual(200 - LABEL_STEP_PX / 2);
});

test.each([
  ['in view', [110, 110.1, 110.2, 111]],
  ['beyond the top', [130, 131, 500]],
  ['below the bottom', [99.9, 20, 60]],
  ['on both sides of an edge', [119.5, 120, 120.3, 125]],
  ['everywhere', [119, 140, 100.2, 90, 110, 110]],
])(
  'of several close to each other %s none lies over another, and they stand in the order of their prices',
  (_, prices) => {
    const labels = levelLabels(
      prices.map((price) => level('target', price)),
      SIGHT,
      room,
    );
    const priceOf = ({ words }: { words: string }): number => Number(words.replace(/.* /, ''));
    expect(labels.map(priceOf)).toEqual(prices.toSorted((a, b) => b - a));
    for (const [i, { y }] of labels.entries()) {
      expect(y).toBeLessThanOrEqual(200 - LABEL_STEP_PX / 2);
      expect(y).toBeGreaterThanOrEqual(i === 0 ? LABEL_STEP_PX / 2 : labels[i - 1]!.y + LABEL_STEP_PX);
    }
  },
);

test('none lies over the legend, and a long name is cut before the price', () => {
  const [label] = levelLabels([level('stop · of a long name', 119)], SIGHT, { top: 64, letters: 16 });
  expect(label).toEqual({ y: 64 + LABEL_STEP_PX / 2, words: 'stop · of a… 119', kind: 'stop' });
});
