// A PostgreSQL that dies while a synchronous replica follows it: what was answered is at the replica, and what was refused is not.

import { expect, test } from 'vitest';
import { StorageError, UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { openProxy } from '../support/chaos/cutting-proxy.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { addItem, labelsOf, openItems } from '../support/postgres-items.ts';
import { startPostgres } from '../support/postgres-server.ts';

const STEPS = 300;

test('a replica that takes over has every step that was answered, and none that was refused', async () => {
  const server = await startPostgres();
  const proxy = await openProxy();
  closeAtEnd(() => proxy.close());
  proxy.leadTo([server.url]);
  const database = await openItems(proxy.through(server.url));
  const replica = await server.startReplica();
  const fates = new Map<string, 'answered' | 'refused' | 'unknown'>();
  let killed: Promise<void> | undefined;
  const steps = Array.from({ length: STEPS }, async (_, index) => {
    try {
      await addItem(database, `${index}`);
      fates.set(`${index}`, 'answered');
      if (fates.size > STEPS / 3) killed ??= server.kill();
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      fates.set(`${index}`, error instanceof UnknownOutcomeError ? 'unknown' : 'refused');
    }
  });
  await Promise.all(steps);
  await killed;
  await replica.promote();
  proxy.leadTo([replica.url]);
  await addItem(database, 'after');
  const stored = new Set(await labelsOf(database));
  const withFate = (wanted: string): string[] =>
    [...fates].flatMap(([label, fate]) => (fate === wanted ? [label] : []));
  expect(withFate('answered').filter((label) => !stored.has(label))).toEqual([]);
  expect(withFate('refused').filter((label) => stored.has(label))).toEqual([]);
  expect(withFate('answered').length).toBeGreaterThan(STEPS / 3);
  expect(stored).toContain('after');
});
