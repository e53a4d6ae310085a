// What waits to be written of the refusals, and what a flood may push out of it.

import { expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { createRefusals, type RefusedSignal } from './refusals.ts';

const refused = (id: string, keyLabel?: string): RefusedSignal => ({
  id,
  receivedAtMs: 1,
  door: '/webhook',
  keyLabel,
  status: 400,
  code: 'INVALID_PAYLOAD',
  error: 'no',
  faults: [],
  body: '',
});

test('a flood under unknown keys pushes out nothing that waits under a known one', async () => {
  const written: RefusedSignal[] = [];
  const refusals = createRefusals({
    store: { add: async (rows) => void written.push(...rows), list: async () => written, find: async () => undefined },
    nowMs: () => 1,
    timers: createHandClock(1).timers,
    onTrouble: (what) => expect.unreachable(what),
  });
  refusals.record(refused('mine', 'default'));
  for (let n = 0; n < 3000; n++) refusals.record(refused(`${n}`));
  await refusals.close();
  expect(written.find(({ id }) => id === 'mine')).toBeDefined();
  expect(written).toHaveLength(1001);
});
