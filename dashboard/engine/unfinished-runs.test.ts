// Tests of what a browser remembers of scripts that ended its pages: held after two in turn, and let go again.

import { expect, it } from 'vitest';
import { UnfinishedRuns } from './unfinished-runs.ts';

const HOG = { source: 'hog', inputs: {}, symbol: { ticker: 'BTCUSDT' }, timeframe: '60' };

const kept = (): Pick<Storage, 'getItem' | 'setItem'> => {
  const values = new Map<string, string>();
  return { getItem: (name) => values.get(name) ?? null, setItem: (name, value) => void values.set(name, value) };
};

/** A page that begins the script and is never heard of again. */
const endPage = (store: ReturnType<typeof kept>): void => new UnfinishedRuns(store).begin({}, HOG.source);

it('a script that has ended two pages in turn is held, however often the page asks for the same', () => {
  const store = kept();
  endPage(store);
  expect(new UnfinishedRuns(store).isHeld(HOG)).toBe(false);
  endPage(store);
  const page = new UnfinishedRuns(store);
  expect(page.isHeld(HOG)).toBe(true);
  expect(page.isHeld(HOG)).toBe(true);
  expect(page.isHeld({ ...HOG, source: 'another' })).toBe(false);
});

it('a held script runs again when somebody asks for it on another market, and is held no more once it has answered', () => {
  const store = kept();
  endPage(store);
  endPage(store);
  const page = new UnfinishedRuns(store);
  expect(page.isHeld(HOG)).toBe(true);
  expect(page.isHeld({ ...HOG, timeframe: '1D' })).toBe(false);
  const run = {};
  page.begin(run, HOG.source);
  page.answer(run);
  expect(page.isHeld(HOG)).toBe(false);
  expect(new UnfinishedRuns(store).isHeld(HOG)).toBe(false);
});

it('what is given up, and what a page runs when it is left, counts for nothing', () => {
  const store = kept();
  for (let time = 0; time < 3; time++) {
    const page = new UnfinishedRuns(store);
    const run = {};
    page.begin(run, HOG.source);
    page.begin(run, HOG.source);
    page.leave(run);
    page.begin({}, HOG.source);
    page.begin({}, 'another');
    page.leaveAll();
  }
  expect(new UnfinishedRuns(store).isHeld(HOG)).toBe(false);
});

it('the same script twice on one chart does not hold itself', () => {
  const page = new UnfinishedRuns(kept());
  page.begin({}, HOG.source);
  page.begin({}, HOG.source);
  expect(page.isHeld(HOG)).toBe(false);
});

it('a browser that keeps nothing, or something else, holds nothing', () => {
  const full = () => {
    throw new Error('full');
  };
  const page = new UnfinishedRuns({ getItem: () => 'no JSON', setItem: full });
  page.begin({}, HOG.source);
  expect(page.isHeld(HOG)).toBe(false);
});
