// The wallet of the real program on a real node: a key sealed by the command line, payments through the front door, secrets kept.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';

const PASSWORD = 'correct horse battery';
const WALLET_TOKEN = 'token-of-the-wallet-0123456789';
const MAIN = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url));

let node: EvmNode;
beforeAll(async () => {
  node = await startEvmNode();
});
afterAll(() => node.kill());

/** The key goes in by standard input. */
async function importKey(dataDir: string, key: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'wallet', 'import'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(`${key}\n${PASSWORD}\n`);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('the wallet of the real program', () => {
  it('pays with a sealed key, knows its transactions after a restart, and tells the key to nobody', async () => {
    const [, sender, receiver] = node.accounts;
    const dataDir = freshDataDir();
    const imported = await importKey(dataDir, sender.privateKey);
    expect(imported).toMatchObject({ code: 0, output: expect.stringContaining(sender.address) });
    const env = {
      ...{ RPC_ETHEREUM: node.url, WALLET_KEYSTORE: join(dataDir, 'wallet.json'), WALLET_PASSWORD: PASSWORD },
      WALLET_TOKEN,
    };

    const first = await startGatewayProcess({ dataDir, env });
    const ask = async (
      url: string,
      path: string,
      body: object,
      headers: object = { 'x-wallet-token': WALLET_TOKEN },
    ) => {
      const response = await fetch(`${url}/wallet/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const before = BigInt(await node.rpc<string>('eth_getBalance', [receiver.address, 'latest']));
    const payment = { chain: 'ethereum', to: receiver.address, value: '1000' };
    expect(await ask(first.url, 'send', payment, {})).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    const paid = await ask(first.url, 'send', payment);
    expect(paid).toMatchObject({ status: 200, body: { success: true, tradeResult: { success: true } } });
    const { orderId } = paid.body.tradeResult as { orderId: string };
    expect(orderId).toMatch(/^0x[0-9a-f]{64}$/);
    const tooMuch = await ask(first.url, 'send', { ...payment, value: '1000000000000000001' });
    expect(tooMuch.status).toBeGreaterThanOrEqual(400);
    expect(BigInt(await node.rpc<string>('eth_getBalance', [receiver.address, 'latest'])) - before).toBe(1000n);
    expect(await (await fetch(`${first.url}/ready`)).json()).toMatchObject({ checks: { journal: 'ok' } });
    await first.kill();

    const second = await startGatewayProcess({ dataDir, env });
    const known = await ask(second.url, 'transactions', { chain: 'ethereum' });
    expect(JSON.stringify(known.body)).toContain(orderId);
    expect(await second.stop()).toBe(0);
    const secrets = [sender.privateKey, sender.privateKey.slice(2), PASSWORD, WALLET_TOKEN];
    const told = `${first.output()}${second.output()}${imported.output}${JSON.stringify([paid, tooMuch, known])}`;
    for (const secret of secrets) expect(told).not.toContain(secret);
    for (const file of readdirSync(dataDir))
      for (const secret of secrets) expect(readFileSync(join(dataDir, file)).includes(secret)).toBe(false);
  });

  it('refuses to start on an endpoint of another chain, and names it', async () => {
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), RPC_POLYGON: node.url });
    expect(code).toBe(1);
    expect(stderr).toContain('polygon');
    expect(stderr).not.toContain('    at ');
  });

  it('refuses to start with a signing key and without a token for it, and says how to make one', async () => {
    const env = { WALLET_PRIVATE_KEY: node.accounts[1].privateKey, RPC_ETHEREUM: node.url };
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), ...env });
    expect(code).toBe(1);
    expect(stderr).toContain('a signing key needs WALLET_TOKEN');
    expect(stderr).not.toContain(env.WALLET_PRIVATE_KEY);
  });

  it('tells all faults of its settings at once', async () => {
    const env = {
      ...{ WALLET_PRIVATE_KEY: '0x12', WALLET_ALLOWED_CONTRACTS: '0x1', WALLET_KEYSTORE: 'x.json' },
      WALLET_CAPS: 'bitcoin:native=1',
    };
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), ...env });
    expect(code).toBe(1);
    for (const name of ['WALLET_PRIVATE_KEY:', 'WALLET_ALLOWED_CONTRACTS:', 'WALLET_KEYSTORE needs', 'WALLET_CAPS:'])
      expect(stderr).toContain(name);
    expect(stderr).not.toContain('0x12');
  });
});
