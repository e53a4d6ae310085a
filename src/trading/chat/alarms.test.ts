// Alarms: the same one once a minute, ten in a minute at most, and a change of the kill switch always.

import { beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../errors/storage-error.ts';
import { createControls } from '../intake/controls.ts';
import { Restrictions } from '../intake/restrictions.ts';
import { NotifierError } from '../notifications/notifier.ts';
import { INITIAL_CONTROLS, memoryRestrictions, memorySettings } from '../testing/test-desk.ts';
import { type Alarms, createAlarms, watchKillSwitch } from './alarms.ts';

let nowMs: number;
let sent: string[];
let lost: string[];
let send: (text: string) => Promise<unknown>;
let alarms: Alarms;

beforeEach(() => {
  [nowMs, sent, lost] = [5000, [], []];
  send = async (text) => sent.push(text);
  alarms = createAlarms({
    send: (text) => send(text),
    monotonicMs: () => nowMs,
    onLost: (error, text) => lost.push(`${text}: ${error}`),
  });
});

describe('an alarm', () => {
  test('of one kind is sent once a minute', () => {
    alarms.raise('venue binance', 'binance is away');
    nowMs += 59_999;
    alarms.raise('venue binance', 'binance is still away');
    alarms.raise('venue bybit', 'bybit is away');
    nowMs += 1;
    alarms.raise('venue binance', 'binance is away again');
    expect(sent).toEqual(['⚠️ binance is away', '⚠️ bybit is away', '⚠️ binance is away again']);
  });

  test('is held back when ten were sent in a minute, and the next one tells how many', () => {
    for (let i = 0; i < 15; i++) alarms.raise(`kind ${i}`, `alarm ${i}`);
    expect(sent).toHaveLength(10);
    nowMs += 60_000;
    alarms.raise('kind 20', 'alarm 20');
    expect(sent.at(-1)).toBe('⚠️ alarm 20 (5 other alarms were held back; the log has them)');
    alarms.raise('kind 21', 'alarm 21');
    expect(sent.at(-1)).toBe('⚠️ alarm 21');
  });

  test('that was held back is not kept silent by that', () => {
    for (let i = 0; i < 11; i++) alarms.raise(`kind ${i}`, `alarm ${i}`);
    nowMs += 60_000;
    alarms.raise('kind 10', 'again');
    expect(sent.at(-1)).toContain('again');
  });

  test('is shortened', () => {
    alarms.raise('long', 'x'.repeat(5000));
    expect(sent[0]?.length).toBeLessThan(1010);
  });

  test('that fails is told to the log and nobody else', async () => {
    send = () => Promise.reject(new Error('down'));
    alarms.raise('kind', 'text');
    await Promise.resolve().then(() => {});
    expect(lost).toEqual(['⚠️ text: Error: down']);
  });

  test('remembers a bounded number of kinds', () => {
    for (let i = 0; i < 5000; i++) {
      nowMs += 6001;
      alarms.raise(`kind ${i}`, 'x');
    }
    expect(sent).toHaveLength(5000);
  });
});

describe('trouble', () => {
  test('with different numbers is one kind, and a path loses its folders', () => {
    alarms.trouble(
      'a step of trade 17 is not on disk yet (attempt 1)',
      new StorageError('/home/me/signalbox.db is full'),
    );
    alarms.trouble('a step of trade 18 is not on disk yet (attempt 2)', new StorageError('x'));
    expect(sent).toEqual(['⚠️ A step of trade 17 is not on disk yet (attempt 1): signalbox.db is full']);
  });

  test('with the chat itself is no news for the chat', () => {
    alarms.trouble('notification 3 was not delivered', new NotifierError('down', true));
    expect(sent).toEqual([]);
  });

  test('may be anything that was thrown', () => {
    alarms.trouble('odd', 'words');
    alarms.trouble('odder', undefined);
    expect(sent).toEqual(['⚠️ Odd: words', '⚠️ Odder: undefined']);
  });
});

describe('the kill switch', () => {
  const store = memorySettings();
  const open = () => createControls({ store, initial: INITIAL_CONTROLS, nowMs: () => 0 });
  const restrictions = new Restrictions({ store: memoryRestrictions(), nowMs: () => 0 });

  test('is told at every change of it, and at no other change', async () => {
    const controls = open();
    watchKillSwitch({ controls, restrictions, tell: alarms.tell, ownActor: 'telegram:42' });
    expect(sent).toEqual([]);
    for (let i = 0; i < 20; i++) await controls.set('killSwitch', { active: i % 2 === 0, scope: 'all' }, 'cli');
    await controls.set('killSwitch', { active: false, scope: 'entries' }, 'cli');
    await controls.set('queueMode', 'async', 'cli');
    expect(sent).toHaveLength(20);
    await controls.set('killSwitch', { active: true, scope: 'entries', reason: 'storm' }, 'telegram:42');
    expect(sent).toHaveLength(20);
    await controls.set('killSwitch', { active: false, scope: 'all' }, 'telegram:43');
    expect(sent.at(-1)).toBe('⚠️ The kill switch is off: signals trade. Turned by telegram:43');
  });

  test('of a key, strategy, account or symbol is told with whose it is, at every change of it and at no other', async () => {
    const lone = new Restrictions({ store: memoryRestrictions(), nowMs: () => 0 });
    const ema = { kind: 'strategy', name: 'ema' } as const;
    const main = { kind: 'account', name: 'binance:main' } as const;
    await lone.turnKillSwitch(main, { active: true, scope: 'all' }, 'cli');
    let actor = 'drawdown-guard';
    watchKillSwitch({
      ...{ controls: open(), restrictions: lone, tell: alarms.tell, ownActor: 'telegram:42' },
    });
    expect(sent).toEqual([]);
    await lone.setLimits(main, { rate: 1 }, actor);
    await lone.pause(ema, {}, actor);
    expect(sent).toEqual([]);
    await lone.turnKillSwitch(ema, { active: true, scope: 'entries', flatten: true, reason: 'storm' }, actor);
    await lone.setLimits(ema, { rate: 2 }, actor);
    await lone.turnKillSwitch(main, { active: false, scope: 'all' }, actor);
    expect(sent).toEqual([
      '⚠️ The kill switch of strategy "ema" is ON (entries): no new positions, closing works, every position of it is closed (storm). Turned by drawdown-guard',
      '⚠️ The kill switch of account "binance:main" is off: its signals trade. Turned by drawdown-guard',
    ]);
    actor = 'telegram:42';
    await lone.turnKillSwitch(ema, { active: false, scope: 'all' }, actor);
    expect(sent).toHaveLength(2);
  });
});
