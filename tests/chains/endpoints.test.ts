// Several endpoints of one chain: outages of every kind, ranking, endpoints of another chain, and secrets that stay secret.

import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openChain } from '../../src/adapters/chains/viem/open-chain.ts';
import { WrongChain } from '../../src/adapters/chains/viem/watched-endpoint.ts';
import { type Address, ChainUnreachable } from '../../src/wallet/chain.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { type RpcProxy, startRpcProxy, type Trouble } from '../support/evm/rpc-proxy.ts';
import { openTestChain, type TestChain, type TestChainOptions } from '../support/evm/test-chain.ts';

let node: EvmNode;
let stranger: EvmNode;
let owner: Address;
let first: RpcProxy;
let second: RpcProxy;

beforeAll(async () => {
  [node, stranger] = await Promise.all([startEvmNode({ chainId: 1 }), startEvmNode({ chainId: 137 })]);
  owner = node.accounts[3].address;
});

beforeEach(async () => {
  [first, second] = await Promise.all([startRpcProxy(node.url), startRpcProxy(node.url)]);
});

afterEach(async () => {
  await Promise.all([first.close(), second.close()]);
});

afterAll(async () => {
  await Promise.all([node?.kill(), stranger?.kill()]);
});

const open = (options: TestChainOptions = {}) =>
  openTestChain(node, { rpcUrls: [first.url, second.url], timeoutMs: 20_000, ...options });
/** Where an endpoint never answers; the others must within this time. */
const HASTY = { timeoutMs: 1_500 };
/** By a clock that stands still both are equally fast, and then the first leads. */
async function openLedByFirst(options: TestChainOptions = {}): Promise<TestChain> {
  const chain = open({ monotonicMs: () => 0, ...options });
  await chain.verify();
  return chain;
}

const hostOf = (url: string): string => new URL(url).host;
const RICH = 10_000n * 10n ** 18n;

describe('at the start', () => {
  it('every endpoint says its chain', async () => {
    const chain = open();
    await chain.verify();
    expect([first.asked, second.asked]).toEqual([['eth_chainId'], ['eth_chainId']]);
    expect(chain.endpoints()).toEqual([
      { host: hostOf(first.url), state: 'good', latencyMs: expect.any(Number) },
      { host: hostOf(second.url), state: 'good', latencyMs: expect.any(Number) },
    ]);
  });

  it('one of another chain is refused with its host and both numbers', async () => {
    const door = await startRpcProxy(stranger.url);
    const chain = open({ rpcUrls: [first.url, `${door.url}/v2/secret-key`] });
    const refusal = chain.verify();
    await expect(refusal).rejects.toThrow(WrongChain);
    await expect(refusal).rejects.toThrow(
      `RPC_ETHEREUM: the endpoint ${hostOf(door.url)} is of chain 137, but ethereum is chain 1; correct the address`,
    );
    await expect(refusal).rejects.not.toThrow('secret-key');
    await door.close();
  });

  it('one that does not answer is no obstacle while another does', async () => {
    first.trouble('cut');
    const chain = open();
    await chain.verify();
    expect(chain.endpoints().map(({ state }) => state)).toEqual(['failing', 'good']);
    expect(chain.lines.join()).toContain(hostOf(first.url));
  });

  it('none that answers is told with the remedy', async () => {
    first.trouble('cut');
    second.trouble('hang');
    const failure = open(HASTY).verify();
    await expect(failure).rejects.toThrow(ChainUnreachable);
    await expect(failure).rejects.toThrow('no endpoint of ethereum answered');
    await expect(failure).rejects.toThrow('did not answer within 1.5 s');
    await expect(failure).rejects.toThrow('add another to RPC_ETHEREUM');
  });

  it('one that slept and turns out to be of another chain is never used', async () => {
    let target = node.url;
    const moving = await startRpcProxy(() => target);
    moving.trouble('cut');
    const chain = open({ rpcUrls: [moving.url, second.url] });
    await chain.verify();
    target = stranger.url;
    moving.heal();
    second.trouble('cut');
    await expect(chain.nativeBalance(owner)).rejects.toThrow('is of another chain');
    expect(moving.asked.filter((method) => method !== 'eth_chainId')).toEqual([]);
    expect(chain.endpoints()[0]?.state).toBe('wrong-chain');
    expect(chain.lines.join()).toContain('is of chain 137');
    await moving.close();
  });

  it.each([
    [[], 'RPC_ETHEREUM takes 1 to 8 endpoints'],
    [Array.from({ length: 9 }, () => 'http://127.0.0.1:1'), 'RPC_ETHEREUM takes 1 to 8 endpoints'],
    [
      ['http://127.0.0.1:1', 'wss://host/secret-key'],
      'RPC_ETHEREUM: entry 2: an RPC endpoint is an address that begins with http',
    ],
    [['secret-key'], 'RPC_ETHEREUM: entry 1: an RPC endpoint'],
    [['http://user:%ZZsecret-key@127.0.0.1:1'], 'RPC_ETHEREUM: entry 1: an RPC endpoint'],
  ])('addresses that are none are refused without repeating them (%#)', (rpcUrls, message) => {
    const opening = (): unknown =>
      openChain({ name: 'ethereum', rpcUrls, log: { info() {}, warn() {} }, monotonicMs: () => 0 });
    expect(opening).toThrow(message);
    expect(opening).not.toThrow('secret-key');
  });
});

describe('an endpoint that', () => {
  const limited = { reply: { error: { code: -32_005, message: 'rate limit exceeded' } } };
  const inside = { reply: { error: { code: -32_603, message: 'Internal error' } } };
  const behind = { reply: { error: { code: -32_000, message: 'header not found' } } };
  const TROUBLES: readonly (readonly [string, Trouble])[] = [
    ['is cut off', 'cut'],
    ['hangs', 'hang'],
    ['answers with an error page', 'garbage'],
    ['has trouble of its own', 503],
    ['wants fewer questions', 429],
    ['does not know us', 401],
    ['never ends its answer', 'flood'],
    ['sends us elsewhere', 'redirect'],
    ['has reached a limit', limited],
    ['has an internal error', inside],
    ['lags behind', behind],
    ['answers without an answer', { reply: {} }],
    ['answers something else', { reply: { result: 'plenty' } }],
  ];

  it.each(TROUBLES)('%s is replaced by the next one, and put last', async (_name, trouble) => {
    const chain = await openLedByFirst(trouble === 'hang' ? HASTY : {});
    first.trouble(trouble);
    expect(await chain.nativeBalance(owner)).toBe(RICH);
    expect(chain.endpoints().map(({ state }) => state)).toEqual(['failing', 'good']);
    const { length } = first.asked;
    expect(await chain.nativeBalance(owner)).toBe(RICH);
    expect(first.asked).toHaveLength(length);
    expect(chain.lines.filter((line) => line.includes(hostOf(first.url)))).toHaveLength(1);
  });

  it.each(TROUBLES)('%s and is the only one makes the chain unreachable, in words', async (_name, trouble) => {
    const chain = open({ rpcUrls: [first.url], ...(trouble === 'hang' ? HASTY : {}) });
    await chain.verify();
    first.trouble(trouble);
    const failure = chain.nativeBalance(owner);
    await expect(failure).rejects.toThrow(ChainUnreachable);
    await expect(failure).rejects.toThrow(hostOf(first.url));
    first.heal();
    expect(await chain.nativeBalance(owner)).toBe(RICH);
  });

  it('stumbles once is asked again when it is the only one', async () => {
    const chain = open({ rpcUrls: [first.url] });
    await chain.verify();
    first.trouble('cut', { times: 1 });
    expect(await chain.nativeBalance(owner)).toBe(RICH);
  });

  it('does not have a method is passed over for it, and not held to be ill', async () => {
    const chain = open({ rpcUrls: [first.url] });
    await chain.verify();
    first.trouble({ reply: { error: { code: -32_601, message: 'method not found' } } });
    await expect(chain.nativeBalance(owner)).rejects.toThrow('method not found');
    expect(chain.endpoints()[0]?.state).toBe('good');
  });

  it('takes no questions together is asked one by one', async () => {
    const chain = open({ rpcUrls: [first.url] });
    await chain.verify();
    first.trouble({ reply: { error: { code: -32_600, message: 'batch not supported' } } }, { times: 1 });
    const call = { to: owner, valueWei: 0n, data: '0x' } as const;
    expect(await chain.simulate(owner, call)).toMatchObject({ ok: true });
    const questions = ['eth_call', 'eth_estimateGas', 'eth_getBalance'];
    expect(first.asked).toEqual(['eth_chainId', ...questions, ...questions]);
  });
});

describe('the ranking', () => {
  it('prefers the faster endpoint, whatever the order in the settings', async () => {
    first.delay(400);
    const chain = open();
    await chain.verify();
    for (let round = 0; round < 5; round += 1) await chain.nativeBalance(owner);
    expect(first.asked).toEqual(['eth_chainId']);
    expect(second.asked).toHaveLength(6);
  });

  it('does not jump between two that are about the same', async () => {
    // Both take the same time by this clock.
    let ticks = 0;
    const chain = open({ monotonicMs: () => ++ticks });
    await chain.verify();
    for (let round = 0; round < 20; round += 1) await chain.nativeBalance(owner);
    expect([first.asked.length, second.asked.length].sort((a, b) => a - b)).toEqual([1, 21]);
  });

  it('tries a failed one again later, beside a question, and takes it back', async () => {
    let nowMs = 0;
    const chain = await openLedByFirst({ monotonicMs: () => nowMs });
    first.trouble('cut');
    second.delay(300);
    const { length: asked } = second.asked;
    const balance = chain.nativeBalance(owner);
    await expect.poll(() => second.asked.length, { interval: 5 }).toBe(asked + 1);
    // By this clock the second takes its time, though less than the first one rests.
    nowMs += 900;
    expect(await balance).toBe(RICH);
    second.delay(0);
    first.heal();
    const { length } = first.asked;
    await chain.nativeBalance(owner);
    expect(first.asked).toHaveLength(length);
    nowMs += 5_000;
    await chain.nativeBalance(owner);
    await expect.poll(() => chain.endpoints()[0]?.state).toBe('good');
    expect(chain.lines.at(-1)).toContain('answers again');
    const before = second.asked.length;
    await chain.nativeBalance(owner);
    expect(second.asked).toHaveLength(before);
  });

  it('asks a dead endpoint once, not once for each of a hundred questions', async () => {
    const chain = await openLedByFirst();
    const { length } = first.asked;
    first.trouble('cut');
    await chain.nativeBalance(owner);
    const balances = await Promise.all(Array.from({ length: 100 }, () => chain.nativeBalance(owner)));
    expect(new Set(balances)).toEqual(new Set([RICH]));
    expect(first.asked.length - length).toBe(1);
  });

  it('goes on when the node itself stands still in the middle of the work', async () => {
    const spare = await startEvmNode({ chainId: 1 });
    const chain = open({ rpcUrls: [spare.url, second.url], ...HASTY });
    await chain.verify();
    spare.pause();
    const balances = await Promise.all([1, 2, 3].map(() => chain.nativeBalance(owner)));
    expect(balances).toEqual([RICH, RICH, RICH]);
    spare.resume();
    await spare.kill();
    expect(await chain.nativeBalance(owner)).toBe(RICH);
  });
});

describe('secrets', () => {
  it('of an address are sent to the endpoint, and are in no message, no log line and no picture of the chain', async () => {
    const withSecrets = first.url.replace('http://', 'http://someone:pass%20word@');
    const chain = open({ rpcUrls: [`${withSecrets}/v3/0123secret?key=hidden`], ...HASTY });
    await chain.verify();
    expect(first.last).toEqual({
      path: '/v3/0123secret?key=hidden',
      authorization: `Basic ${Buffer.from('someone:pass word').toString('base64')}`,
    });
    first.trouble({ reply: { error: { code: -32_603, message: `upstream ${first.url}/v3/0123secret failed` } } });
    const told: string[] = [];
    for (const kind of [undefined, 'cut', 'hang', 'garbage', 401] as const) {
      if (kind !== undefined) first.trouble(kind);
      await chain.nativeBalance(owner).catch((error: Error) => told.push(inspect(error, { depth: 9 })));
    }
    const everything = [...told, ...chain.lines, inspect(chain, { depth: 9 }), JSON.stringify(chain.endpoints())].join(
      '\n',
    );
    expect(told).toHaveLength(5);
    for (const secret of ['0123secret', 'hidden', 'someone', 'pass', 'word@']) expect(everything).not.toContain(secret);
  });
});
