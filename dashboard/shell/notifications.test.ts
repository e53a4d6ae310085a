// Which events are worth a notification.

import { expect, test } from 'vitest';
import { isNotable } from './notifications.ts';

test.each([
  [{ kind: 'trade', step: 'filled' }, true],
  [{ kind: 'trade', step: 'partially_filled' }, true],
  [{ kind: 'trade', step: 'sending' }, false],
  [{ kind: 'alarm', state: 'raised' }, true],
  [{ kind: 'alarm', state: 'over' }, false],
  [{ kind: 'refusal' }, false],
])('%j: %s', (event, notable) => {
  expect(isNotable(event)).toBe(notable);
});
