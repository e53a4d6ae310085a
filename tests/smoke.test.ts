import { expect, it } from 'vitest';
import { openGateway } from './support/gateway.ts';

it('a signal is filled on paper', async () => {
  const gateway = await openGateway();
  const { status, body } = await gateway.send();
  expect(status).toBe(200);
  expect(body.tradeResult.status).toBe('Filled');
  await gateway.close();
});
