// Every field and rule of /wallet through the front door, over a chain in memory.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createGuessLimit } from '../../src/http/guess-limit.ts';
import { GATEWAY_ERRORS } from '../../src/services/gateway/index.ts';
import { WALLET_DOCS } from '../../src/services/gateway/wallet-docs.ts';
import { checksumAddress } from '../../src/wallet/address.ts';
import { FRIEND, TOKEN, WALLET } from '../../src/wallet/testing/fake-chain.ts';
import type { Sent } from '../support/gateway.ts';
import { expectFaults, expectRefusal, KEY_1, KEY_2 } from '../webhook/answers.ts';
import { expectPending, GOOD, READS, WRITES } from './answers.ts';
import { openWalletGateway, WALLET_TOKEN, type WalletGateway, WITH_TOKEN } from './open-wallet-gateway.ts';

let gateway: WalletGateway;
beforeAll(async () => {
  gateway = await openWalletGateway();
});

describe('/wallet', () => {
  it('answers the eight operations of the contract and no others', async () => {
    for (const name of [...READS, ...WRITES])
      expect([name, (await gateway.ask(name, GOOD[name])).status]).toEqual([name, 200]);
    for (const name of ['mint', 'SWAP', 'swap/now', '', '%73wap%00'])
      expectRefusal(await gateway.ask(name), 'NOT_FOUND');
    expect(
      Object.values(WALLET_DOCS)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...READS, ...WRITES].map((name) => `/wallet/${name}`).sort());
  });

  it('takes POST alone, and the owner alone', async () => {
    const get = await gateway.request('GET', '/wallet/status');
    expectRefusal(get, 'METHOD_NOT_ALLOWED');
    expect(get.headers.get('allow')).toBe('POST');
    expectRefusal(
      await gateway.request('POST', '/wallet/status', { chain: 'ethereum' }, { peer: '198.51.100.1' }),
      'UNAUTHORIZED',
    );
    expectRefusal(await gateway.request('POST', '/wallet/none', {}, { peer: '198.51.100.1' }), 'UNAUTHORIZED');
  });

  it.each([...READS, ...WRITES])('%s needs a chain, one of the three', async (name) => {
    expectFaults(await gateway.ask(name, { ...GOOD[name], chain: undefined }), 'chain');
    expectFaults(await gateway.ask(name, { ...GOOD[name], chain: 'bitcoin' }), 'chain');
    expectFaults(await gateway.ask(name, { ...GOOD[name], chain: 1 }), 'chain');
  });

  it.each([...READS, ...WRITES])('%s of a chain without endpoints names the setting', async (name) => {
    const sent = await gateway.ask(name, { ...GOOD[name], chain: 'polygon' });
    if (name === 'transactions') expect(sent.body.result).toEqual([]);
    else {
      expectRefusal(sent, 'CHAIN_NOT_CONFIGURED');
      expect(sent.body.error).toContain('RPC_POLYGON');
    }
  });

  it.each(WRITES)('%s refuses fields it does not know', async (name) => {
    const sent = await gateway.ask(name, { ...GOOD[name], gaslimit: 21_000 });
    expectFaults(sent, 'body');
    expect(sent.body.error).toContain('gaslimit');
  });

  it('refuses what is no object', async () => {
    const post = (body: string) => gateway.request('POST', '/wallet/send', body, { headers: WITH_TOKEN });
    for (const body of ['[]', '"x"', 'null', '1']) expect((await post(body)).body.code).toBe('INVALID_PAYLOAD');
    expectRefusal(await post('{'), 'INVALID_JSON');
    expectRefusal(await post(' '.repeat(1_048_577)), 'PAYLOAD_TOO_LARGE');
  });
});

describe('the wallet’s own token', () => {
  const withToken = (token: string) => ({ headers: { 'x-wallet-token': token } });
  const post = (name: string, headers: Record<string, string>) =>
    gateway.request('POST', `/wallet/${name}`, { chain: 'ethereum', ...GOOD[name] }, { headers });

  it.each(WRITES)('is needed for %s, besides the internal door', async (name) => {
    const missing = await post(name, {});
    expectRefusal(missing, 'UNAUTHORIZED');
    expect(missing.body.error).toContain('X-Wallet-Token');
    for (const wrong of ['', 'x', `${WITH_TOKEN['x-wallet-token']} `.trimEnd().slice(1)])
      expectRefusal(await post(name, { 'x-wallet-token': wrong }), 'UNAUTHORIZED');
    const sent = await gateway.request(
      'POST',
      `/wallet/${name}`,
      { chain: 'ethereum', ...GOOD[name] },
      { headers: WITH_TOKEN, peer: '198.51.100.1' },
    );
    expectRefusal(sent, 'UNAUTHORIZED');
    expect((await post(name, WITH_TOKEN)).status).toBe(200);
  });

  it.each(READS)('is not needed for %s', async (name) => {
    expect((await post(name, {})).status).toBe(200);
  });

  it('is slow to guess: after thirty wrong ones every token from that address waits, the right one too', async () => {
    const sleepers: (() => void)[] = [];
    const sleep = () => new Promise<void>((wake) => sleepers.push(wake));
    const guarded = await openWalletGateway({ guesses: createGuessLimit({ monotonicMs: () => 0, sleep }) });
    const send = (token: string, peer = '127.0.0.1') =>
      guarded.request('POST', '/wallet/send', { chain: 'ethereum', ...GOOD.send }, { ...withToken(token), peer });
    const wrong = await Promise.all(Array.from({ length: 30 }, () => send('a wallet token of nobody')));
    for (const sent of wrong) expectRefusal(sent, 'UNAUTHORIZED');
    const right = send(WALLET_TOKEN);
    await vi.waitFor(() => expect(sleepers).toHaveLength(1));
    expect((await send(WALLET_TOKEN, '127.0.0.2')).status).toBe(200);
    expect(guarded.fake.world.sent).toHaveLength(1);
    const guesses = Array.from({ length: 100 }, () => send('a wallet token of nobody'));
    await vi.waitFor(() => expect(sleepers).toHaveLength(101));
    for (const wake of sleepers) wake();
    expect((await right).status).toBe(200);
    for (const sent of await Promise.all(guesses)) expectRefusal(sent, 'UNAUTHORIZED');
  });

  it('is never slow for an owner who makes no mistakes', async () => {
    const sleep = () => Promise.reject(new Error('nobody waits here'));
    const guarded = await openWalletGateway({ guesses: createGuessLimit({ monotonicMs: () => 0, sleep }) });
    for (let sends = 0; sends < 40; sends++) {
      const sent = await guarded.ask('send', { to: FRIEND, value: '1' });
      expect(sent.status).toBe(200);
    }
  });
});

describe('without a signing key', () => {
  it('reads work and writes say what to set', async () => {
    const watching = await openWalletGateway({ signer: undefined });
    for (const name of READS) {
      const sent = await watching.ask(name, { ...GOOD[name], ...(name === 'balance' ? { address: FRIEND } : {}) });
      expect([name, sent.status]).toEqual([name, 200]);
    }
    expect((await watching.ask('status')).body.result).toMatchObject({ address: null, canSign: false, nonce: null });
    expectFaults(await watching.ask('balance'), 'address');
    const raw = { to: FRIEND, value: '0', data: '0x' };
    for (const name of WRITES)
      for (const body of [GOOD[name], raw]) {
        const sent = await watching.ask(name, body);
        expectRefusal(sent, 'WALLET_NOT_CONFIGURED');
        expect(sent.body.error).toContain('WALLET_PRIVATE_KEY');
      }
    expectRefusal(await watching.ask('send', { ...GOOD.send, chain: 'polygon' }), 'WALLET_NOT_CONFIGURED');
  });
});

describe('reads', () => {
  it('status tells account, nonces, waiting transactions and rules', async () => {
    const fresh = await openWalletGateway({
      rules: {
        ...{ maxValueWei: 5n, dailyLimitWei: 9n, allowedContracts: new Set([FRIEND]) },
        ...{ caps: new Map([['ethereum:native', 7n]]), maxPriceImpactBps: 300 },
      },
    });
    await fresh.ask('send', { to: FRIEND, value: '4' });
    expect((await fresh.ask('status')).body.result).toEqual({
      ...{ chain: 'ethereum', chainId: 1, address: WALLET, canSign: true, nonce: { latest: 0, pending: 1 } },
      ...{ pendingTransactions: 1, confirmationsNeeded: 3 },
      policy: {
        ...{ maxValueWei: '5', dailyLimitWei: '9', spentTodayWei: '4', allowedContracts: [FRIEND] },
        ...{ caps: { 'ethereum:native': '7' }, maxPriceImpactBps: 300 },
      },
    });
  });

  it('balance is native and of several tokens at once, of any account', async () => {
    const other = checksumAddress(`0x${'ab'.repeat(20)}`);
    const sent = await gateway.ask('balance', { tokens: [TOKEN, other, TOKEN, 'native'], address: FRIEND });
    expect(sent.body.tradeResult).toBeNull();
    expect(sent.body.result).toEqual({
      ...{ chain: 'ethereum', address: FRIEND, native: { amount: '1000000000000000000', decimals: 18 } },
      tokens: [
        { token: TOKEN, symbol: 'TKN', decimals: 6, amount: '1' },
        { token: other, symbol: 'TKN', decimals: 6, amount: '2' },
      ],
    });
    expect((await gateway.ask('balance')).body.result).toMatchObject({ address: WALLET, tokens: [] });
    expect((await gateway.ask('balance', { to: FRIEND, value: '0', data: '0x' })).body.result.address).toBe(FRIEND);
    expectFaults(await gateway.ask('balance', { to: FRIEND, address: FRIEND }), 'to');
    expect((await gateway.ask('balance', { tokens: Array.from({ length: 50 }, () => TOKEN) })).status).toBe(200);
    expectFaults(await gateway.ask('balance', { tokens: Array.from({ length: 51 }, () => TOKEN) }), 'tokens');
  });

  it('transactions are the own ledger, newest first, in pages, and one by its hash', async () => {
    const fresh = await openWalletGateway();
    const hashes: string[] = [];
    for (let value = 1; value <= 3; value++)
      hashes.unshift((await fresh.ask('send', { to: FRIEND, value: String(value) })).body.result.hash);
    const hashesOf = ({ body }: Sent): string[] => body.result.map(({ hash }: { hash: string }) => hash);
    expect(hashesOf(await fresh.ask('transactions'))).toEqual(hashes);
    expect(hashesOf(await fresh.ask('transactions', { limit: 1 }))).toEqual(hashes.slice(0, 1));
    expect(hashesOf(await fresh.ask('transactions', { before: hashes[0] }))).toEqual(hashes.slice(1));
    for (const limit of [0, 101, 1.5]) expectFaults(await fresh.ask('transactions', { limit }), 'limit');
    expectRefusal(await fresh.ask('transactions', { hash: `0x${'0'.repeat(64)}` }), 'TRANSACTION_NOT_FOUND');
    expectFaults(await fresh.ask('transactions', { hash: '0x12' }), 'hash');
    fresh.fake.mine(3);
    await fresh.wallet.look();
    const one = await fresh.ask('transactions', { hash: hashes[0] });
    expect(one.body.tradeResult).toMatchObject({ orderId: hashes[0], status: 'Confirmed', executedQty: 3e-18 });
    expect(one.body.result).toMatchObject({
      ...{ status: 'Confirmed', state: 'confirmed', nonce: 2, valueWei: '3', blockNumber: 0, confirmations: 3 },
      ...{ confirmationsNeeded: 3, feeWei: '50000000000000', replacedHashes: [], error: null },
    });
  });
});

describe('a repeat of an idempotency key', () => {
  it('is 409 with the original, whatever the body, and also after a restart', async () => {
    const fresh = await openWalletGateway();
    const first = await fresh.ask('send', { ...GOOD.send, idempotencyKey: KEY_1 });
    for (const again of [GOOD.send, { to: FRIEND, value: '6' }]) {
      const sent = await fresh.ask('send', { ...again, idempotencyKey: KEY_1.toUpperCase() });
      expectRefusal(sent, 'DUPLICATE_TRANSACTION', 'originalRequestId', 'tradeResult', 'result');
      expect(sent.body).toMatchObject({
        originalRequestId: first.body.requestId,
        tradeResult: first.body.tradeResult,
        result: { hash: first.body.result.hash },
      });
    }
    await fresh.close();
    const reopened = await openWalletGateway({ gateway: { dataDir: fresh.dataDir } });
    expectRefusal(
      await reopened.ask('send', { ...GOOD.send, idempotencyKey: KEY_1 }),
      'DUPLICATE_TRANSACTION',
      'originalRequestId',
      'tradeResult',
      'result',
    );
    expectPending(await reopened.ask('send', { ...GOOD.send, idempotencyKey: KEY_2 }));
    expectFaults(await reopened.ask('send', { ...GOOD.send, idempotencyKey: 'again' }), 'idempotencyKey');
  });
});

describe('the kill switch', () => {
  it('stops writes and no reads; for entries a permission may still be taken away', async () => {
    const fresh = await openWalletGateway();
    await fresh.request('PUT', '/admin/kill-switch', { active: true });
    for (const name of WRITES) expectRefusal(await fresh.ask(name, GOOD[name]), 'KILL_SWITCH_ACTIVE');
    for (const name of READS) expect((await fresh.ask(name, GOOD[name])).status).toBe(200);
    expectRefusal(await fresh.ask('approve', { ...GOOD.approve, amount: '0' }), 'KILL_SWITCH_ACTIVE');
    await fresh.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries' });
    for (const name of WRITES) expectRefusal(await fresh.ask(name, GOOD[name]), 'KILL_SWITCH_ACTIVE');
    expectPending(await fresh.ask('approve', { ...GOOD.approve, amount: '0' }));
  });
});

describe('a chain', () => {
  it('that would fail the call is a 422 with its reason', async () => {
    const fresh = await openWalletGateway();
    fresh.fake.world.revert = 'ERC20: transfer amount exceeds balance';
    const sent = await fresh.ask('transfer', GOOD.transfer);
    expectRefusal(sent, 'TRANSACTION_WOULD_REVERT');
    expect(sent.body.error).toContain('ERC20: transfer amount exceeds balance');
    expect((await fresh.ask('transactions')).body.result).toEqual([]);
  });

  it('that is down is a 502, and a lost answer to what was sent is Pending and queued', async () => {
    const fresh = await openWalletGateway();
    fresh.fake.world.down = 'before';
    for (const name of ['status', 'balance', 'quote', ...WRITES])
      expectRefusal(await fresh.ask(name, GOOD[name]), 'CHAIN_UNREACHABLE');
    expect((await fresh.ask('transactions')).body.result).toEqual([]);
    fresh.fake.world.down = undefined;
    fresh.fake.world.losing = 'after';
    expect((await fresh.ask('send', GOOD.send)).body.tradeResult).toMatchObject({
      success: true,
      status: 'Pending',
      queued: true,
    });
  });

  it('of another number than its name is not used', async () => {
    const fresh = await openWalletGateway();
    fresh.fake.world.wrongChain = true;
    const sent = await fresh.ask('status');
    expectRefusal(sent, 'CHAIN_NOT_CONFIGURED');
    expect(sent.body.error).toContain('chain 5');
    await expect(fresh.wallet.start()).rejects.toThrow('chain 5');
  });
});

describe('the ledger', () => {
  it('that cannot be written is a 500, and nothing was sent', async () => {
    const fresh = await openWalletGateway();
    await fresh.close();
    expectRefusal(await fresh.ask('send', GOOD.send), 'STORAGE_FAILED');
    expect(fresh.fake.world.sent).toEqual([]);
  });
});

it('the documentation has every operation, and every code of the wallet', () => {
  const page = readFileSync(new URL('../../docs/api/gateway.md', import.meta.url), 'utf8');
  for (const { path } of Object.values(WALLET_DOCS)) expect(page).toContain(`### POST ${path}`);
  for (const code of Object.keys(GATEWAY_ERRORS)) expect(page).toContain(`\`${code}\``);
});
