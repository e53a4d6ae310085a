// Desks over one scripted venue and a real database in pretended time: for tests of what one signal comes to when its venue or disk fails.

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { TradeChanges } from '../../../tests/ports/sample-trades.ts';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import { isFinal, type TradeDetail } from '../books/journal.ts';
import type { QueueMode } from '../intake/controls.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from './hurry.ts';
import { openTestDesk, slowly, type TestDesk, type TestDeskOptions } from './test-desk.ts';

export let storage: TestData;
/** A new one for each test, as is the market. */
export let venue: ScriptedVenue;
let open: TestDesk[];
let markets = 0;
export let market: string;

/** Call it once in a test file. */
export function useScriptedDesks(): void {
  beforeAll(async () => {
    storage = await openTestData();
  });
  afterAll(() => storage.close());
  beforeEach(() => {
    hurry();
    venue = createScriptedVenue('binance', 'one-way', pretendedTimers);
    open = [];
    market = `M${++markets}USDT`;
  });
  afterEach(async () => {
    for (const { desk } of open) await passTime(desk.stop(1000));
  });
}

export async function openDesk(changes: Partial<TestDeskOptions> = {}): Promise<TestDesk> {
  const made = await openTestDesk({ ...slowly(storage.data), venues: [venue], ...changes });
  open.push(made);
  await made.desk.start({ afterCrash: true });
  return made;
}
/** The one that was opened last. */
export const stopDesk = (): Promise<void> => passTime((open.pop() as TestDesk).desk.stop(1000));
export const trade = (desk: TestDesk, mode: QueueMode, changes: TradeChanges = {}) =>
  passTime(desk.trade(mode, { ...changes, order: { market, symbol: market, ...changes.order } }));
export const detailOf = async (requestId: string): Promise<TradeDetail> =>
  (await storage.data.journal.trade(requestId)) as TradeDetail;
export async function ended(requestId: string, ...states: string[]): Promise<TradeDetail> {
  await passTimeUntil(async () => {
    const { state } = (await detailOf(requestId)).trade;
    return states.length > 0 ? states.includes(state) : isFinal(state);
  });
  return detailOf(requestId);
}
