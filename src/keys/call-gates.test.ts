// The gates alone: what they believe, and that nothing is held once nothing is under way.

import { expect, test } from 'vitest';
import { createCallGates } from './call-gates.ts';

test('a gate stands only while something of its key is under way', () => {
  const gates = createCallGates();
  const [one, two, other] = [gates.enter('a'), gates.enter('a'), gates.enter('b')];
  expect(gates.size).toBe(2);
  one.leave();
  other.leave();
  expect(gates.size).toBe(1);
  two.leave();
  expect(gates.size).toBe(0);
});

test('the record is believed by a new gate only; afterwards the gate knows better', () => {
  const gates = createCallGates();
  const one = gates.enter('a');
  expect(one.admit(8, 0, 10)).toBe(true);
  one.settle(true, 0);
  const two = gates.enter('a');
  expect(two.admit(0, 0, 10)).toBe(true);
  expect(gates.enter('a').admit(0, 0, 10)).toBe(false);
});

test('a gate opened anew starts from the record again', () => {
  const gates = createCallGates();
  const one = gates.enter('a');
  expect(one.admit(9, 0, 10)).toBe(true);
  one.settle(true, 0);
  one.leave();
  expect(gates.enter('a').admit(0, 0, 10)).toBe(true);
});

test('what another process counted is learnt from the store, and a count that failed is taken back', () => {
  const gates = createCallGates();
  const one = gates.enter('a');
  expect(one.admit(1, 0, 10)).toBe(true);
  one.settle(true, 0);
  one.learn(10, 0);
  expect(gates.enter('a').admit(0, 0, 10)).toBe(false);
  one.takeBack(0);
  expect(gates.enter('a').admit(0, 0, 10)).toBe(true);
});

test('a new period starts with no calls but keeps those in flight; an earlier one starts nothing', () => {
  const gates = createCallGates();
  const [one, two, three] = [gates.enter('a'), gates.enter('a'), gates.enter('a')];
  expect(one.admit(1, 100, 2)).toBe(true);
  expect(two.admit(1, 100, 2)).toBe(false);
  expect(two.admit(1, 50, 2)).toBe(false);
  expect(two.admit(1, 200, 2)).toBe(true);
  expect(three.admit(1, 200, 2)).toBe(false);
  one.learn(2, 100);
  one.takeBack(100);
  one.settle(false, 200);
  expect(three.admit(1, 200, 2)).toBe(true);
});
