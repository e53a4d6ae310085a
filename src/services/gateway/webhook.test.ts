// The webhook's door when storage fails: the sender learns what is wrong, not where the owner keeps his files.

import { describe, expect, test } from 'vitest';
import { createScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { Accounts } from '../../trading/accounts.ts';
import type { Acceptance } from '../../trading/books/journal.ts';
import type { GateKeepers } from '../../trading/intake/accept-signal.ts';
import { answerSignal } from './webhook.ts';

const OPEN = { allowed: true, limit: 0, remaining: 0, retryAfterSeconds: 0, resetSeconds: 0 };
const FULL = new StorageError('the disk that holds /home/owner/data/signalbox.db is full; free some space');
const SIGNAL = { apiKey: 'whk', exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 1 };

async function send(parts: { accept: () => Promise<Acceptance>; dispatch: () => Promise<never> }) {
  const faults: unknown[] = [];
  const remembered: string[] = [];
  const keepers: GateKeepers = {
    authenticate: () => ({ keyId: 'k', label: 'default' }),
    countWrongKey: () => OPEN,
    isAddressAllowed: () => true,
    isLiveConfirmed: () => true,
    takeFromRate: () => OPEN,
    killSwitch: () => ({ active: false, scope: 'all' }),
    accounts: new Accounts([createScriptedVenue()]),
    positions: { strategiesIn: () => [] },
    journal: { accept: parts.accept },
    signals: { add: async () => undefined },
    restrictions: { find: () => undefined, of: () => [] },
    entryRates: { take: () => ({ giveBack: () => {} }) },
    nowMs: () => 0,
    idempotencyWindowMs: 1000,
    onRecordFailure: () => undefined,
  };
  const answerCall = answerSignal(
    {
      keepers,
      dispatcher: { dispatch: parts.dispatch },
      resends: { remember: async (_, requestId) => void remembered.push(requestId) },
      queueMode: () => 'direct',
      nowMs: () => 0,
      count: () => undefined,
      onFault: (error) => void faults.push(error),
    },
    '/webhook',
  );
  const body = Buffer.from(JSON.stringify(SIGNAL));
  const answer = await answerCall({ requestId: 'r1', body, clientAddress: '127.0.0.1', headers: () => undefined });
  return { answer, faults, remembered };
}

const neverDispatched = () => Promise.reject(new Error('dispatched without a row'));

describe('a storage that fails', () => {
  test('at the acceptance is answered with the file and the remedy, without its folder', async () => {
    const { answer, faults, remembered } = await send({
      accept: () => Promise.reject(FULL),
      dispatch: neverDispatched,
    });
    expect(answer).toMatchObject({
      status: 500,
      body: {
        code: 'STORAGE_FAILED',
        error: 'the signal was not accepted: the disk that holds signalbox.db is full; free some space',
      },
    });
    expect(faults).toEqual([FULL]);
    // A platform that sends it again is welcome.
    expect(remembered).toEqual([]);
  });

  test('in the moment of the commit is not called accepted and not called refused', async () => {
    const { answer, remembered } = await send({
      accept: () => Promise.reject(new UnknownOutcomeError('the disk failed while writing /home/owner/signalbox.db')),
      dispatch: neverDispatched,
    });
    expect(answer).toMatchObject({
      status: 500,
      body: {
        code: 'STORAGE_UNKNOWN',
        error: expect.stringMatching(/not known whether .* writing signalbox.db; GET \/trades\/r1 tells it/),
      },
    });
    expect(remembered).toEqual(['r1']);
  });

  test('after the acceptance is not called a signal that was not accepted', async () => {
    const { answer, faults } = await send({
      accept: async () => ({ accepted: true, seqs: [1] }),
      dispatch: () => Promise.reject(FULL),
    });
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(JSON.stringify(answer.body)).not.toMatch(/not accepted|owner/);
    expect(faults).toEqual([FULL]);
  });
});
