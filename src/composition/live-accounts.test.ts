// Opening testnet and live accounts: the right credentials for each, all of them or none, and no key that may withdraw.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../../tests/support/scripted-venue.ts';
import { Sealer } from '../keys/sealed-text.ts';
import { type StoredAccount, StoredAccounts } from '../keys/stored-accounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { decimal } from '../trading/decimal.ts';
import type { KeyPermissions } from '../trading/key-permissions.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { type OrderRequest, type Venue, VenueError } from '../trading/venue.ts';
import { type LiveAccountOptions, type OpenLiveAccount, openLiveAccount, openLiveAccounts } from './live-accounts.ts';

const FROM_ENVIRONMENT = { apiKey: 'key-of-the-environment', secret: 'secret-of-the-environment' };
const FROM_STORE = { apiKey: 'key-of-the-store', secret: 'secret-of-the-store' };
const MAIN: RealAccount = { exchange: 'binance', account: 'main', mode: 'live', credentialsFrom: 'environment' };
const SCALP: RealAccount = { exchange: 'binance', account: 'scalp', mode: 'testnet', credentialsFrom: 'stored' };
const PAPER = { mode: 'paper', hasOwnMode: false, credentials: undefined, baseUrl: undefined } as const;
const ENTRY: OrderRequest = {
  ...{ clientOrderId: 'sbx1', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG', quantity: decimal('1') },
  reduceOnly: false,
};
const EXIT = { ...ENTRY, clientOrderId: 'sbx2', side: 'SELL', reduceOnly: true } as const;
const REFUSED = new VenueError('rejected', 'Invalid API-key');
const GOOD: KeyPermissions = { canWithdraw: false, canTransfer: false, canTrade: true, ipLocked: true };

async function world({
  permissions = GOOD,
  allowWithdrawalKeys = false,
  positionMode = 'one-way' as 'one-way' | 'hedge',
  fault = undefined as Error | undefined,
} = {}) {
  const rows: StoredAccount[] = [];
  const stored = new StoredAccounts({
    store: { list: () => rows, insert: async (account) => void rows.push(account), remove: async () => {} },
    sealer: async () => new Sealer({ masterKey: 'a master key of a test', randomBytes }),
    nowMs: () => 1,
    actor: 'test',
  });
  const { exchange, account, mode } = SCALP;
  await stored.add({ exchange, account, mode, positionMode: 'one-way' }, FROM_STORE);
  const asked: LiveAccountOptions[] = [];
  const closed: string[] = [];
  const advice: string[] = [];
  const alarms = createRaisedAlarms({ nowMs: () => 1, log: { warn: () => {}, info: () => {} } });
  const timers = manualTimers();
  /** What is so at the venue now, which is not always what was last read. */
  const state = { fault, positionMode, silence: undefined as Promise<void> | undefined };
  const open: OpenLiveAccount = async (options) => {
    asked.push(options);
    const close = async () => void closed.push(options.account.account);
    const modes = { positionMode: async () => positionMode, readPositionMode: async () => state.positionMode };
    const venue = { ...createScriptedVenue(), ...modes, close };
    const told = async () => {
      await state.silence;
      if (state.fault !== undefined) throw state.fault;
      return permissions;
    };
    return { venue, clockOffsetMs: async () => 12, permissions: told, tryStream: async () => {} };
  };
  const adapters = { binance: open, bybit: open, mexc: open };
  const binance = {
    mode: 'live',
    hasOwnMode: true,
    credentials: FROM_ENVIRONMENT,
    baseUrl: 'http://127.0.0.1:1',
  } as const;
  const config = { venues: { binance, bybit: PAPER, mexc: PAPER }, allowWithdrawalKeys };
  const onAdvice = (text: string) => void advice.push(text);
  return {
    parts: { config, stored, adapters, alarms, timers, onAdvice },
    asked,
    closed,
    advice,
    alarms,
    timers,
    state,
  };
}

describe('testnet and live accounts', () => {
  it('are opened each with its own credentials, at the address that is set', async () => {
    const { parts, asked, closed, advice } = await world();
    const venues = await openLiveAccounts({ ...parts, accounts: [MAIN, SCALP] });
    expect(venues).toHaveLength(2);
    const baseUrl = 'http://127.0.0.1:1';
    expect(asked).toEqual([
      { account: MAIN, credentials: FROM_ENVIRONMENT, baseUrl },
      { account: SCALP, credentials: FROM_STORE, baseUrl },
    ]);
    expect([closed, advice]).toEqual([[], []]);
  });

  it('are not opened with a key that may withdraw, and none stays open', async () => {
    const { parts, closed } = await world({ permissions: { ...GOOD, canWithdraw: true } });
    await expect(openLiveAccounts({ ...parts, accounts: [MAIN, SCALP] })).rejects.toThrow(
      'the key of binance:main may withdraw',
    );
    expect(closed.sort()).toEqual(['main', 'scalp']);
  });

  it('are opened with it where ALLOW_WITHDRAWAL_KEYS says so, and the owner is told', async () => {
    const { parts, advice } = await world({ permissions: { ...GOOD, canWithdraw: true }, allowWithdrawalKeys: true });
    await openLiveAccounts({ ...parts, accounts: [MAIN] });
    expect(advice).toEqual(['the key of binance:main may withdraw (ALLOW_WITHDRAWAL_KEYS is yes)']);
  });

  it('are shut in another position mode than they are to have, and the others trade', async () => {
    const { parts, closed, alarms } = await world({ positionMode: 'hedge' });
    const [main, scalp] = await openLiveAccounts({ ...parts, accounts: [MAIN, SCALP] });
    expect(await main?.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
    const words = 'binance:scalp is to be one-way and is hedge at the venue; change it there while nothing is held';
    await expect(scalp?.placeOrder(ENTRY)).rejects.toThrow(words);
    expect(alarms.current()).toMatchObject([{ text: expect.stringContaining(words) }]);
    expect(closed).toEqual([]);
  });

  it('are traded once their position mode is the one they are to have', async () => {
    const { parts, alarms, timers, state } = await world({ positionMode: 'hedge' });
    const [scalp] = await openLiveAccounts({ ...parts, accounts: [SCALP] });
    state.positionMode = 'one-way';
    timers.goOff();
    await expect.poll(() => alarms.current()).toEqual([]);
    expect(await scalp?.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
  });

  it('are shut while their position mode is another one than they were opened with; closes pass', async () => {
    const { parts, alarms, state } = await world();
    const [main] = await openLiveAccounts({ ...parts, accounts: [MAIN] });
    expect(await main?.readPositionMode?.()).toBe('one-way');
    state.positionMode = 'hedge';
    expect(await main?.readPositionMode?.()).toBe('hedge');
    const words = 'binance:main is shut: it was one-way when it was opened and is hedge at the venue now';
    await expect(main?.placeOrder(ENTRY)).rejects.toMatchObject({
      ...{ failure: 'rejected', message: expect.stringContaining(words) },
    });
    expect(alarms.current()).toMatchObject([{ text: expect.stringContaining(words) }]);
    expect(await main?.placeOrder(EXIT)).toMatchObject({ status: 'filled' });
    state.positionMode = 'one-way';
    await main?.readPositionMode?.();
    expect(alarms.current()).toEqual([]);
    expect(await main?.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
  });

  it('never get the credentials of another account, where theirs were removed meanwhile', async () => {
    const { parts, asked } = await world();
    await expect(openLiveAccount({ ...SCALP, account: 'gone' }, parts)).rejects.toThrow(
      'the credentials of binance:gone were removed meanwhile',
    );
    expect(asked).toEqual([]);
  });
});

describe('an account whose venue is away at the start', () => {
  const AWAY = new VenueError('not-sent', 'Binance cannot be reached');

  async function openAway(permissions = GOOD) {
    const all = await world({ fault: AWAY, permissions });
    const [venue] = await openLiveAccounts({ ...all.parts, accounts: [MAIN] });
    return { ...all, venue: venue as Venue };
  }

  it('is opened, and an alarm stands; nothing is opened on it, and what it holds can be closed', async () => {
    const { venue, alarms } = await openAway();
    expect(alarms.current()).toMatchObject([
      {
        text: 'The live account binance:main cannot be reached: Binance cannot be reached. Nothing is opened on it until its venue answers',
      },
    ]);
    await expect(venue.placeOrder(ENTRY)).rejects.toMatchObject({ failure: 'not-sent' });
    expect(await venue.placeOrder(EXIT)).toMatchObject({ status: 'filled' });
    // The share of a strategy against those of others: it does not only reduce, and is closed all the same.
    const share = { ...EXIT, clientOrderId: 'sbx3', reduceOnly: false, closesShare: true };
    expect(await venue.placeOrder(share)).toMatchObject({ status: 'filled' });
  });

  it.each(['not-sent', 'unknown'] as const)(
    'counts as away where the question ends with %s, and no order left',
    async (failure) => {
      const all = await world({ fault: new VenueError(failure, 'no answer') });
      const [venue] = await openLiveAccounts({ ...all.parts, accounts: [MAIN] });
      await expect(venue?.placeOrder(ENTRY)).rejects.toMatchObject({ failure: 'not-sent' });
    },
  );

  it('is traded as soon as the venue answers, whoever asked, and its alarm is over', async () => {
    const { venue, alarms, timers, state } = await openAway();
    state.fault = undefined as never;
    timers.goOff();
    await expect.poll(() => alarms.current()).toEqual([]);
    state.fault = AWAY;
    expect(await venue.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
    const other = await openAway();
    other.state.fault = undefined as never;
    expect(await other.venue.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
    expect(other.alarms.current()).toEqual([]);
  });

  it('is not traded where its key turns out to be one that may withdraw', async () => {
    const { venue, alarms, state } = await openAway({ ...GOOD, canWithdraw: true });
    state.fault = undefined as never;
    await expect(venue.placeOrder(ENTRY)).rejects.toMatchObject({ failure: 'rejected' });
    await expect(venue.placeOrder(ENTRY)).rejects.toThrow('the key of binance:main may withdraw');
    expect(alarms.current()[0]?.text).toContain('Nothing is opened until the next start: the key of binance:main may');
    expect(await venue.placeOrder(EXIT)).toMatchObject({ status: 'filled' });
  });

  it('is not waited for where it takes the question and does not answer, and is traded when it does', async () => {
    const { parts, alarms, timers, state } = await world();
    const silence = Promise.withResolvers<void>();
    state.silence = silence.promise;
    const opening = openLiveAccounts({ ...parts, accounts: [MAIN] });
    await expect.poll(() => timers.waiting()).toBe(1);
    timers.goOff();
    const [venue] = await opening;
    expect(alarms.current()[0]?.text).toMatch(
      /binance:main cannot be reached: no answer within \d s\. Nothing is opened/,
    );
    const entry = venue?.placeOrder(ENTRY);
    silence.resolve();
    expect(await entry).toMatchObject({ status: 'filled' });
    expect([alarms.current(), timers.waiting()]).toEqual([[], 0]);
  });

  it('asks no more once it is closed', async () => {
    const { venue, timers, closed } = await openAway();
    await venue.close();
    expect([closed, timers.waiting()]).toEqual([['main'], 0]);
  });

  it('is told anew where the venue is back and refuses the key', async () => {
    const { alarms, timers, state } = await openAway();
    const told: string[] = [];
    alarms.sendTo((_, text) => void told.push(text));
    state.fault = REFUSED;
    timers.goOff();
    await expect.poll(() => told).toEqual([expect.stringContaining('The live account binance:main is shut: Invalid')]);
  });
});

describe('an account whose key the venue refuses', () => {
  it('is shut with the reason and an alarm; what it holds is tried to close, and it is traded once the key is taken', async () => {
    const { parts, alarms, timers, state } = await world({ fault: REFUSED });
    const [venue] = await openLiveAccounts({ ...parts, accounts: [MAIN] });
    expect(alarms.current()).toMatchObject([
      {
        text: expect.stringMatching(
          /^The live account binance:main is shut: Invalid API-key.*another key and a restart/,
        ),
      },
    ]);
    await expect(venue?.placeOrder(ENTRY)).rejects.toMatchObject({
      ...{ failure: 'rejected', message: 'binance:main is shut: Invalid API-key' },
    });
    expect(await venue?.placeOrder(EXIT)).toMatchObject({ status: 'filled' });
    state.fault = undefined;
    timers.goOff();
    await expect.poll(() => alarms.current()).toEqual([]);
    expect(await venue?.placeOrder(ENTRY)).toMatchObject({ status: 'filled' });
    expect(timers.waiting()).toBe(0);
  });
});

/** Timers that go off when the test says so. */
function manualTimers() {
  const works = new Set<() => void>();
  return {
    after(_: number, work: () => void) {
      works.add(work);
      return () => void works.delete(work);
    },
    goOff() {
      for (const work of [...works]) {
        works.delete(work);
        work();
      }
    },
    waiting: () => works.size,
  };
}
