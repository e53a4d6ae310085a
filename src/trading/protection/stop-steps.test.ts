// What is done next so that what stands at the venue is what is wanted there.

import { describe, expect, test } from 'vitest';
import { decimal, toText } from '../decimal.ts';
import type { Protection } from './protection.ts';
import { MOVE_EVERY_MS, nextSteps, type StandingStop, type StepFacts } from './stop-steps.ts';
import type { WantedStop } from './wanted-stops.ts';

const NAME = { exchange: 'binance', mode: 'live', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
const of = (strategy: string): Protection => ({
  ...{ ...NAME, strategy, createdAtMs: 1, seenUntilMs: 0, closeRequestId: 'c' },
});
const wants = (changes: Partial<WantedStop> & { strategy?: string } = {}): WantedStop => {
  const { strategy = '', ...rest } = changes;
  const stop = { kind: 'stop', by: 'stop-loss', triggerPrice: decimal(97), quantity: decimal(2) } as const;
  return { protection: of(strategy), ...stop, leeway: decimal(0), isAlone: true, ...rest };
};
const stands = (id: string, changes: Partial<StandingStop['stored'] & StandingStop> & { strategy?: string } = {}) => {
  const { strategy = '', phase = 'waiting', isToLook = false, placedMs = 0, ...rest } = changes;
  const { market, ...account } = NAME;
  const stored = {
    ...{ clientStopId: id, share: { ...account, market, strategy }, kind: 'stop', by: 'stop-loss', createdAtMs: 0 },
    ...{ quantity: decimal(2), triggerPrice: decimal(97), ...rest },
  } as const;
  return { stored, phase, isToLook, placedMs } as StandingStop;
};
const steps = (standing: readonly StandingStop[], wanted: readonly WantedStop[], more: Partial<StepFacts> = {}) =>
  nextSteps({
    standing,
    wanted,
    isClosing: () => false,
    mayPlace: () => true,
    isEnding: () => false,
    nowMs: 100_000,
    ...more,
  }).map((step) =>
    step.do === 'place'
      ? `place ${toText(step.wanted.quantity)} at ${toText(step.wanted.triggerPrice)}`
      : `${step.do} ${step.stop.stored.clientStopId}`,
  );

describe('of one share', () => {
  test.each<[string, readonly StandingStop[], readonly WantedStop[], readonly string[]]>([
    ['nothing where all is as it should be', [stands('a')], [wants()], []],
    ['what is missing is placed', [], [wants()], ['place 2 at 97']],
    ['what is not wanted goes', [stands('a')], [], ['remove a']],
    ['a stop is no take profit', [stands('a')], [wants({ kind: 'take-profit' })], ['remove a', 'place 2 at 97']],
    [
      'a new one is placed before the old one goes',
      [stands('a', { triggerPrice: decimal(95) })],
      [wants()],
      ['place 2 at 97'],
    ],
    ['and then the old one goes', [stands('a', { triggerPrice: decimal(95) }), stands('b')], [wants()], ['remove a']],
    ['another quantity is another one', [stands('a', { quantity: decimal(1) })], [wants()], ['place 2 at 97']],
    [
      'where it is not alone the old one goes first',
      [stands('a', { quantity: decimal(1) })],
      [wants({ isAlone: false })],
      ['remove a'],
    ],
    ['nothing is placed beside one in doubt', [stands('a', { phase: 'in doubt' })], [wants()], []],
    ['nor beside one that has sent its order', [stands('a', { phase: 'sent' })], [wants({ quantity: decimal(3) })], []],
    ['one in doubt is not taken away before it is seen', [stands('a', { phase: 'in doubt' })], [], []],
    [
      'what may have changed is looked at first',
      [stands('b', { strategy: 'x' }), stands('a', { isToLook: true })],
      [wants()],
      ['look a', 'remove b'],
    ],
  ])('%s', (_, standing, wanted, expected) => {
    expect(steps(standing, wanted)).toEqual(expected);
  });

  test('one that its venue will end soon is placed anew before it goes, and after it where it is not alone', () => {
    const isEnding: StepFacts['isEnding'] = ({ clientStopId }) => clientStopId === 'old';
    const trailing = wants({ leeway: decimal(1) });
    expect(steps([stands('old')], [wants()], { isEnding })).toEqual(['place 2 at 97']);
    expect(steps([stands('old')], [trailing], { isEnding })).toEqual(['place 2 at 97']);
    expect(steps([stands('old'), stands('new')], [wants()], { isEnding })).toEqual(['remove old']);
    expect(steps([stands('old')], [wants({ isAlone: false })], { isEnding })).toEqual(['remove old']);
    expect(steps([stands('old')], [wants()], { isEnding, mayPlace: () => false })).toEqual([]);
  });

  test('what is being closed is left to its close', () => {
    expect(steps([stands('a')], [], { isClosing: () => true })).toEqual([]);
  });

  test('what was refused waits for its time', () => {
    expect(steps([], [wants()], { mayPlace: () => false })).toEqual([]);
  });
});

describe('a trail', () => {
  const trails = { by: 'trailing-stop', leeway: decimal(1) } as const;
  const behind = (price: string) => stands('a', { by: 'trailing-stop', triggerPrice: decimal(price) });
  const nowMs = MOVE_EVERY_MS;
  test.each([
    ['is left where it is less than its leeway behind', '96.01', nowMs, []],
    ['is moved where it is as much behind', '96', nowMs, ['place 2 at 97']],
    ['is not moved before its time', '90', nowMs - 1, []],
    ['is moved at once where it would act too early', '97.01', nowMs - 1, ['place 2 at 97']],
  ])('%s', (_, price, at, expected) => {
    expect(steps([behind(price)], [wants(trails)], { nowMs: at })).toEqual(expected);
  });

  test('that takes the place of a stop loss is placed at once', () => {
    expect(steps([stands('a', { triggerPrice: decimal('96.5') })], [wants(trails)], { nowMs: 1 })).toEqual([
      'place 2 at 97',
    ]);
  });

  test('of another size is moved at once', () => {
    const other = stands('a', { by: 'trailing-stop', triggerPrice: decimal('96.5'), quantity: decimal(1) });
    expect(steps([other], [wants(trails)], { nowMs: 1 })).toEqual(['place 2 at 97']);
  });
});
