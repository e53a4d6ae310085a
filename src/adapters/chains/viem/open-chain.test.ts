// Whatever an endpoint answers, the chain answers sensibly or says that it cannot be reached: never a fault of our own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, ChainUnreachable, type Hex, NotAToken } from '../../../wallet/chain.ts';
import { type OpenedChain, openChain } from './open-chain.ts';

const OWNER: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TOKEN: Address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const HASH: Hex = `0x${'ab'.repeat(32)}`;

type Reply = Readonly<Record<string, unknown>>;

/** An endpoint of chain 1 that answers everything else as told, in one piece or many. */
function chainThatHears(reply: (method: string) => Reply, status = 200): OpenedChain {
  const answer = ({ id, method }: { id: number; method: string }) => ({
    jsonrpc: '2.0',
    id,
    ...(method === 'eth_chainId' ? { result: '0x1' } : reply(method)),
  });
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const asked: unknown = JSON.parse(String(init?.body));
    const isForChain = !Array.isArray(asked) && (asked as { method: string }).method === 'eth_chainId';
    const body = Array.isArray(asked) ? asked.map(answer) : answer(asked as { id: number; method: string });
    return new Response(JSON.stringify(body), { status: isForChain ? 200 : status });
  };
  const log = { info: () => {}, warn: () => {} };
  return openChain({ name: 'ethereum', rpcUrls: ['http://127.0.0.1:1'], log, monotonicMs: () => 0, retryMs: 0, fetch });
}

const QUESTIONS: Readonly<Record<string, (chain: OpenedChain) => Promise<unknown>>> = {
  nativeBalance: (chain) => chain.nativeBalance(OWNER),
  token: (chain) => chain.token(TOKEN),
  tokenBalances: (chain) => chain.tokenBalances([TOKEN, TOKEN], OWNER),
  allowance: (chain) => chain.allowance(TOKEN, OWNER, TOKEN),
  quote: (chain) => chain.quote({ tokenIn: 'native', tokenOut: TOKEN, amountIn: 10n }),
  simulate: (chain) => chain.simulate(OWNER, chain.transferCall(TOKEN, OWNER, 1n)),
  fees: (chain) => chain.fees(),
  nonce: (chain) => chain.nonce(OWNER, 'pending'),
  send: (chain) => chain.send({ hash: HASH, raw: '0x02' }),
  receipt: (chain) => chain.receipt(HASH),
  knows: (chain) => chain.knows(HASH),
};

const hex = fc.uint8Array({ maxLength: 140 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const word = fc.oneof(hex, fc.constantFrom('0x1', `0x${'1'.padStart(64, '0')}`, null, 7));
const receipt = fc.record(
  { status: word, blockNumber: word, blockHash: word, gasUsed: word, effectiveGasPrice: word },
  { requiredKeys: [] },
);
const history = fc.record({
  baseFeePerGas: fc.oneof(fc.array(word), word),
  reward: fc.array(fc.oneof(fc.array(word), word)),
});
const result = fc.oneof(word, receipt, history, fc.jsonValue(), fc.constantFrom(null, '0x', '0x0', '0xzz', {}, []));
const error = fc.record({
  code: fc.constantFrom(3, -32000, -32003, -32005, -32600, -32601, -32603, 429, 'x'),
  message: fc.oneof(fc.string(), fc.constantFrom('execution reverted', 'nonce too low', 'batch too large', null)),
  data: fc.oneof(hex, fc.jsonValue()),
});
const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({ result }),
  fc.record({ error }),
  fc.record({ error: fc.jsonValue() }),
  fc.constant({}),
);

describe.each(Object.keys(QUESTIONS))('%s', (name) => {
  it('survives any answer', async () => {
    await fc.assert(
      fc.asyncProperty(reply, fc.constantFrom(200, 400, 500), async (given, status) => {
        const outcome = QUESTIONS[name]?.(chainThatHears(() => given, status));
        const fault = await outcome?.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(fault === undefined || fault instanceof ChainUnreachable || fault instanceof NotAToken).toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});

describe('questions asked together', () => {
  const balance = `0x${'7'.padStart(64, '0')}`;

  it('are asked one by one after an endpoint said that they are too many', async () => {
    const asked: number[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const body = JSON.parse(String(init?.body)) as { id: number; method: string } | { id: number }[];
      asked.push(Array.isArray(body) ? body.length : 1);
      if (Array.isArray(body))
        return Response.json([{ id: body[0]?.id, error: { code: -32600, message: 'batch too large' } }]);
      return Response.json({ id: body.id, result: body.method === 'eth_chainId' ? '0x1' : balance });
    };
    const log = { info: () => {}, warn: () => {} };
    const chain = openChain({ name: 'ethereum', rpcUrls: ['http://127.0.0.1:1'], log, monotonicMs: () => 0, fetch });
    expect(await chain.tokenBalances([TOKEN, TOKEN, TOKEN], OWNER)).toEqual([7n, 7n, 7n]);
    expect(await chain.tokenBalances([TOKEN, TOKEN], OWNER)).toEqual([7n, 7n]);
    expect(asked).toEqual([1, 3, 1, 1, 1, 1, 1]);
  });

  it('find their answers by number, in whatever order they come', async () => {
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const body = JSON.parse(String(init?.body)) as { id: number; params: [{ to: Address }] }[] | { id: number };
      if (!Array.isArray(body)) return Response.json({ id: body.id, result: '0x1' });
      const answers = body.map(({ id, params }) => ({ id, result: `0x${params[0].to.slice(2).padStart(64, '0')}` }));
      return Response.json(answers.reverse());
    };
    const log = { info: () => {}, warn: () => {} };
    const chain = openChain({ name: 'ethereum', rpcUrls: ['http://127.0.0.1:1'], log, monotonicMs: () => 0, fetch });
    expect(await chain.tokenBalances([TOKEN, OWNER], OWNER)).toEqual([BigInt(TOKEN), BigInt(OWNER)]);
  });
});
