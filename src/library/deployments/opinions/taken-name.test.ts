// The name of another user's second opinion: it is taken as well, and the refusal does not tell whose it is.

import { expect, test } from 'vitest';
import type { Target } from '../deployment.ts';
import { takenNameFault } from './taken-name.ts';

const target = (alertName: string, keyId = 'k'): Target => ({
  ...{ type: 'second-opinion', keyId, keyLabel: 'tv', alertName, sendMissing: false },
  ...{ lateAfterSeconds: 15, sendAfterSeconds: 25, quantityTolerancePercent: 1, priceTolerancePercent: 1 },
});
const OF_BOB = { id: 'secret-id', userId: 'bob', name: 'Bobs own', targets: [target('trend')] };

test('is refused without his deployment being named', () => {
  const fault = takenNameFault('ann', [target('trend')], [OF_BOB]);
  expect(fault).toContain('that of a deployment of another library; choose another name');
  expect(fault).not.toMatch(/secret-id|Bobs own/);
  expect(takenNameFault('ann', [target('trend', 'other key')], [OF_BOB])).toBeUndefined();
  expect(takenNameFault('ann', [{ type: 'signals' }], [OF_BOB])).toBeUndefined();
});
