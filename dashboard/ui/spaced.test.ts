// Names of the server as words.

import { expect, test } from 'vitest';
import { spaced } from './spaced.ts';

test.each([
  ['killSwitch', 'kill switch'],
  ['webhookKey', 'webhook key'],
  ['delivery-failed', 'delivery failed'],
  ['no-opinion', 'no opinion'],
  ['re-anchored', 're-anchored'],
  ['created', 'created'],
  ['QUEUE_MODE', 'QUEUE_MODE'],
])('%s: %s', (name, words) => expect(spaced(name)).toBe(words));
