// The session cookie in a real browser: no script reads it, and a page of another site gets nothing by it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { PASSWORD } from '../dashboard/provoke.ts';
import { startChromium } from '../support/chromium.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const INTERNAL_TOKEN = 'a-token-of-the-owner-that-is-long';
const SETUP_TIMEOUT_MS = 300_000;

const dataDir = freshDataDir();
let signalbox: RunningProcess;
let browser: Browser;
let page: Page;
let ours: string;
let evilPort: number;
const evil = createServer((_, outgoing) => outgoing.setHeader('content-type', 'text/html').end('<!doctype html>'));

beforeAll(async () => {
  signalbox = await startGatewayProcess({ dataDir, env: { INTERNAL_TOKEN } });
  await commandLineHere({ DATA_DIR: dataDir, INTERNAL_TOKEN }, [PASSWORD]).done('password');
  browser = await startChromium({ localNames: ['box.test', 'evil.test'] });
  await once(evil.listen(0, '127.0.0.1'), 'listening');
  evilPort = (evil.address() as AddressInfo).port;
  ours = `http://box.test:${new URL(signalbox.url).port}`;
  page = await (await browser.newContext()).newPage();
}, SETUP_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  evil.close();
  await signalbox?.stop();
});

/** Calls from the page that is open, as its own scripts would. */
const call = (method: string, url: string, body?: object): Promise<{ status: number; body: Record<string, never> }> =>
  page.evaluate(
    `(async () => {
      const response = await fetch(${JSON.stringify(url)}, { method: '${method}', body: ${JSON.stringify(body && JSON.stringify(body)) ?? 'undefined'} });
      return { status: response.status, body: await response.json() };
    })()`,
  );

describe('a browser that is logged in', () => {
  beforeAll(async () => {
    await page.goto(`${ours}/docs`);
    expect((await call('GET', '/trades')).status).toBe(401);
    expect((await call('POST', '/session', { password: PASSWORD })).status).toBe(200);
  }, SETUP_TIMEOUT_MS);

  it('reads and changes things from a page of ours, and after it was loaded again', async () => {
    expect((await call('GET', '/trades')).status).toBe(200);
    expect((await call('PUT', '/admin/queue-mode', { mode: 'async' })).status).toBe(200);
    await page.reload();
    expect((await call('GET', '/session')).body).toMatchObject({ result: { entry: 'session' } });
  });

  it('shows the cookie to no script', async () => {
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie, ...others] = await page.context().cookies(ours);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', secure: false });
    expect(others).toEqual([]);
  });

  // To the latter the browser sends the cookie along: another port is no other site.
  it.each([
    ['another site', 'evil.test'],
    ['another program of the same machine', 'box.test'],
  ])('lets a page of %s change nothing, try no password, and read nothing', async (_, host) => {
    await page.goto(`http://${host}:${evilPort}/`);
    const sendBlindly = (method: string, path: string, body: object) =>
      page.evaluate(
        `fetch('${ours}${path}', { method: '${method}', mode: 'no-cors', credentials: 'include', body: ${JSON.stringify(JSON.stringify(body))} })
          .then(({ type }) => type)`,
      );
    expect(await sendBlindly('POST', '/admin/webhook-keys', { label: 'planted' })).toBe('opaque');
    expect(await sendBlindly('POST', '/session', { password: 'a guess of a stranger' })).toBe('opaque');
    const read = `fetch('${ours}/trades', { credentials: 'include' }).then(() => 'read', () => 'refused')`;
    expect(await page.evaluate(read)).toBe('refused');
    await page.goto(`${ours}/docs`);
    const keys = (await call('GET', '/admin/webhook-keys')).body as unknown as { result: { label: string }[] };
    expect(keys.result.map(({ label }) => label)).not.toContain('planted');
    expect((await call('GET', '/trades')).status).toBe(200);
  });

  it('is out when it has logged out', async () => {
    expect((await call('DELETE', '/session')).body).toMatchObject({ result: { ended: true } });
    expect(await page.context().cookies(ours)).toEqual([]);
    expect((await call('GET', '/trades')).status).toBe(401);
  });
});
