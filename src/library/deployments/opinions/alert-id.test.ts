// The names of alerts: what both sides make of one fill, how long they may be, and which of them may be meant for each other.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertIdOf, barTimeIn, idTemplate, isNear, spelled, timeText } from './alert-id.ts';

const HOUR_MS = 3_600_000;
const AT_MS = Date.UTC(2026, 0, 5, 12);
const fill = (id: string) => ({ id, action: 'buy', after: 2 }) as const;

describe('the name of an alert', () => {
  test('is what TradingView makes of the template', () => {
    const rendered = idTemplate('mine')
      .replace('{{strategy.order.id}}', 'Long entry')
      .replace('{{strategy.order.action}}', 'buy')
      .replace('{{strategy.market_position}}', 'long')
      .replace('{{time}}', '2026-01-05T12:00:00Z');
    expect(alertIdOf(fill('Long entry'), AT_MS, 'mine')).toBe(rendered);
    expect(alertIdOf({ id: 'X', action: 'sell', after: 0 }, AT_MS, 'mine')).toBe(
      'mine/X/sell/flat/2026-01-05T12:00:00Z',
    );
    expect(alertIdOf({ id: 'S', action: 'sell', after: -1 }, AT_MS, 'mine')).toBe(
      'mine/S/sell/short/2026-01-05T12:00:00Z',
    );
  });

  test('is 128 characters long at most', () => {
    const rest = 'mine//buy/long/2026-01-05T12:00:00Z'.length;
    expect(alertIdOf(fill('x'.repeat(128 - rest)), AT_MS, 'mine')).toHaveLength(128);
    expect(alertIdOf(fill('x'.repeat(129 - rest)), AT_MS, 'mine')).toBeUndefined();
  });

  test('is the same however many blanks an order id has, and however its letters are composed', () => {
    expect(spelled('  a \u00a0 b ')).toBe('a b');
    expect(alertIdOf(fill('e\u0301  x'), AT_MS, 'm')).toBe(alertIdOf(fill('\u00e9 x'), AT_MS, 'm'));
  });

  test('tells its bar where it ends with a time', () => {
    expect(barTimeIn(`up-${timeText(AT_MS)}`)).toBe(AT_MS);
    expect(barTimeIn(timeText(AT_MS))).toBe(AT_MS);
    for (const other of ['up', '', `${timeText(AT_MS)}x`, '12026-01-05T12:00:00Z', 'up-2026-13-05T12:00:00Z'])
      expect(barTimeIn(other)).toBeNull();
  });
});

describe('two names', () => {
  const base = 'mine/L/buy/long/2026-01-05T12:00:00Z';

  test.each([
    ['another order id', 'mine/Long/buy/long/2026-01-05T12:00:00Z', true],
    ['another order id with a slash', 'mine/L/1/buy/long/2026-01-05T12:00:00Z', true],
    ['another action', 'mine/L/sell/long/2026-01-05T12:00:00Z', true],
    ['another position', 'mine/L/buy/flat/2026-01-05T12:00:00Z', true],
    ['the bar after', 'mine/L/buy/long/2026-01-05T13:00:00Z', true],
    ['a bar further away', 'mine/L/buy/long/2026-01-05T14:00:00Z', false],
    ['another order id and another bar', 'mine/Long/buy/long/2026-01-05T13:00:00Z', false],
    ['another order id and another side', 'mine/X/sell/flat/2026-01-05T12:00:00Z', false],
    ['the name of another deployment', 'yours/L/buy/long/2026-01-05T12:00:00Z', false],
    ['nothing', base, false],
    ['another form', 'mine', false],
  ])('that differ in %s are near: %s %s', (_, other, near) => {
    expect(isNear(base, other, HOUR_MS)).toBe(near);
    expect(isNear(other, base, HOUR_MS)).toBe(near);
  });

  test('are the same for the same fill only', () => {
    const made = fc.record({
      id: fc.constantFrom('L', 'S', 'L/buy'),
      action: fc.constantFrom('buy' as const, 'sell' as const),
      after: fc.constantFrom(-1, 0, 1, 2),
      bar: fc.nat(3),
    });
    fc.assert(
      fc.property(made, made, (a, b) => {
        const nameOf = (each: typeof a) => alertIdOf(each, AT_MS + each.bar * HOUR_MS, 'm');
        const isSame = a.id === b.id && a.action === b.action && a.bar === b.bar;
        expect(nameOf(a) === nameOf(b)).toBe(isSame && Math.sign(a.after) === Math.sign(b.after));
      }),
    );
  });
});
