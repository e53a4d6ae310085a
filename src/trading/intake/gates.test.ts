// Every gate on its own: whom it lets through, whom it stops, and whether the message says what to do.

import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../signal.ts';
import type { KillSwitch } from './controls.ts';
import { addressGate, duplicateGate, killSwitchGate, type RateVerdict, rateGate, wrongKey } from './gates.ts';

const verdict = (allowed: boolean): RateVerdict => ({
  allowed,
  limit: 120,
  remaining: 0,
  retryAfterSeconds: 7,
  resetSeconds: 60,
});

describe('a wrong key', () => {
  test('is told the remedy while its address has guesses left', () => {
    expect(wrongKey(verdict(true)).code).toBe('AUTHENTICATION_FAILED');
    expect(wrongKey(verdict(true)).message).toMatch(/copy a valid webhook key/);
  });
  test('is told how long to wait when it has none', () => {
    const refusal = wrongKey(verdict(false));
    expect(refusal).toMatchObject({ code: 'TOO_MANY_FAILED_AUTHENTICATIONS', rate: verdict(false) });
    expect(refusal.message).toMatch(/wait 7 s and check apiKey/);
  });
});

describe('the address gate', () => {
  test('asks for the address and obeys', () => {
    const asked: string[] = [];
    const allow = (answer: boolean) => (address: string) => {
      asked.push(address);
      return answer;
    };
    expect(addressGate('10.0.0.1', allow(true))).toBeUndefined();
    expect(addressGate('10.0.0.2', allow(false))).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    expect(addressGate('10.0.0.2', allow(false))?.message).toMatch(/10\.0\.0\.2 are blocked; add it to the allowlist/);
    expect(asked).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.2']);
  });
});

describe('the rate gate', () => {
  test('lets a signal through that has a token', () => expect(rateGate(verdict(true))).toBeUndefined());
  test('stops one that has none, with limit and wait', () => {
    expect(rateGate(verdict(false))).toMatchObject({ code: 'RATE_LIMITED', rate: verdict(false) });
    expect(rateGate(verdict(false))?.message).toBe('this key may send 120 signals a minute; try again in 7 s');
    expect(rateGate({ ...verdict(false), limit: 1 })?.message).toMatch(/^this key may send 1 signal a minute; /);
  });
});

describe('the kill switch gate', () => {
  const stopped = (killSwitch: KillSwitch) => ACTIONS.filter((action) => killSwitchGate(killSwitch, action));

  test('stops nothing while it is off, whatever its scope', () => {
    expect(stopped({ active: false, scope: 'all' })).toEqual([]);
    expect(stopped({ active: false, scope: 'entries' })).toEqual([]);
  });
  test('stops everything with the scope all', () => {
    expect(stopped({ active: true, scope: 'all' })).toEqual([...ACTIONS]);
  });
  test('lets positions be closed with the scope entries', () => {
    expect(stopped({ active: true, scope: 'entries' })).toEqual(['LONG', 'SHORT']);
  });
  test('says what is disabled, why, and how to go on', () => {
    const message = (killSwitch: KillSwitch) => killSwitchGate(killSwitch, 'LONG')?.message;
    expect(message({ active: true, scope: 'all', reason: 'drawdown' })).toBe(
      'trading is disabled by the kill switch (drawdown); switch it off to trade again ("signalbox kill-switch off")',
    );
    expect(message({ active: true, scope: 'entries' })).toMatch(/^new positions are disabled by the kill switch; /);
    expect(killSwitchGate({ active: true, scope: 'all' }, 'LONG')?.code).toBe('KILL_SWITCH_ACTIVE');
  });
});

describe('the duplicate gate', () => {
  test('lets what was accepted through', () => expect(duplicateGate({ accepted: true, seqs: [1] })).toBeUndefined());
  test.each([
    ['idempotency-key', /idempotencyKey was already accepted as original; use a new key/],
    [
      'resend',
      /arrived moments ago as original, .* was, or may have been, a server error.*wait 20 s or add an idempotencyKey/,
    ],
  ] as const)('tells a duplicate by %s which signal was first', (cause, words) => {
    const refusal = duplicateGate({ accepted: false, cause, originalRequestId: 'original' });
    expect(refusal).toMatchObject({ code: 'DUPLICATE_SIGNAL', originalRequestId: 'original' });
    expect(refusal?.message).toMatch(words);
  });
});
