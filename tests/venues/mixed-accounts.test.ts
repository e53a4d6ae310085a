// What chaos compares in the end finds a product that mixes up two accounts of one venue: each way of doing so is tried on one that does, and
// a product that does not has no fault.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { liveConfig, WEBHOOK_KEY } from '../support/live-gateway.ts';
import type { Break } from '../support/venue-chaos/broken-product.ts';
import {
  addressesOf,
  type ChaosAccounts,
  closeChaosAccounts,
  openChaosAccounts,
  storeAccounts,
} from '../support/venue-chaos/chaos-accounts.ts';
import { compareBooks, positionFaults } from '../support/venue-chaos/compare-books.ts';
import { stopFaults } from '../support/venue-chaos/compare-stops.ts';
import { fastClock } from '../support/venue-chaos/fast-clock.ts';
import { KillableGateway } from '../support/venue-chaos/killable-gateway.ts';

const LOOK_EVERY_MS = 100;
/** In fast time as long as a request that is tried again after its time limit. */
const STANDING_LOOKS = 15;
const PATIENCE_LOOKS = 600;
const SETTINGS = { WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'error' };
/** The second account opens, closes and opens the other way beside the first, in one market. */
const SIGNALS = [
  { account: 'main', action: 'LONG', quantity: 0.01, stopLoss: { percent: 2 } },
  { account: 'second', action: 'SHORT', quantity: 0.02, stopLoss: { percent: 2 } },
  { account: 'second', action: 'CLOSE_SHORT', quantity: 0.02 },
  { account: 'second', action: 'SHORT', quantity: 0.03, stopLoss: { percent: 3 } },
];

interface World {
  readonly accounts: ChaosAccounts;
  readonly dataDir: string;
  readonly gateway: KillableGateway;
}

async function openWorld(broken?: Break): Promise<World> {
  const epochMs = Date.now();
  const accounts = await openChaosAccounts(fastClock(epochMs));
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-mixed-'));
  for (const { prices } of accounts.values()) prices.setPrice('BTCUSDT', '50000');
  const venues = addressesOf(accounts);
  await storeAccounts(liveConfig(dataDir, SETTINGS, venues), accounts);
  const gateway = new KillableGateway({ epochMs, dataDir, settings: SETTINGS, env: {}, venues, broken });
  closeAtEnd(async () => {
    await gateway.kill();
    await closeChaosAccounts(accounts);
    rmSync(dataDir, { recursive: true, force: true });
  });
  await gateway.start();
  return { accounts, dataDir, gateway };
}

async function trade({ gateway }: World): Promise<void> {
  for (const signal of SIGNALS)
    await gateway.ask('POST', '/webhook', { apiKey: WEBHOOK_KEY, exchange: 'bybit', symbol: 'BTCUSDT', ...signal });
}

async function faultsOf({ accounts, dataDir, gateway }: World): Promise<readonly string[]> {
  const list = async (path: string) => (await gateway.ask('GET', path))?.body.result ?? [];
  await gateway.ask('POST', '/reconciliation');
  const [positions, protections] = [await list('/positions'), await list('/protections')];
  return [
    ...positionFaults(
      positions.filter(({ quantity }: { quantity: number }) => quantity !== 0),
      accounts,
    ),
    ...stopFaults(accounts, { protections, positions }),
    ...compareBooks(dataDir, accounts, []),
  ];
}

/** Looks until it has been so for a while. */
async function stands(world: World, isSo: (faults: readonly string[]) => boolean): Promise<readonly string[]> {
  let faults: readonly string[] = [];
  for (let look = 0, standing = 0; look < PATIENCE_LOOKS && standing < STANDING_LOOKS; look += 1) {
    faults = await faultsOf(world);
    standing = isSo(faults) ? standing + 1 : 0;
    await sleep(LOOK_EVERY_MS);
  }
  return faults;
}

test('two accounts that are kept apart have no fault', async () => {
  const world = await openWorld();
  await trade(world);
  expect(await stands(world, (faults) => faults.length === 0)).toEqual([]);
  const held = [...world.accounts.values()].flatMap(({ words, market }) =>
    market.account.heldPositions().map(({ quantity }) => `${words} ${quantity > 0n ? 'LONG' : 'SHORT'}`),
  );
  expect(held).toEqual(['bybit LONG', 'bybit:second SHORT']);
});

test.each<[Break, RegExp]>([
  ['the credentials of main', /^sbx\w+ \(filled\) was never at bybit:second/],
  ['orders are looked up at main', /^sbx\w+ \(.*0 is booked, bybit:second has executed 0\.02/],
  ['positions are those of main', /^positions differ: /],
  ['stops are removed from main', /^bybit:second BTCUSDT SHORT 0\.0\d: stops for 0\.0\d wait there/],
])('%s: it is found', async (broken, fault) => {
  const world = await openWorld(broken);
  await trade(world);
  const faults = await stands(world, (found) => found.some((words) => fault.test(words)));
  expect(faults).toContainEqual(expect.stringMatching(fault));
});
