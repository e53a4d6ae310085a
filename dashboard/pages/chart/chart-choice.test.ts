// Tests of what the browser remembers of a chart.

import { expect, it } from 'vitest';
import { FIRST_CHOICE, rememberChoice, rememberLayouts, storedChoice, storedLayouts } from './chart-choice.ts';

function fakeStore(items: Record<string, string> = {}) {
  return {
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => {
      items[key] = value;
    },
  };
}

const choice = {
  symbol: 'ETHUSDT',
  timeframe: '4h',
  scripts: [{ id: 'a', name: 'A', source: 'x' }],
  stretches: { a: 2 },
};

it('what was chosen is there again', () => {
  const store = fakeStore();
  expect(storedChoice(store)).toEqual(FIRST_CHOICE);
  expect(rememberChoice(choice, store)).toBe(true);
  expect(storedChoice(store)).toEqual(choice);
});

it.each(['{', '7', '{"symbol":1}', '{"symbol":"A","timeframe":"1h","stretches":{},"scripts":[{"id":1}]}'])(
  'what is unreadable counts as nothing: %s',
  (text) => {
    expect(storedChoice(fakeStore({ 'signalbox.chart': text }))).toEqual(FIRST_CHOICE);
    expect(storedLayouts(fakeStore({ 'signalbox.chart.layouts': `[${text}]` }))).toEqual([]);
  },
);

it('layouts of an older version are there until they are moved', () => {
  const store = fakeStore();
  rememberLayouts([{ ...choice, name: 'Scalp' }], store);
  expect(storedLayouts(store)).toEqual([{ ...choice, name: 'Scalp' }]);
});

it('a browser without room says so', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('quota');
    },
  };
  expect(rememberChoice(choice, full)).toBe(false);
});
