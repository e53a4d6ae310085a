// The real program, killed after every change of a protection, in the middle of one, and while its target and time stop close: what
// it acknowledged is there, and each part is closed once.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MOMENTS_MS, openLives } from '../durability/lives.ts';
import { unitOf } from '../support/nothing-lost.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const KEY = { WEBHOOK_API_KEYS: 'a-static-key-of-this-test' };
const ENTRY = { apiKey: KEY.WEBHOOK_API_KEYS, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

const ask = async (program: RunningProcess, method: string, path: string, body?: unknown) => {
  const init: RequestInit = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return (await (await fetch(program.url + path, init)).json()) as any;
};
const list = async (program: RunningProcess, path: string) => (await ask(program, 'GET', path)).result;

it('killed at any moment keeps every change that it acknowledged, and closes each part once', async () => {
  const options = { dataDir: freshDataDir(), env: KEY };
  const path = '/positions/binance:BTCUSDT:LONG/protection';
  let program = await startGatewayProcess(options);
  const again = async (): Promise<void> => {
    await program.kill();
    program = await startGatewayProcess(options);
  };
  expect((await ask(program, 'POST', '/webhook', { ...ENTRY, stopLoss: { percent: 60 } })).success).toBe(true);
  await again();
  expect((await list(program, path))[0].stopLoss.asked).toEqual({ percent: 60 });
  // Near the market: the target may be reached before the time stop closes the rest, or everything.
  const [{ markPrice }] = await list(program, '/positions');
  const change = {
    stopLoss: { percent: 50 },
    targets: [{ price: Math.ceil(markPrice * 1.0005), share: 0.4 }],
    breakEvenAfter: null,
  };
  expect((await ask(program, 'PUT', path, change)).success).toBe(true);
  await again();
  const [guard] = (await list(program, '/protections')) as [{ stopLoss: { asked: object }; targets: object[] }];
  expect([guard.stopLoss.asked, guard.targets.length]).toEqual([{ percent: 50 }, 1]);
  expect((await ask(program, 'PUT', path, { maxHoldSeconds: 3 })).success).toBe(true);
  for (const afterMs of [0, 700]) {
    await sleep(afterMs);
    await again();
  }
  for (let tries = 0; (await list(program, '/positions')).length > 0; tries++) {
    expect(tries).toBeLessThan(600);
    await sleep(100);
  }
  const closes = (await list(program, '/trades?limit=100')).filter(
    ({ keyLabel }: { keyLabel: string }) => keyLabel === 'protection',
  );
  const inWords = closes.map(
    (trade: Record<string, unknown>) => `${trade.source} ${trade.status} ${trade.executedQty}`,
  );
  const whole = ['time-stop Filled 0.01'];
  const parts = ['time-stop Filled 0.006', 'target Filled 0.004'];
  expect([whole, parts]).toContainEqual(inWords);
  expect(await list(program, '/protections')).toEqual([]);
  expect(await program.stop()).toBe(0);
  expect(program.output()).not.toContain('"level":"error"');
});

/** Changes one after the other until the process dies; gives what may stand then: the last one answered, or the one under way. */
async function changeUntilDead<T>(before: T, steps: readonly T[], send: (step: T) => Promise<boolean>): Promise<T[]> {
  let last = before;
  for (const step of steps) {
    if (!(await send(step))) return [last, step];
    last = step;
  }
  return [last];
}

it('killed in the middle of entries with stops, of moves and of removals leaves nothing without what it acknowledged', async () => {
  const lives = await openLives();
  const { ask } = lives;
  const { apiKey } = (await ask('POST', '/admin/webhook-keys', { label: 'fund' }))?.result ?? {};
  const enter = (symbol: string, more: object = {}) =>
    ask('POST', '/webhook', { ...ENTRY, apiKey, symbol, quantity: unitOf(symbol), ...more });
  const pathOf = (symbol: string): string => `/positions/binance:${symbol}:LONG/protection`;
  const change = async (symbol: string, percent: number | null): Promise<boolean> => {
    const body = percent === null ? undefined : { stopLoss: { percent }, takeProfit: { percent: percent + 100 } };
    return (await ask(body ? 'PUT' : 'DELETE', pathOf(symbol), body))?.success === true;
  };
  /** The distance of the stop; its take profit is changed in the same step. */
  const standing = async (symbol: string): Promise<number | null> => {
    const [guard] = (await ask('GET', pathOf(symbol)))?.result ?? [];
    if (guard === undefined) return null;
    expect(guard.takeProfit.asked.percent).toBe(guard.stopLoss.asked.percent + 100);
    return guard.stopLoss.asked.percent;
  };
  for (const symbol of ['BTCUSDT', 'SOLUSDT']) expect((await enter(symbol))?.success).toBe(true);
  const moves = Array.from({ length: 50 }, (_, step) => 59 - step);
  const removals = moves.map((percent, step) => (step % 2 === 0 ? null : percent));
  for (const [round, afterMs] of MOMENTS_MS.entries()) {
    for (const symbol of ['BTCUSDT', 'SOLUSDT']) expect(await change(symbol, 60)).toBe(true);
    const strategies = [1, 2, 3, 4].map((entry) => `entry ${round}-${entry}`);
    let changes: Promise<(number | null)[]>[] = [];
    const entered = await lives.cutOff(afterMs, () => {
      changes = [
        changeUntilDead(60, moves, (percent) => change('BTCUSDT', percent)),
        changeUntilDead<number | null>(60, removals, (percent) => change('SOLUSDT', percent)),
      ];
      return Promise.all(strategies.map((strategy) => enter('ETHUSDT', { strategy, stopLoss: { percent: 60 } })));
    });
    const [moved, removed] = await Promise.all(changes);
    expect(moved).toContain(await standing('BTCUSDT'));
    expect(removed).toContain(await standing('SOLUSDT'));
    const shares = (await ask('GET', '/positions'))?.result.find(
      ({ key }: { key: string }) => key === 'binance:ETHUSDT:LONG',
    )?.strategies;
    const held = (shares ?? []).map(({ strategy }: { strategy: string }) => strategy).sort();
    const guards: { strategy: string; stopLoss: { price: number } }[] =
      (await ask('GET', pathOf('ETHUSDT')))?.result ?? [];
    expect(guards.map(({ strategy }) => strategy).sort()).toEqual(held);
    expect(guards.every(({ stopLoss }) => stopLoss.price > 0)).toBe(true);
    for (const [entry, answer] of entered.entries()) if (answer?.success) expect(held).toContain(strategies[entry]);
  }
  await lives.end();
});

it('killed in the middle of changes while entries wait keeps the last one it acknowledged, whole, and the older entries do not undo it', async () => {
  const lives = await openLives();
  const { ask } = lives;
  const { apiKey } = (await ask('POST', '/admin/webhook-keys', { label: 'fund' }))?.result ?? {};
  const enter = async (more: object): Promise<void> =>
    expect((await ask('POST', '/webhook', { ...ENTRY, apiKey, ...more }))?.success).toBe(true);
  const pathOf = (strategy: string): string => `/positions/binance:BTCUSDT:LONG/protection?strategy=${strategy}`;
  const guardsOf = async (strategy: string) => (await ask('GET', pathOf(strategy)))?.result ?? [];
  const change = async (strategy: string, percent: number): Promise<boolean> =>
    (await ask('PUT', pathOf(strategy), { stopLoss: { percent }, takeProfit: { percent: percent + 100 } }))?.success ===
    true;
  /** The distance of the stop; its take profit is changed in the same step. */
  const standing = (guard: Record<'stopLoss' | 'takeProfit', { asked: { percent: number } }>): number => {
    expect(guard.takeProfit.asked.percent).toBe(guard.stopLoss.asked.percent + 100);
    return guard.stopLoss.asked.percent;
  };
  await enter({ strategy: 'held' });
  const [{ markPrice }] = (await ask('GET', '/positions'))?.result ?? [];
  const resting = { price: Math.round(markPrice * 0.7), stopLoss: { percent: 90 }, takeProfit: { percent: 900 } };
  await enter({ ...resting, strategy: 'held', maxHoldSeconds: 3600 });
  await enter({ ...resting, strategy: 'waits' });
  const moves = Array.from({ length: 50 }, (_, step) => 59 - step);
  for (const afterMs of MOMENTS_MS) {
    for (const strategy of ['held', 'waits']) expect(await change(strategy, 60)).toBe(true);
    const [held = [], waits = []] = await lives.cutOff(afterMs, () =>
      Promise.all(
        ['held', 'waits'].map((strategy) => changeUntilDead(60, moves, (percent) => change(strategy, percent))),
      ),
    );
    const [inForce, toCome] = await guardsOf('held');
    expect(held).toContain(standing(inForce));
    expect(toCome).toMatchObject({ status: 'waiting for the fill', stopLoss: null, takeProfit: null });
    const [waiting] = await guardsOf('waits');
    expect(waiting.status).toBe('waiting for the fill');
    expect(waits).toContain(standing(waiting));
  }
  // Taken away in a process that is killed, it is away in the next.
  for (const strategy of ['held', 'waits'])
    expect(await ask('DELETE', pathOf(strategy))).toMatchObject({ success: true, waitingEntries: 1 });
  await lives.cutOff(0, () => ask('PUT', pathOf('held'), { stopLoss: { percent: 60 } }));
  expect([(await guardsOf('held'))[1], await guardsOf('waits')]).toEqual([undefined, []]);
  expect((await ask('POST', '/orders/cancel', { all: true }))?.success).toBe(true);
  await lives.end();
});
