// Levels beyond the prices in view are told at the edge.

import { expect, test } from 'vitest';
import type { Level } from './level.ts';
import { edgeLabels } from './level-edges.ts';

const SIGHT = { topPrice: 120, bottomPrice: 100 };
const level = (title: string, price: number, kind: Level['kind'] = 'stop'): Level => ({
  id: title,
  title,
  price,
  kind,
});

test('what is in view, also on the edge itself, has its line and no label', () => {
  expect(edgeLabels([level('stop', 100), level('target', 120), level('entry', 110)], SIGHT)).toEqual([]);
});

test('a stop below and a target above say where they are, with their price', () => {
  expect(edgeLabels([level('stop · trend', 90.5), level('target', 1300, 'target')], SIGHT)).toEqual([
    { edge: 'top', place: 0, words: '↑ target 1,300', kind: 'target' },
    { edge: 'bottom', place: 0, words: '↓ stop · trend 90.5', kind: 'stop' },
  ]);
});

test('of several behind one edge the nearest stands at it', () => {
  const far = [level('far', 10), level('near', 90), level('between', 50)];
  expect(edgeLabels(far, SIGHT).map(({ words, place }) => [words, place])).toEqual([
    ['↓ near 90', 0],
    ['↓ between 50', 1],
    ['↓ far 10', 2],
  ]);
});
