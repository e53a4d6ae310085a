// A WebSocket that a session has opened ends with the session, at once and with a word why; others stay open.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it, vi } from 'vitest';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type Follower, openDesk } from './desk.ts';
import { PASSWORD } from './provoke.ts';

const INTERNAL_TOKEN = 'a-token-of-the-owner-that-is-long';
const TOKEN = { 'x-internal-auth-key': INTERNAL_TOKEN };
const ENDED = { code: 4401, reason: 'the session has ended; log in and connect again' };

/** With a token set this machine is a stranger too. */
async function openOwner() {
  const desk = await openDesk({ INTERNAL_TOKEN });
  const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(desk.url() + path, {
      method,
      headers: { origin: desk.url(), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await call('PUT', '/session/password', TOKEN, { password: PASSWORD })).status).toBe(200);
  const enter = async () => {
    const answer = await call('POST', '/session', {}, { password: PASSWORD });
    const headers = { origin: desk.url(), cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    const { result } = (await answer.json()) as { result: { sessionId: string } };
    return {
      id: result.sessionId,
      ask: (method: string, path: string, body?: object) => call(method, path, headers, body),
      follow: () => desk.follow('', headers),
    };
  };
  /** The owner's database as another process has it open. */
  const elsewhere = () => {
    const storage = openSettingsStorage(desk.dataDir);
    closeAtEnd(() => storage.close());
    return storage.access;
  };
  return { desk, call, enter, elsewhere };
}

const isClosed = ({ closed }: Follower) =>
  vi.waitFor(() => expect(closed).toEqual([ENDED]), { timeout: 30_000, interval: 20 });

/** It still answers. */
async function isOpen({ ws, frames, closed }: Follower): Promise<void> {
  const before = frames.filter(({ type }) => type === 'pong').length;
  ws.send('{"action":"ping"}');
  await vi.waitFor(() => expect(frames.filter(({ type }) => type === 'pong').length).toBe(before + 1), {
    timeout: 30_000,
    interval: 20,
  });
  expect(closed).toEqual([]);
}

/** What the page of the dashboard sends, opened from another machine by this address. */
async function enterAt(desk: Awaited<ReturnType<typeof openOwner>>['desk'], host: string) {
  const page = { host, origin: `http://${host}` };
  const asked = request(`${desk.url()}/session`, { method: 'POST', headers: page });
  asked.end(JSON.stringify({ password: PASSWORD }));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return { status: answer.statusCode, page, cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

it.each(['192.168.1.5:8787', 'box.lan:8787'])(
  'is opened by the page of %s with its session, without ALLOWED_ORIGINS and BASE_URL, and by no other page',
  async (host) => {
    const { desk } = await openOwner();
    const { status, page, cookie } = await enterAt(desk, host);
    expect(status).toBe(200);
    await isOpen(await desk.follow('', { ...page, cookie }));
    await expect(desk.follow('', page)).rejects.toThrow('401');
    for (const origin of [`http://${host.replace('8787', '3000')}`, 'http://evil.example'])
      await expect(desk.follow('', { ...page, origin, cookie })).rejects.toThrow('403');
  },
);

it('is not opened under a name that somebody lets lead here, where no password is tried either', async () => {
  const { desk } = await openOwner();
  const { status, page } = await enterAt(desk, 'evil.example:8787');
  expect(status).toBe(403);
  await expect(desk.follow('', page)).rejects.toThrow('403');
  const open = await openDesk();
  await expect(open.follow('', page)).rejects.toThrow('403');
});

it('of this machine while no token is set is opened by its own page and by programs, and by no page of another port', async () => {
  const desk = await openDesk();
  for (const headers of [{}, { origin: desk.url() }, { origin: desk.url(), 'sec-fetch-site': 'same-origin' }])
    await isOpen(await desk.follow('', headers as Record<string, string>));
  await expect(desk.follow('', { origin: 'http://127.0.0.1:3000' })).rejects.toThrow('401');
  await expect(desk.follow('', { origin: desk.url(), 'sec-fetch-site': 'same-site' })).rejects.toThrow('401');
});

it('is closed when its session is revoked or logged out, and those of other sessions and of the token are not', async () => {
  const { desk, enter } = await openOwner();
  const [laptop, phone] = [await enter(), await enter()];
  const [one, other, kept] = [await laptop.follow(), await laptop.follow(), await phone.follow()];
  const byToken = await desk.follow('', TOKEN);
  expect((await phone.ask('DELETE', `/sessions/${laptop.id}`)).status).toBe(200);
  for (const socket of [one, other]) await isClosed(socket);
  await isOpen(kept);
  expect((await phone.ask('DELETE', '/session')).status).toBe(200);
  await isClosed(kept);
  await isOpen(byToken);
});

it('is closed when the password is changed, but for the session that changed it', async () => {
  const { enter } = await openOwner();
  const [laptop, phone] = [await enter(), await enter()];
  const [own, other] = [await laptop.follow(), await phone.follow()];
  const change = { password: 'four other words here', current: PASSWORD };
  expect((await laptop.ask('PUT', '/session/password', change)).status).toBe(200);
  await isClosed(other);
  await isOpen(own);
});

it('is closed when its cookie turns out to be copied', async () => {
  const { enter, elsewhere } = await openOwner();
  const [laptop, phone] = [await enter(), await enter()];
  const [own, other] = [await laptop.follow(), await phone.follow()];
  // As if the secret had been replaced long ago: the cookie is an old one.
  await elsewhere().change((rows) => {
    const session = rows.sessions().find(({ id }) => id === laptop.id);
    if (session !== undefined) rows.updateSession({ ...session, digest: 'f'.repeat(64) });
  });
  await isOpen(own);
  expect((await laptop.ask('GET', '/trades')).status).toBe(401);
  await isClosed(own);
  await isOpen(other);
});

it('is closed when its time is over, and when another process has ended it', async () => {
  const { enter, elsewhere } = await openOwner();
  const [laptop, phone, tablet] = [await enter(), await enter(), await enter()];
  const [old, gone, kept] = [await laptop.follow(), await phone.follow(), await tablet.follow()];
  const store = elsewhere();
  await store.change((rows) => {
    const session = rows.sessions().find(({ id }) => id === laptop.id);
    if (session !== undefined) rows.updateSession({ ...session, createdAtMs: session.createdAtMs - 31 * 86_400_000 });
  });
  await isClosed(old);
  await store.change((rows) => rows.removeSession(phone.id));
  await isClosed(gone);
  await isOpen(kept);
  await store.change((rows) => rows.putPassword(undefined));
  await isClosed(kept);
});
