// The owner's way in over real sockets and both processes: what a session opens behind the door, where keys rule it is worth nothing,
// and it outlives a restart. A token is set, so that this machine is a stranger too.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { commandLineHere } from '../cli/command-line.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess, startProcess } from '../support/process.ts';
import { follow } from './desk.ts';
import { PASSWORD } from './provoke.ts';

const INTERNAL_TOKEN = 'a-token-of-the-owner-that-is-long';
const ADMIN_TOKEN = 'a-token-of-the-admin-that-is-long';
const WALLET_PRIVATE_KEY = `0x${'1'.repeat(64)}`;
const WALLET_TOKEN = 'a-token-of-the-wallet-that-is-long';
const ENV = { INTERNAL_TOKEN, ADMIN_TOKEN, WALLET_PRIVATE_KEY, WALLET_TOKEN };

const dataDir = freshDataDir();
let signalbox: RunningProcess;
beforeAll(async () => {
  signalbox = await startProcess({ dataDir, env: ENV });
});
afterAll(() => signalbox.stop());

type Headers = Record<string, string>;
const ask = (method: string, path: string, headers: Headers, body?: object) =>
  fetch(signalbox.url + path, {
    method,
    headers: { origin: new URL(signalbox.url).origin, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const statusOf = async (...call: Parameters<typeof ask>) => (await ask(...call)).status;
const codeOf = async (...call: Parameters<typeof ask>) =>
  ((await (await ask(...call)).json()) as { code: string }).code;

const followed = (headers: Headers) => follow(`${signalbox.url}/events`, headers);

async function logIn(): Promise<Headers> {
  const answer = await ask('POST', '/session', {}, { password: PASSWORD });
  expect(answer.status).toBe(200);
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

describe('with a password that was set beside the running instance', () => {
  let cookie: Headers;
  beforeAll(async () => {
    const cli = commandLineHere({ DATA_DIR: dataDir, ...ENV }, [PASSWORD]);
    expect(await cli.done('password')).toContain('The password is set');
    cookie = await logIn();
  });

  it('a session opens what is internal, in both processes, for pages of ours', async () => {
    for (const path of ['/trades', '/admin/kill-switch', '/admin/deployments', '/bars/archive']) {
      const [stranger, owner] = [await statusOf('GET', path, {}), await statusOf('GET', path, cookie)];
      expect([path, stranger]).toEqual([path, 401]);
      expect([path, owner]).not.toEqual([path, 401]);
    }
    expect(await statusOf('GET', '/admin/deployments', cookie)).toBe(200);
    expect(await statusOf('GET', '/admin/deployments', { ...cookie, origin: 'https://evil.example' })).toBe(401);
    expect(await statusOf('GET', '/admin/deployments', { ...cookie, 'sec-fetch-site': 'cross-site' })).toBe(401);
  });

  it('it opens the stream of events to pages of ours, and to nobody else’s', async () => {
    const knock = (headers: Headers): Promise<number> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${signalbox.url.replace('http', 'ws')}/events`, { headers });
        socket.on('open', () => {
          socket.terminate();
          resolve(101);
        });
        socket.on('unexpected-response', (request, { statusCode = 0 }) => {
          request.destroy();
          resolve(statusCode);
        });
        socket.on('error', reject);
      });
    const { origin } = new URL(signalbox.url);
    expect(await knock({ ...cookie, origin })).toBe(101);
    expect(await knock({ ...cookie, 'sec-fetch-site': 'same-origin' })).toBe(101);
    expect(await knock({ origin })).toBe(401);
    expect(await knock(cookie)).toBe(401);
    expect(await knock({ ...cookie, 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect([401, 403]).toContain(await knock({ ...cookie, origin: 'https://evil.example' }));
    expect(await statusOf('GET', '/trades', cookie)).toBe(200);
  });

  it('it opens what this machine may see too, for one that came through a proxy', async () => {
    const proxied = { 'x-forwarded-for': '203.0.113.7' };
    expect(await statusOf('GET', '/metrics', proxied)).toBe(401);
    expect(await statusOf('GET', '/metrics', { ...proxied, ...cookie })).toBe(200);
  });

  it('nobody vouches for himself', async () => {
    const headers = { 'x-signalbox-peer': '1.1 127.0.0.1 owner' };
    expect(await statusOf('GET', '/admin/deployments', headers)).toBe(401);
  });

  it('it is no key: neither of the script worker, nor of the Analysis API, nor of whoever makes keys', async () => {
    expect(await statusOf('GET', '/api/scripts', cookie)).toBe(401);
    expect(await statusOf('POST', '/api/deployments', cookie, {})).toBe(401);
    expect(await statusOf('GET', '/auth/usage', cookie)).toBe(401);
    expect(await statusOf('POST', '/api/keys', cookie)).toBe(403);
    expect(await statusOf('POST', '/auth/create_key', cookie)).toBe(403);
  });

  it('it reads the wallet, and its writes still ask for their own token', async () => {
    expect(await codeOf('POST', '/wallet/status', {}, { network: 'ethereum' })).toBe('UNAUTHORIZED');
    expect(await codeOf('POST', '/wallet/status', cookie, { network: 'ethereum' })).not.toBe('UNAUTHORIZED');
    const transfer = { network: 'ethereum', to: `0x${'2'.repeat(40)}`, amount: '1' };
    expect(await codeOf('POST', '/wallet/transfer', cookie, transfer)).toBe('UNAUTHORIZED');
  });

  it('it is refused at once when its session is revoked on the command line, and its socket is closed', async () => {
    const other = await logIn();
    const cli = commandLineHere({ DATA_DIR: dataDir, ...ENV });
    const listed = (await cli.json('sessions')).body.result as { sessionId: string }[];
    expect(listed).toHaveLength(2);
    const answer = await ask('GET', '/sessions', other);
    const rows = ((await answer.json()) as { result: { sessionId: string; current: boolean }[] }).result;
    const own = rows.find(({ current }) => current)?.sessionId ?? '';
    const { origin } = new URL(signalbox.url);
    const [gone, kept] = [await followed({ ...other, origin }), await followed({ ...cookie, origin })];
    expect(await cli.done('sessions', 'revoke', own)).toContain(`Ended session ${own}`);
    await expect.poll(() => gone.closed, { timeout: 30_000 }).toMatchObject([{ code: 4401 }]);
    expect(kept.closed).toEqual([]);
    kept.ws.terminate();
    expect(await statusOf('GET', '/trades', other)).toBe(401);
    expect(await statusOf('GET', '/trades', cookie)).toBe(200);
  });

  it('it outlives a restart of the instance', async () => {
    await signalbox.stop();
    signalbox = await startProcess({ dataDir, env: { ...ENV, PORT: new URL(signalbox.url).port } });
    expect(await statusOf('GET', '/trades', cookie)).toBe(200);
    expect(await statusOf('GET', '/admin/deployments', cookie)).toBe(200);
  });

  it('it ends when the password is changed or removed on the command line, and its socket with it', async () => {
    const cli = commandLineHere({ DATA_DIR: dataDir, ...ENV }, ['another row of words']);
    const socket = await followed({ ...cookie, origin: new URL(signalbox.url).origin });
    expect(await cli.done('password')).toContain('Every session has ended');
    await expect.poll(() => socket.closed, { timeout: 30_000 }).toMatchObject([{ code: 4401 }]);
    expect(await statusOf('GET', '/trades', cookie)).toBe(401);
    expect(await statusOf('POST', '/session', {}, { password: PASSWORD })).toBe(401);
    expect(await cli.done('password', '--remove', '--yes')).toContain('removed');
    expect(await statusOf('POST', '/session', {}, { password: 'another row of words' })).toBe(401);
    expect(await statusOf('GET', '/trades', { 'x-internal-auth-key': INTERNAL_TOKEN })).toBe(200);
  });

  it('and the log and everything that was said hold no password and no cookie', () => {
    const said = signalbox.output();
    expect(said).not.toContain(PASSWORD);
    for (const part of (cookie.cookie ?? '').split(/[=.]/).slice(1)) expect(said).not.toContain(part);
  });
});

describe('listening to other machines without an internal token', () => {
  it('needs a password in its place, and lets a session in from there', async () => {
    const folder = freshDataDir();
    await (await startGatewayProcess({ dataDir: folder })).stop();
    const open = { HOST: '0.0.0.0', ADMIN_TOKEN };
    const cli = commandLineHere({ DATA_DIR: folder, ...open }, [PASSWORD]);
    expect(await cli.refused(1, 'sessions')).toContain('A password of the dashboard will do');
    await cli.done('password');
    const exposed = await startGatewayProcess({ dataDir: folder, env: open });
    const url = `http://127.0.0.1:${new URL(exposed.url).port}`;
    // As from another machine: it came through something.
    const afar = { origin: url, 'x-forwarded-for': '203.0.113.7' };
    const call = (path: string, headers: Headers, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { ...afar, ...headers } });
    expect((await call('/trades', {})).status).toBe(401);
    const body = JSON.stringify({ password: PASSWORD });
    const answer = await call('/session', {}, { method: 'POST', body });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await call('/trades', { cookie })).status).toBe(200);
    await exposed.stop();
    expect((await cli.json('sessions')).body.result).toMatchObject([{ address: '127.0.0.1', current: false }]);
    expect(await cli.done('sessions', 'revoke', '--all')).toContain('Ended 1 session.');
    expect((await cli.json('sessions')).body.result).toEqual([]);
  });
});
