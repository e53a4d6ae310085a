// What a model is told of a strategy: its figures, its newest months and its trades, the newest first.

import { expect, it } from 'vitest';
import { runAnswer } from '../../library/testing/run-answer.ts';
import { scriptSummary } from './agent-script.ts';

const told = (fields: object) =>
  scriptSummary({ kind: 'answer', json: Buffer.from(JSON.stringify({ ...runAnswer(), ...fields })), warnings: [] });

it('tells the figures of a strategy with its newest twenty months, and its trades', () => {
  const monthly_returns = Array.from({ length: 30 }, (_, index) => ({ month: index }));
  const { metrics, rows } = told({ metrics: { net_profit: 5, monthly_returns }, trades: [{ qty: 1 }, { qty: 2 }] });
  expect(metrics).toEqual({ net_profit: 5, monthly_returns: monthly_returns.slice(10) });
  expect(rows).toEqual([{ qty: 2 }, { qty: 1 }]);
});

it('tells nothing of trades where there are none', () => {
  expect(told({})).not.toHaveProperty('metrics');
  expect(told({})).not.toHaveProperty('rows');
});
