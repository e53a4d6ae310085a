// What to do about a refusal, by whose rule it was.

import { expect, test } from 'vitest';
import { killSwitchGate } from '../../../src/trading/intake/gates.ts';
import { LIMIT_CODES, pauseRefusal } from '../../../src/trading/intake/limit-rules.ts';
import { remedyOf } from './remedies.ts';

const THROWN = { active: true, scope: 'all', reason: 'of key "other"' } as const;

test('a switch over everything is lifted above, that of one where it stands', () => {
  const all = killSwitchGate(THROWN, 'LONG')?.message ?? '';
  expect(remedyOf('KILL_SWITCH_ACTIVE', all)?.words).toContain('Lift the kill switch above');
  expect(remedyOf('KILL_SWITCH_ACTIVE', all)?.link).toBeUndefined();
  for (const scope of ['all', 'entries'] as const) {
    const subject = { kind: 'key', name: 'say "scalper"' } as const;
    const one = killSwitchGate({ ...THROWN, scope }, 'LONG', subject)?.message ?? '';
    const remedy = remedyOf('KILL_SWITCH_ACTIVE', one);
    expect(remedy?.words).not.toContain('above');
    expect(remedy?.link).toEqual({
      ...{ href: '#/limits/key/say%20%22scalper%22', words: 'Lift the switch of key say "scalper"' },
    });
  }
});

test('a pause and a limit lead to whose they are', () => {
  const paused = pauseRefusal({ kind: 'symbol', name: 'BTCUSDT', limits: {}, pause: { sinceMs: 1 } });
  expect(remedyOf(paused?.code ?? '', paused?.message ?? '')?.link?.href).toBe('#/limits/symbol/BTCUSDT');
  const limited = 'largestOrder of strategy "ema": an order may be worth 1000 USDT; nothing was sent';
  expect(remedyOf('LIMIT_LARGEST_ORDER', limited)?.link?.href).toBe('#/limits/strategy/ema');
});

test('where nobody can tell whose it is, the way leads to all of them', () => {
  for (const code of ['KILL_SWITCH_ACTIVE', ...LIMIT_CODES])
    expect(remedyOf(code, 'in words of another release')?.link?.href).toBe('#/limits');
});
