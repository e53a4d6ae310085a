// The real program does not start on an address that others can reach unless both tokens are set, and says why.
//
// Which addresses those are is asked in src/config.test.ts, at every boundary; here one of each kind, in a process of its own.

import { existsSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { freshDataDir, spawnSignalbox, startGatewayProcess } from '../support/process.ts';

const TOKENS = { INTERNAL_TOKEN: 'internal-token-0123456789', ADMIN_TOKEN: 'admin-token-0123456789' };
const HAS_IPV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
/** Far longer than a refusal takes; a program that started after all is ended. */
const PATIENCE_MS = 60_000;

/** What it printed, after it ended with 1. */
async function refusal(env: Record<string, string>, cwd?: string): Promise<string> {
  const child = spawnSignalbox(['start'], env, cwd);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  expect([code, output]).toEqual([1, expect.stringContaining('Signalbox cannot start')]);
  return output;
}

describe('an address that others can reach', () => {
  it.each(['0.0.0.0', '[::]', 'box.example'])(
    'HOST=%s without tokens refuses to start, before anything is opened',
    async (host) => {
      const dataDir = join(freshDataDir(), 'untouched');
      const output = await refusal({ HOST: host, DATA_DIR: dataDir });
      expect(output).toContain('can be reached from other machines');
      expect(output).toContain('Set INTERNAL_TOKEN and ADMIN_TOKEN (for example from "openssl rand -hex 32")');
      expect(output).toContain('or set HOST=127.0.0.1');
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  it('one token alone is not enough, nor an empty other one', async () => {
    const output = await refusal({ HOST: '0.0.0.0', DATA_DIR: freshDataDir(), ...TOKENS, ADMIN_TOKEN: '  ' });
    expect(output).toContain('without ADMIN_TOKEN anyone there could see and steer your trades. Set ADMIN_TOKEN (');
  });

  it('a short token starts with a loud warning, in the log and in /ready', async () => {
    const program = await startGatewayProcess({ env: { HOST: '0.0.0.0', INTERNAL_TOKEN: 'short', ADMIN_TOKEN: 'x' } });
    const { warnings } = (await (await fetch(`${program.url}/ready`)).json()) as { warnings: unknown };
    for (const name of ['INTERNAL_TOKEN', 'ADMIN_TOKEN']) {
      expect(JSON.stringify(warnings)).toContain(`${name} is SHORT`);
      // The log has a stream of its own, which may arrive after the greeting.
      await vi.waitFor(() => expect(program.output()).toContain(`${name} is SHORT`), { timeout: 30_000 });
    }
    await program.stop();
  });

  it('from the file .env counts like one from the environment', async () => {
    const folder = freshDataDir();
    writeFileSync(join(folder, '.env'), 'HOST=0.0.0.0\n');
    expect(await refusal({ DATA_DIR: join(folder, 'data') }, folder)).toContain('HOST: 0.0.0.0 can be reached');
  });

  it('with both tokens starts, and then even this machine needs the internal one', async () => {
    const program = await startGatewayProcess({ env: { HOST: '0.0.0.0', ...TOKENS } });
    const url = `http://127.0.0.1:${new URL(program.url).port}/signals`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { 'x-internal-auth-key': TOKENS.ADMIN_TOKEN } })).status).toBe(401);
    expect((await fetch(url, { headers: { 'x-internal-auth-key': TOKENS.INTERNAL_TOKEN } })).status).toBe(200);
    expect(await program.stop()).toBe(0);
  });
});

describe('an address of this machine alone', () => {
  it.each(['LOCALHOST', '127.0.0.2', ...(HAS_IPV6 ? ['[::1]'] : [])])(
    'HOST=%s starts without tokens and serves this machine',
    async (host) => {
      const program = await startGatewayProcess({ env: { HOST: host } });
      expect((await fetch(`${program.url}/signals`)).status).toBe(200);
      expect(await program.stop()).toBe(0);
    },
  );
});
