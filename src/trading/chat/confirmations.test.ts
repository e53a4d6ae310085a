// Confirmations: once, in time, by whoever asked; and a bounded number of open questions.

import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { type Asker, CONFIRM_WITHIN_MS, type Confirmations, createConfirmations } from './confirmations.ts';

const ME: Asker = { chatId: '1', userId: '2' };
let nowMs: number;
let confirmations: Confirmations<string>;

beforeEach(() => {
  nowMs = 1000;
  confirmations = createConfirmations({ monotonicMs: () => nowMs, randomBytes });
});

test('a yes brings the change back, once', () => {
  const token = confirmations.ask(ME, 'change');
  expect(confirmations.answer(token, ME, true)).toEqual({ kind: 'confirmed', change: 'change' });
  expect(confirmations.answer(token, ME, true)).toEqual({ kind: 'used' });
  expect(confirmations.answer(token, ME, false)).toEqual({ kind: 'used' });
});

test('a no ends the question', () => {
  const token = confirmations.ask(ME, 'change');
  expect(confirmations.answer(token, ME, false)).toEqual({ kind: 'declined', change: 'change' });
  expect(confirmations.answer(token, ME, true)).toEqual({ kind: 'used' });
});

test('it counts until the minute is over', () => {
  const [early, late] = [confirmations.ask(ME, 'early'), confirmations.ask(ME, 'late')];
  nowMs += CONFIRM_WITHIN_MS - 1;
  expect(confirmations.answer(early, ME, true).kind).toBe('confirmed');
  nowMs += 1;
  expect(confirmations.answer(late, ME, true)).toEqual({ kind: 'expired' });
  expect(confirmations.answer(early, ME, true)).toEqual({ kind: 'expired' });
});

test('nobody else can answer, and it stays open', () => {
  const token = confirmations.ask(ME, 'change');
  expect(confirmations.answer(token, { ...ME, userId: '3' }, true)).toEqual({ kind: 'not-yours' });
  expect(confirmations.answer(token, { ...ME, chatId: '3' }, false)).toEqual({ kind: 'not-yours' });
  expect(confirmations.answer(token, ME, true).kind).toBe('confirmed');
});

test.each(['', 'x', '__proto__', 'constructor', 'A'.repeat(22)])('%j was never asked', (token) => {
  confirmations.ask(ME, 'change');
  expect(confirmations.answer(token, ME, true)).toEqual({ kind: 'expired' });
});

test('of more than a hundred open questions the oldest give way', () => {
  const tokens = Array.from({ length: 101 }, (_, index) => confirmations.ask(ME, `change ${index}`));
  expect(confirmations.answer(tokens[0] as string, ME, true)).toEqual({ kind: 'expired' });
  expect(confirmations.answer(tokens[1] as string, ME, true).kind).toBe('confirmed');
  expect(confirmations.answer(tokens[100] as string, ME, true).kind).toBe('confirmed');
  expect(new Set(tokens).size).toBe(101);
});
