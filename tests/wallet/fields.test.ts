// Every field of /wallet at every boundary, both forms of a write, and any body at all, through the front door.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { FRIEND, ROUTER, TOKEN } from '../../src/wallet/testing/fake-chain.ts';
import { expectEnvelope, expectFaults, expectRefusal, KEY_1 } from '../webhook/answers.ts';
import { expectPending, GOOD, READS, WRITES } from './answers.ts';
import { openWalletGateway, type WalletGateway } from './open-wallet-gateway.ts';

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, '0');
const APPROVE_DATA = `0x095ea7b3${word(ROUTER)}${word(7n)}`;

let gateway: WalletGateway;
beforeAll(async () => {
  gateway = await openWalletGateway();
});

describe('fields', () => {
  const bad = async (name: string, fields: object, ...faults: string[]): Promise<void> => {
    const before = gateway.fake.world.sent.length;
    expectFaults(await gateway.ask(name, { ...GOOD[name], ...fields }), ...faults);
    expect(gateway.fake.world.sent).toHaveLength(before);
  };

  it.each(['', '0x', '0x12', 'friend.eth', FRIEND.slice(2), `${FRIEND}00`, `0x${'0'.repeat(40)}`, 5, null])(
    'an address %j is refused',
    async (to) => {
      await bad('send', { to }, 'to');
      await bad('transfer', { to }, 'to');
      await bad('approve', { spender: to }, 'spender');
    },
  );

  it('a wrong checksum is a mistyped address, one case is none', async () => {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    await bad('send', { to: address.replace('aA', 'Aa') }, 'to');
    expectPending(await gateway.ask('send', { to: address.toLowerCase() }));
  });

  it.each(['', '-1', '1.5', '1e18', '0x10', '007', ' 1', '1 ', '9'.repeat(79), (2n ** 256n).toString(), '١'])(
    'an amount %j is refused',
    async (amount) => {
      await bad('send', { value: amount }, 'value');
      await bad('approve', { amount }, 'amount');
      await bad('swap', { amountIn: amount }, 'amountIn');
    },
  );

  it('an amount that is a number in JSON is told to be put in quotes, since it would not be exact', async () => {
    const sent = await gateway.ask('send', { to: FRIEND, value: 1e18 });
    expectFaults(sent, 'value');
    expect(sent.body.error).toContain('double quotes');
  });

  it('nothing is no transfer and no swap, but an approval that takes a permission away', async () => {
    await bad('transfer', { amount: '0' }, 'amount');
    await bad('swap', { amountIn: '0' }, 'amountIn');
    expectPending(await gateway.ask('approve', { ...GOOD.approve, amount: '0' }));
  });

  it.each(['', 'ab', '0xa', '0xzz', 5])('data %j is refused', (data) => bad('send', { data }, 'data'));

  it('data has at most 128 KiB', async () => {
    expectPending(await gateway.ask('send', { ...GOOD.send, data: `0x${'00'.repeat(131_072)}` }));
    await bad('send', { data: `0x${'00'.repeat(131_073)}` }, 'data');
  });

  it('the gas limit is a whole number from 21000 to 30000000, and enough for the call', async () => {
    for (const gasLimit of [20_999, 30_000_001, 21_000.5, '21000', -1]) await bad('send', { gasLimit }, 'gasLimit');
    const low = await gateway.ask('send', { ...GOOD.send, gasLimit: 21_000 });
    expectRefusal(low, 'TRANSACTION_WOULD_REVERT');
    expect(low.body.error).toContain('50000');
    for (const gasLimit of [50_000, 30_000_000])
      expect((await gateway.ask('send', { ...GOOD.send, gasLimit })).body.result.gasLimit).toBe(String(gasLimit));
    expect((await gateway.ask('send', GOOD.send)).body.result.gasLimit).toBe('60000');
    expect((await gateway.ask('send', { ...GOOD.send, data: '0x12345678' })).body.result.gasLimit).toBe('75000');
  });

  it('the slippage is 50 when left out, may be 1000, and more only with a word', async () => {
    const quoted = (await gateway.ask('quote', GOOD.quote)).body.result;
    expect(quoted).toMatchObject({ slippageBps: 50, amountOut: '2000', minAmountOut: '1990' });
    expect((await gateway.ask('quote', { ...GOOD.quote, slippageBps: 0 })).body.result.minAmountOut).toBe('2000');
    expectPending(await gateway.ask('swap', { ...GOOD.swap, slippageBps: 1000 }));
    await bad('swap', { slippageBps: 1001 }, 'slippageBps');
    await bad('quote', { slippageBps: 1001 }, 'slippageBps');
    for (const slippageBps of [1001, 5000])
      expectPending(await gateway.ask('swap', { ...GOOD.swap, slippageBps, allowHighSlippage: true }));
    await bad('swap', { slippageBps: 5001, allowHighSlippage: true }, 'slippageBps');
    await bad('swap', { slippageBps: -1 }, 'slippageBps');
    await bad('swap', { slippageBps: 0.5 }, 'slippageBps');
  });

  it('the deadline is from 30 s to an hour', async () => {
    for (const deadlineS of [29, 3601, 60.5]) await bad('swap', { deadlineS }, 'deadlineS');
    for (const deadlineS of [30, 3600]) expectPending(await gateway.ask('swap', { ...GOOD.swap, deadlineS }));
  });

  it('a token sent to its own contract would be lost', () => bad('transfer', { to: TOKEN }, 'to'));
});

describe('the raw form and the token form', () => {
  it('are not mixed', async () => {
    expectFaults(await gateway.ask('approve', { ...GOOD.approve, to: TOKEN, data: APPROVE_DATA }), 'to', 'data');
    expectFaults(await gateway.ask('transfer', { ...GOOD.transfer, value: '1' }), 'value');
    const mixed = { ...GOOD.swap, to: ROUTER, value: '1', data: '0x' };
    expectFaults(await gateway.ask('swap', mixed), 'to', 'value', 'data');
    expectFaults(await gateway.ask('swap', { to: ROUTER, slippageBps: 5 }), 'to', 'tokenIn', 'tokenOut', 'amountIn');
  });

  it('each name what is missing', async () => {
    for (const name of WRITES) expectFaults(await gateway.ask(name), 'to');
    expectFaults(await gateway.ask('approve', { token: TOKEN }), 'spender', 'amount');
    expectFaults(await gateway.ask('transfer', { token: 'native' }), 'to', 'amount');
    expectFaults(await gateway.ask('quote'), 'tokenIn', 'tokenOut', 'amountIn');
  });

  it('raw: value is "0" and data "0x" when left out', async () => {
    for (const name of ['send', 'transfer', 'swap']) {
      const sent = await gateway.ask(name, { to: FRIEND });
      expectPending(sent);
      expect(sent.body.result).toMatchObject({ operation: name, valueWei: '0', to: FRIEND });
    }
  });

  it('raw: an approval is an encoded approve, a transfer carries no data', async () => {
    const sent = await gateway.ask('approve', { to: TOKEN, data: APPROVE_DATA });
    expectPending(sent);
    expect(sent.body.result.details).toEqual({ token: TOKEN, amount: '7', spender: ROUTER });
    expectFaults(await gateway.ask('approve', { to: TOKEN, data: '0x12345678' }), 'data');
    expectFaults(await gateway.ask('transfer', { to: TOKEN, data: '0x12345678' }), 'data');
  });
});

describe('any body', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(FRIEND, TOKEN, 'native', '0x', '0', '1', '-1', `0x${'0'.repeat(40)}`, KEY_1, 'ethereum', 'polygon'),
  );
  const value = fc.oneof(
    ...[text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)],
    fc.array(text, { maxLength: 3 }),
  );
  const names = [
    ...['chain', 'to', 'value', 'data', 'gasLimit', 'token', 'tokens', 'spender', 'amount', 'address', 'hash', 'limit'],
    ...['tokenIn', 'tokenOut', 'amountIn', 'slippageBps', 'deadlineS', 'minAmountOut', 'idempotencyKey', '__proto__'],
  ];
  const body = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 });

  it('is answered in shape, never with a fault of ours, and nothing leaves that a rule forbids', async () => {
    const guarded = await openWalletGateway({ rules: { maxValueWei: 0n, allowedContracts: new Set([TOKEN]) } });
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...READS, ...WRITES), fc.boolean(), body, async (name, isGood, fields) => {
        const sent = await guarded.ask(name, { ...(isGood ? GOOD[name] : {}), ...fields });
        expectEnvelope(sent);
        statuses.add(sent.status);
      }),
      { numRuns: 400 },
    );
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 403]));
    for (const status of statuses) expect([200, 400, 403, 404, 409, 422, 503]).toContain(status);
    for (const { valueWei, to } of guarded.fake.mempool()) expect([valueWei, to]).toEqual([0n, TOKEN]);
  });
});
