// Prices: dated snapshots cost what their model costs, nothing else is guessed, and cost is exact.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_MODELS } from './agent-settings.ts';
import { costInNanoUsd, LIST_PRICES, priceOf } from './prices.ts';

describe('prices', () => {
  it.each([
    ['gpt-4o', 2.5],
    ['gpt-4o-2024-08-06', 2.5],
    ['gpt-4o-mini-2024-07-18', 0.15],
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-sonnet-4-5@20250929', 3],
    ['claude-sonnet-4-20250514', 3],
    ['gemini-2.0-flash-001', 0.1],
    ['gemini-2.5-flash-latest', 0.3],
  ])('%s is known', (model, inUsd) => {
    expect(priceOf(model, LIST_PRICES)?.inUsd).toBe(inUsd);
  });

  it.each(['gpt-4o-realtime', 'gpt-5-pro', 'gpt-5.4', 'claude-sonnet-4-6', 'gemini-2.5-flash-image', 'gpt', ''])(
    '%s is not guessed',
    (model) => {
      expect(priceOf(model, LIST_PRICES)).toBeUndefined();
    },
  );

  it('every default model has one', () => {
    for (const model of Object.values(DEFAULT_MODELS)) expect(priceOf(model, LIST_PRICES), model).toBeDefined();
  });

  it('are per million tokens, and the cost is a whole number of billionths', () => {
    expect(costInNanoUsd({ tokensIn: 1_000_000, tokensOut: 0 }, { inUsd: 0.075, outUsd: 0 })).toBe(75_000_000);
    expect(costInNanoUsd({ tokensIn: 1, tokensOut: 1 }, { inUsd: 0.15, outUsd: 0.6 })).toBe(750);
    expect(costInNanoUsd({ tokensIn: 3, tokensOut: 0 }, { inUsd: 0.0001, outUsd: 0 })).toBe(0);
  });
});

it('the guide lists the same prices', () => {
  const page = readFileSync(new URL('../../docs/guides/agent.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([\w.-]+)` \| ([\d.]+) \| ([\d.]+) \|$/gm)];
  const prices = listed.map(([, model, inUsd, outUsd]) => [model, { inUsd: Number(inUsd), outUsd: Number(outUsd) }]);
  expect(prices).toEqual([...LIST_PRICES]);
});
