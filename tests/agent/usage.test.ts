// GET /agent/usage is the sum of the ledger: of random entries, of real calls that fail and succeed, over any window.

import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../../src/agent/model-provider.ts';
import type { UsageEntry } from '../../src/agent/usage-ledger.ts';
import type { AgentUsageView } from '../../src/services/gateway/agent-schemas.ts';
import { openAgentDoor } from '../support/agent.ts';
import { anthropicProtocol } from '../support/model-servers/anthropic-protocol.ts';
import { type Behaviour, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { localProtocol, openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { expectRefusal } from '../webhook/answers.ts';

const DAY_MS = 86_400_000;
let openai: ModelServer;
let anthropic: ModelServer;
let local: ModelServer;
beforeAll(async () => {
  openai = await startModelServer(openaiProtocol);
  anthropic = await startModelServer(anthropicProtocol);
  local = await startModelServer(localProtocol);
});
afterAll(() => Promise.all([openai, anthropic, local].map((server) => server.close())));
beforeEach(() => {
  for (const server of [openai, anthropic, local]) server.reset();
});

interface Row {
  readonly provider: string;
  readonly at: number;
  readonly outcome: string;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cost_nano: number | null;
  readonly estimated: number;
}

const rowsOf = (path: string): readonly Row[] => {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare('SELECT * FROM model_calls').all() as unknown as Row[];
  db.close();
  return rows;
};

/** The answer of /agent/usage, computed here from the rows alone. */
function sumOf(rows: readonly Row[], sinceMs: number) {
  const counted = rows.filter(({ at }) => at >= sinceMs);
  const sum = (of: readonly Row[], value: (row: Row) => number): number =>
    of.reduce((total, row) => total + value(row), 0);
  const sums = (of: readonly Row[]) => ({
    requests: of.length,
    tokens: sum(of, (row) => row.tokens_in + row.tokens_out),
    costUsd: sum(of, (row) => row.cost_nano ?? 0) / 1e9,
    errors: of.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'canceled').length,
  });
  const { requests, tokens, costUsd } = sums(counted);
  const names = [...new Set(counted.map(({ provider }) => provider))];
  return {
    totalRequests: requests,
    totalTokens: tokens,
    totalCostUsd: costUsd,
    byProvider: Object.fromEntries(
      names.map((name) => [name, sums(counted.filter(({ provider }) => provider === name))]),
    ),
    estimatedRequests: counted.filter(({ estimated }) => estimated === 1).length,
  };
}

/** What is told by model and by day comes to the whole, to the billionth of a dollar. */
function expectParts({ byModel, byDay, ...whole }: AgentUsageView): void {
  const nano = (usd: number): number => Math.round(usd * 1e9);
  const sums = (parts: readonly { requests: number; tokens: number; costUsd: number }[]) => [
    parts.reduce((sum, { requests }) => sum + requests, 0),
    parts.reduce((sum, { tokens }) => sum + tokens, 0),
    parts.reduce((sum, { costUsd }) => sum + nano(costUsd), 0),
  ];
  const all = [whole.totalRequests, whole.totalTokens, nano(whole.totalCostUsd)];
  expect([sums(byModel), sums(byDay)]).toEqual([all, all]);
  expect(byDay.map(({ day }) => day)).toEqual([...new Set(byDay.map(({ day }) => day))].sort());
  for (const [name, { requests, costUsd }] of Object.entries(whole.byProvider)) {
    const [counted, , cost] = sums(byModel.filter(({ provider }) => provider === name));
    expect([counted, cost]).toEqual([requests, nano(costUsd)]);
  }
}

const OUTCOMES = [
  ...(['ok', 'rate-limited', 'server', 'unreachable', 'timeout'] as const),
  ...(['malformed', 'setup', 'request', 'refused', 'canceled'] as const),
];
const anyEntry = (nowMs: number): fc.Arbitrary<UsageEntry> =>
  fc.record({
    atMs: fc.integer({ min: -40, max: 0 }).map((days) => nowMs + days * DAY_MS + 60_000),
    requestId: fc.uuid(),
    door: fc.constantFrom('chat', 'vision'),
    provider: fc.constantFrom(...PROVIDERS),
    model: fc.constantFrom('a', 'b', 'c'),
    outcome: fc.constantFrom(...OUTCOMES),
    tokensIn: fc.nat(2_000_000),
    tokensOut: fc.nat(50_000),
    costNanoUsd: fc.option(fc.nat(2_000_000_000)),
    estimated: fc.boolean(),
    ms: fc.nat(60_000),
  });

describe('GET /agent/usage', () => {
  it('is zero before anybody asked', async () => {
    const door = await openAgentDoor({ servers: [openai] });
    const sent = await door.request('GET', '/agent/usage');
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        success: true,
        requestId: expect.any(String),
        totalRequests: 0,
        totalTokens: 0,
        totalCostUsd: 0,
        byProvider: {},
        since: expect.any(Number),
        estimatedRequests: 0,
        unpricedModels: [],
      },
    ]);
    expect(Math.abs(sent.body.since - (Date.now() - 30 * DAY_MS))).toBeLessThan(10_000);
  });

  it('equals the sum of the ledger, whatever stands in it', async () => {
    const nowMs = Date.now();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEntry(nowMs), { maxLength: 25 }),
        fc.constantFrom(1, 7, 30),
        async (entries, days) => {
          const door = await openAgentDoor({ usageWindowMs: days * DAY_MS });
          for (const entry of entries) await door.storage.ledger.add(entry);
          const { success, requestId, since, unpricedModels, ...used } = await door.usage();
          const rows = rowsOf(door.storage.path);
          expect(rows).toHaveLength(entries.length);
          expect(used).toEqual(sumOf(rows, since));
          const unpriced = entries.filter(
            (entry) => entry.atMs >= since && entry.costNanoUsd === null && entry.tokensIn + entry.tokensOut > 0,
          );
          expect(unpricedModels).toEqual([...new Set(unpriced.map(({ model }) => model))].sort());
          const { result: whole } = (await door.request('GET', '/usage')).body;
          expect(whole).toMatchObject({ ...used, unpricedModels });
          expectParts(whole);
          await door.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('equals the sum of what the providers counted, over calls that succeed and fail', async () => {
    const anyCall = fc.record({
      kind: fc.constantFrom<Behaviour['kind']>('answer', 'answer', 'garbage', 'status', 'reset'),
      tokensIn: fc.nat(100_000),
      tokensOut: fc.nat(20_000),
      status: fc.constantFrom(400, 401, 429),
      streams: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 6 }), async (plan) => {
        for (const server of [openai, anthropic]) server.reset();
        const door = await openAgentDoor({ servers: [openai, anthropic] });
        let counted = 0;
        for (const { kind, streams, ...how } of plan) {
          const planned = kind === 'answer' ? { kind, text: 'x', ...how } : { kind, ...how };
          openai.next(planned as Behaviour);
          if (streams) await (await door.stream({ prompt: 'x' })).text();
          else await door.chat();
        }
        counted = door.calls.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0);
        const used = await door.usage();
        expect(used).toMatchObject(sumOf(rowsOf(door.storage.path), used.since));
        expect(used.totalTokens).toBe(counted);
        expect(used.totalRequests).toBe(openai.requests.length + anthropic.requests.length);
        await door.close();
      }),
      { numRuns: 8 },
    );
  });

  it('counts 30 days back, and older calls no more', async () => {
    const door = await openAgentDoor({ servers: [openai] });
    await door.chat();
    door.clock.offsetMs = 30 * DAY_MS - 60_000;
    expect((await door.usage()).totalRequests).toBe(1);
    door.clock.offsetMs = 30 * DAY_MS + 1;
    expect((await door.usage()).totalRequests).toBe(0);
  });

  it('knows list prices, and the owner’s stand above them', async () => {
    openai.next({ kind: 'answer', text: 'x', tokensIn: 1_000_000, tokensOut: 500_000 });
    const listed = await openAgentDoor({ servers: [openai] });
    await listed.chat();
    expect(await listed.usage()).toMatchObject({ totalCostUsd: 1.2, totalTokens: 1_500_000, unpricedModels: [] });
    openai.next({ kind: 'answer', text: 'x', tokensIn: 1, tokensOut: 3 });
    const own = await openAgentDoor({
      servers: [openai],
      prices: new Map([['gpt-4.1-mini', { inUsd: 0.1, outUsd: 0.2 }]]),
    });
    await own.chat();
    expect((await own.usage()).totalCostUsd).toBe(7e-7);
  });

  it('a model of one’s own costs nothing; a model without a price is named', async () => {
    const door = await openAgentDoor({ servers: [local] });
    await door.chat();
    expect(await door.usage()).toMatchObject({ totalCostUsd: 0, totalTokens: 15, unpricedModels: [] });
    const dear = { protocol: { ...openaiProtocol, model: 'gpt-99' }, url: openai.url };
    const unknown = await openAgentDoor({ servers: [dear] });
    await unknown.chat();
    expect(await unknown.usage()).toMatchObject({ totalCostUsd: 0, totalTokens: 15, unpricedModels: ['gpt-99'] });
  });

  it('estimates where a server does not count, and says how often', async () => {
    const door = await openAgentDoor({ servers: [local] });
    local.next({ kind: 'answer', text: 'x'.repeat(40), counts: false });
    await door.chat({ prompt: 'y'.repeat(80) });
    local.next({ kind: 'answer', text: 'x'.repeat(41), counts: false });
    await (await door.stream({ prompt: 'y'.repeat(80) })).text();
    expect(await door.usage()).toMatchObject({ totalTokens: 20 + 10 + 20 + 11, estimatedRequests: 2 });
  });

  it('is the same after a restart', async () => {
    const door = await openAgentDoor({ servers: [openai] });
    openai.next({ kind: 'answer', text: 'x' }, { kind: 'garbage' });
    await door.chat();
    await door.chat();
    const { requestId, since, ...before } = await door.usage();
    await door.close();
    const again = await openAgentDoor({ servers: [openai], dataDir: door.dataDir });
    expect(await again.usage()).toMatchObject(before);
    expect(before).toMatchObject({ totalRequests: 2, byProvider: { openai: { requests: 2, errors: 1 } } });
  });

  it('a ledger that cannot be written takes no answer away, and is told about', async () => {
    const door = await openAgentDoor({ servers: [openai] });
    const { path } = door.storage;
    renameSync(path, `${path}.away`);
    expect((await door.chat()).body).toMatchObject({ response: 'Hello' });
    expect(door.troubles.join()).toMatch(/the use of a model was not written down.*moved, replaced or deleted/);
    renameSync(`${path}.away`, path);
    await door.chat();
    expect((await door.usage()).totalRequests).toBe(1);
  });

  it('a ledger that cannot be read is 500 with the remedy, and no path of the machine', async () => {
    const door = await openAgentDoor({ servers: [openai] });
    door.storage.close();
    const sent = await door.request('GET', '/agent/usage');
    expectRefusal(sent, 'STORAGE_FAILED');
    expect(sent.body.error).not.toContain(door.dataDir);
  });
});
