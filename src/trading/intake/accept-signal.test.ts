// The story at the gates: whatever is wrong with a signal, the earliest gate of the contract answers.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newTrade, START_MS } from '../../../tests/ports/sample-trades.ts';
import { createScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { OvertakenError } from '../../errors/storage-error.ts';
import type { Acceptance, NewTrade } from '../books/journal.ts';
import type { SignalRecord } from '../books/signal-store.ts';
import { ZERO } from '../decimal.ts';
import { acceptSignal, type Candidate, type GateKeepers } from './accept-signal.ts';
import type { RateVerdict, RefusalCode } from './gates.ts';
import type { Restriction } from './restrictions.ts';

/** In the order of the contract. */
const GATES = [
  'AUTHENTICATION_FAILED',
  'KEY_PAUSED',
  'KEY_OUT_OF_SCOPE',
  'ADDRESS_BLOCKED',
  'RATE_LIMITED',
  'UNKNOWN_ACCOUNT',
  'LIVE_NOT_CONFIRMED',
  'KILL_SWITCH_ACTIVE',
  'SYMBOL_PAUSED',
  'LIMIT_RATE',
  'DUPLICATE_SIGNAL',
] as const satisfies readonly RefusalCode[];

const verdict = (allowed: boolean): RateVerdict => ({
  allowed,
  limit: 1,
  remaining: 0,
  retryAfterSeconds: 1,
  resetSeconds: 1,
});

const MAIN = createScriptedVenue();

function candidate(changes: Partial<Candidate> = {}): Candidate {
  const { requestId, order } = newTrade();
  const fresh = { requestId, order, receivedAtMs: START_MS, source: 'webhook', apiKey: 'whk_x', address: '10.0.0.1' };
  return { ...(fresh as Candidate), ...changes };
}

const PAUSED_SYMBOL: Restriction = { kind: 'symbol', name: 'BTCUSDT', limits: {}, pause: { sinceMs: 0 } };
const keyRow = (shut: readonly RefusalCode[]): Restriction => ({
  ...{ kind: 'key', name: 'label', limits: shut.includes('KEY_OUT_OF_SCOPE') ? { venues: ['mexc'] } : {} },
  ...(shut.includes('KEY_PAUSED') && { pause: { sinceMs: 0 } }),
});

/** Keepers at which exactly these gates are shut, and what they were asked to do. */
function keepersWith(shut: readonly RefusalCode[]) {
  const is = (code: RefusalCode): boolean => shut.includes(code);
  const journaled: NewTrade[] = [];
  const records: SignalRecord[] = [];
  const seen = { guesses: 0, tokens: 0, givenBack: 0, recordFailures: 0 };
  const giveBack = (): void => void seen.givenBack++;
  const duplicate: Acceptance = { accepted: false, cause: 'resend', originalRequestId: 'first' };
  const keepers: GateKeepers = {
    authenticate: () => (is('AUTHENTICATION_FAILED') ? undefined : { keyId: 'k', label: 'label' }),
    restrictions: {
      find: () => (is('KEY_PAUSED') || is('KEY_OUT_OF_SCOPE') ? keyRow(shut) : undefined),
      of: () => [is('SYMBOL_PAUSED') ? PAUSED_SYMBOL : { kind: 'symbol', name: 'BTCUSDT', limits: { rate: 1 } }],
    },
    entryRates: {
      take: () => (is('LIMIT_RATE') ? { refused: { code: 'LIMIT_RATE', message: 'too many' } } : { giveBack }),
    },
    nowMs: () => START_MS,
    countWrongKey: () => {
      seen.guesses++;
      return verdict(!is('TOO_MANY_FAILED_AUTHENTICATIONS'));
    },
    isAddressAllowed: () => !is('ADDRESS_BLOCKED'),
    takeFromRate: () => {
      seen.tokens++;
      return verdict(!is('RATE_LIMITED'));
    },
    killSwitch: () => ({ active: is('KILL_SWITCH_ACTIVE'), scope: 'all' }),
    accounts: {
      find: () => (is('UNKNOWN_ACCOUNT') ? undefined : MAIN),
      namesAt: () => ['main'],
      whyOff: () => undefined,
    },
    isLiveConfirmed: () => !is('LIVE_NOT_CONFIRMED'),
    positions: { strategiesIn: () => [] },
    journal: {
      accept: async (trade) => {
        journaled.push(trade);
        return is('DUPLICATE_SIGNAL') ? duplicate : { accepted: true, seqs: [7] };
      },
    },
    signals: { add: async (record) => void records.push(record) },
    idempotencyWindowMs: 1000,
    onRecordFailure: () => void seen.recordFailures++,
  };
  return { keepers, journaled, records, seen };
}

/** The same keepers where what they count is counted elsewhere: their answers take their time. */
const waiting = (keepers: GateKeepers): GateKeepers => ({
  ...keepers,
  countWrongKey: async (address) => keepers.countWrongKey(address),
  takeFromRate: async (keyId) => keepers.takeFromRate(keyId),
  entryRates: { take: async (restrictions) => keepers.entryRates.take(restrictions) },
});

describe('the gates', () => {
  test('answer in the order of the contract, and what they refuse never reaches the journal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...GATES]), fc.boolean(), async (shut, isWaiting) => {
        const { keepers, journaled, records, seen } = keepersWith(shut);
        const signal = candidate();
        const answer = await acceptSignal(signal, isWaiting ? waiting(keepers) : keepers);
        const earliest = GATES.find((gate) => shut.includes(gate));
        expect('refused' in answer ? answer.refused.code : undefined).toBe(earliest);

        const reached = earliest === undefined || earliest === 'DUPLICATE_SIGNAL';
        expect(journaled).toHaveLength(reached ? 1 : 0);
        const index = earliest === undefined ? GATES.length : GATES.indexOf(earliest);
        // A token is only taken from those who got as far as the rate gate; a guess only counts for a wrong key.
        expect(seen.tokens).toBe(index >= GATES.indexOf('RATE_LIMITED') ? 1 : 0);
        expect(seen.guesses).toBe(earliest === 'AUTHENTICATION_FAILED' ? 1 : 0);
        expect(seen.givenBack).toBe(earliest === 'DUPLICATE_SIGNAL' ? 1 : 0);
        // With a good key every refusal is on record; the journal records its own duplicates.
        const recorded = index >= GATES.indexOf('KEY_PAUSED') && index < GATES.indexOf('DUPLICATE_SIGNAL');
        expect(records.map(({ decision }) => decision)).toEqual(recorded ? [earliest] : []);
        expect(records.every(({ signalId }) => signalId === signal.requestId)).toBe(true);
      }),
    );
  });

  test('hand a signal to the journal in the turn in which it came, where none of them has to wait', () => {
    const { keepers, journaled } = keepersWith([]);
    void acceptSignal(candidate(), keepers);
    expect(journaled).toHaveLength(1);
  });

  test('behind one that has to wait look at what is so then', async () => {
    const { keepers, journaled } = keepersWith([]);
    let active = false;
    const asked = acceptSignal(candidate(), {
      ...waiting(keepers),
      killSwitch: () => ({ active, scope: 'all' }),
    });
    active = true;
    expect(await asked).toMatchObject({ refused: { code: 'KILL_SWITCH_ACTIVE' } });
    expect(journaled).toEqual([]);
  });

  test('hear a good key from an address that sent too many wrong ones', async () => {
    const answer = await acceptSignal(candidate(), keepersWith(['TOO_MANY_FAILED_AUTHENTICATIONS']).keepers);
    expect('accepted' in answer).toBe(true);
    const wrong = keepersWith(['TOO_MANY_FAILED_AUTHENTICATIONS', 'AUTHENTICATION_FAILED']);
    const refused = await acceptSignal(candidate(), wrong.keepers);
    expect('refused' in refused && refused.refused.code).toBe('TOO_MANY_FAILED_AUTHENTICATIONS');
    expect([wrong.seen.guesses, wrong.journaled, wrong.records]).toEqual([1, [], []]);
  });

  test('tell who sent a refused signal once that is known', async () => {
    for (const gate of GATES) {
      const answer = await acceptSignal(candidate(), keepersWith([gate]).keepers);
      const known = GATES.indexOf(gate) >= GATES.indexOf('KEY_PAUSED');
      expect('refused' in answer && answer.sender?.label).toBe(known ? 'label' : undefined);
    }
  });

  test('let a signal through as an accepted trade with its number', async () => {
    const { keepers, journaled } = keepersWith([]);
    const signal = candidate({ bodyDigest: new Uint8Array([1]) });
    const answer = await acceptSignal(signal, keepers);
    const { apiKey: _, address: __, ...kept } = signal;
    const trade = { ...kept, keyLabel: 'label', mode: 'paper', account: 'main' };
    expect(journaled).toEqual([trade]);
    expect(answer).toEqual({ accepted: { ...trade, seq: 7, state: 'accepted', executedQuantity: ZERO }, further: [] });
  });

  test('hand no key on to the journal', async () => {
    const { keepers, journaled } = keepersWith([]);
    await acceptSignal(candidate({ apiKey: 'whk_secret' }), keepers);
    expect(Object.values(journaled[0] ?? {})).not.toContain('whk_secret');
  });

  test('refuse also when the refusal cannot be recorded, and somebody is told', async () => {
    const { keepers, seen } = keepersWith(['RATE_LIMITED']);
    const failing = { ...keepers, signals: { add: () => Promise.reject(new Error('disk full')) } };
    const answer = await acceptSignal(candidate(), failing);
    expect('refused' in answer && answer.refused.code).toBe('RATE_LIMITED');
    expect(seen.recordFailures).toBe(1);
  });

  test('tell of nothing as taken that comes to nothing in this moment: its sender sends it again', async () => {
    const { keepers, seen } = keepersWith(['DUPLICATE_SIGNAL']);
    const told: string[] = [];
    const noteTold = (isTaken: boolean) => async (requestId: string) => {
      told.push(requestId);
      return isTaken;
    };
    const taken = await acceptSignal(candidate(), { ...keepers, noteTold: noteTold(true) });
    expect('refused' in taken && taken.refused.code).toBe('DUPLICATE_SIGNAL');
    const refused = acceptSignal(candidate(), { ...keepers, noteTold: noteTold(false) });
    await expect(refused).rejects.toThrow(OvertakenError);
    await expect(refused).rejects.toThrow('send it again');
    expect([seen.givenBack, new Set(told).size, told.length]).toEqual([2, 1, 2]);
  });

  test('let nothing through that the journal could not store', async () => {
    const { keepers, seen } = keepersWith([]);
    const failing = { ...keepers, journal: { accept: () => Promise.reject(new Error('disk full')) } };
    await expect(acceptSignal(candidate(), failing)).rejects.toThrow('disk full');
    expect(seen.givenBack).toBe(1);
  });
});
