// What every usage ledger of the agent must do: keep each call, once added, and sum them up exactly by day, provider and model.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UsageEntry, UsageLedger } from '../../src/agent/usage-ledger.ts';
import { StorageError } from '../../src/errors/storage-error.ts';

export interface OpenUsageLedger {
  readonly ledger: UsageLedger;
  reopen(): Promise<UsageLedger>;
  close(): Promise<void>;
}

export const USAGE_ENTRY: UsageEntry = {
  ...{ atMs: 1000, requestId: 'r', door: 'chat', provider: 'openai', model: 'm', outcome: 'ok' },
  ...{ tokensIn: 3, tokensOut: 4, costNanoUsd: 5, estimated: false, ms: 6 },
};

export function describeUsageLedger(name: string, open: () => Promise<OpenUsageLedger>): void {
  describe(name, () => {
    let opened: OpenUsageLedger;
    let ledger: UsageLedger;
    beforeEach(async () => {
      opened = await open();
      ledger = opened.ledger;
    });
    afterEach(() => opened.close());

    test('keeps calls over a restart, and sums them up', async () => {
      expect(await ledger.usage(0)).toEqual([]);
      await ledger.add(USAGE_ENTRY);
      await ledger.add({ ...USAGE_ENTRY, costNanoUsd: null, estimated: true, outcome: 'timeout' });
      ledger = await opened.reopen();
      expect(await ledger.usage(0)).toEqual([
        {
          ...{ day: '1970-01-01', provider: 'openai', model: 'm', requests: 2, tokens: 14, costNanoUsd: 5, errors: 1 },
          ...{ estimatedRequests: 1, isUnpriced: true },
        },
      ]);
    });

    test('tells the newest outcome of each provider, but for calls that were canceled', async () => {
      for (const [atMs, provider, outcome] of [
        [1000, 'openai', 'ok'],
        [2000, 'openai', 'server'],
        [3000, 'openai', 'canceled'],
        [3000, 'anthropic', 'refused'],
        [500, 'google', 'timeout'],
        [3000, 'local', 'ok'],
      ] as const)
        await ledger.add({ ...USAGE_ENTRY, atMs, provider, outcome });
      const last = await ledger.lastOutcomes(1000);
      expect([...last].sort((a, b) => (a.provider < b.provider ? -1 : 1))).toEqual([
        { provider: 'anthropic', outcome: 'refused', atMs: 3000 },
        { provider: 'local', outcome: 'ok', atMs: 3000 },
        { provider: 'openai', outcome: 'server', atMs: 2000 },
      ]);
    });

    test('takes no entry that cannot be', async () => {
      await expect(ledger.add({ ...USAGE_ENTRY, tokensIn: -1 })).rejects.toThrow(StorageError);
      await expect(ledger.add({ ...USAGE_ENTRY, tokensOut: 0.5 })).rejects.toThrow(StorageError);
      expect(await ledger.usage(0)).toEqual([]);
    });

    test('sums are exact where fractions of a dollar would not be', async () => {
      for (let call = 0; call < 10; call++) await ledger.add({ ...USAGE_ENTRY, costNanoUsd: 100_000_000 });
      expect((await ledger.usage(0))[0]?.costNanoUsd).toBe(1_000_000_000);
    });

    test('tells days, providers and models apart, a day from its first millisecond to its last', async () => {
      const day = Date.UTC(2026, 0, 31);
      for (const atMs of [day - 1, day, day + 86_399_999, day + 86_400_000]) await ledger.add({ ...USAGE_ENTRY, atMs });
      await ledger.add({ ...USAGE_ENTRY, atMs: day, model: 'n' });
      await ledger.add({ ...USAGE_ENTRY, atMs: day, provider: 'local' });
      const told = (await ledger.usage(day - 1)).map(({ day: on, provider, model, requests }) => [
        ...[on, provider, model, requests],
      ]);
      expect(told).toEqual([
        ['2026-01-30', 'openai', 'm', 1],
        ['2026-01-31', 'local', 'm', 1],
        ['2026-01-31', 'openai', 'm', 2],
        ['2026-01-31', 'openai', 'n', 1],
        ['2026-02-01', 'openai', 'm', 1],
      ]);
    });

    test('calls that are added at the same moment are all there', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, number) => ledger.add({ ...USAGE_ENTRY, requestId: `r${number}` })),
      );
      expect((await ledger.usage(0))[0]?.requests).toBe(20);
    });
  });
}
