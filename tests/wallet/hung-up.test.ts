// A swap that ends between its approval and itself, over a real socket: not signed behind anybody's back, and the approval
// is taken back and named.

import { request } from 'node:http';
import { expect, it } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { ROUTER, TOKEN } from '../../src/wallet/testing/fake-chain.ts';
import { eventually } from '../webhook/answers.ts';
import { openWalletGateway, type WalletGateway, WITH_TOKEN } from './open-wallet-gateway.ts';

const body = { chain: 'ethereum', tokenIn: TOKEN, tokenOut: 'native', amountIn: '1000' };
const approvals = (gateway: WalletGateway) => async (): Promise<string[]> =>
  (await gateway.ask('transactions')).body.result.map(
    ({ operation, details }: { operation: string; details: { amount: string } }) => `${operation} ${details.amount}`,
  );

it('takes the approval back when its client hangs up, and the next swap makes its own', async () => {
  const gateway = await openWalletGateway();
  const { app, fake } = gateway;
  const server = await listen({ listener: nodeListener(app), host: '127.0.0.1', port: 0 });
  const rows = approvals(gateway);

  const asked = request(`${server.url}/wallet/swap`, { method: 'POST', headers: WITH_TOKEN });
  // Our own hanging up is told as an error too.
  asked.on('error', () => {});
  asked.end(JSON.stringify(body));
  await eventually(rows, (found) => found.length === 1);
  asked.destroy();
  await eventually(rows, (found) => found.length === 2);
  expect(await rows()).toEqual(['approve 0', 'approve 1000']);
  // The one that takes it back is not in a block yet: what stands now must not be taken for the next swap's.
  fake.world.allowance = 1000n;
  const miner = setInterval(() => fake.mine(), 5);
  const again = await gateway.ask('swap', body);
  clearInterval(miner);
  expect([again.status, again.body.error]).toEqual([200, undefined]);
  expect(await rows()).toEqual(['swap 1000', 'approve 1000', 'approve 0', 'approve 1000']);
  await server.stop(0);
});

it('names the approval and its allowance when the ledger fails after it', async () => {
  let isBroken = false;
  const gateway = await openWalletGateway({
    aroundLedger: (real) => ({
      ...real,
      reserve: async (...given) => {
        if (isBroken) throw new StorageError('the disk that holds /home/me/wallet.db is full');
        isBroken = true;
        return real.reserve(...given);
      },
    }),
  });
  const miner = setInterval(() => gateway.fake.mine(), 5);
  const { status, body: answer } = await gateway.ask('swap', body);
  clearInterval(miner);
  expect([status, answer.code]).toEqual([500, 'STORAGE_FAILED']);
  expect(answer.error).not.toContain('nothing was sent');
  const named = `the approval ${answer.result.hash} of 1000 for ${ROUTER} is in a block and still stands; take it back with approve`;
  expect(answer.error).toContain(named);
  expect(answer.result).toMatchObject({ operation: 'approve', details: { amount: '1000' } });
  expect(gateway.troubles.join()).toContain(named);
  expect(gateway.troubles.join()).toContain('wallet.db is full');
});
