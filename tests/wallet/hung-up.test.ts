// A client that hangs up while its swap waits for an approval, over a real socket: the swap is not signed behind its back.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { TOKEN } from '../../src/wallet/testing/fake-chain.ts';
import { eventually } from '../webhook/answers.ts';
import { openWalletGateway, WITH_TOKEN } from './open-wallet-gateway.ts';

it('ends the swap after its approval, and the next one that is asked for uses that approval', async () => {
  const gateway = await openWalletGateway();
  const { app, fake } = gateway;
  const server = await listen({ listener: nodeListener(app), host: '127.0.0.1', port: 0 });
  const body = { chain: 'ethereum', tokenIn: TOKEN, tokenOut: 'native', amountIn: '1000' };
  const operations = async (): Promise<string[]> =>
    (await gateway.ask('transactions')).body.result.map(({ operation }: { operation: string }) => operation);

  const asked = request(`${server.url}/wallet/swap`, { method: 'POST', headers: WITH_TOKEN });
  // Our own hanging up is told as an error too.
  asked.on('error', () => {});
  asked.end(JSON.stringify(body));
  await eventually(operations, (found) => found.length === 1);
  asked.destroy();
  // Long enough for the server to notice before the approval is mined, and in turns, so that a busy machine lets it.
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  fake.mine(3);
  await gateway.wallet.look();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await operations()).toEqual(['approve']);

  const again = await gateway.ask('swap', body);
  expect([again.status, again.body.error]).toEqual([200, undefined]);
  expect(await operations()).toEqual(['swap', 'approve']);
  await server.stop(0);
});
