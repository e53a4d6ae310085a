// The way into the dashboard from elsewhere, in a real browser: password, codes, sessions that end, and nothing before that.

import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, startDashboard } from '../support/dashboard-browser.ts';

const WAIT = { timeout: 30_000 };
const INTERNAL_TOKEN = 'the-internal-token-of-the-login-test';
const PASSWORD = 'a long password of the owner';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  // With a token nobody passes without it, also from this machine: the dashboard needs a login.
  dashboard = await startDashboard({ env: { INTERNAL_TOKEN } });
}, 300_000);

const asOwner = async (path: string, method: string, body?: object): Promise<Response> =>
  fetch(`${dashboard.signalbox.url}${path}`, {
    ...{ method, headers: { 'x-internal-auth-key': INTERNAL_TOKEN, 'content-type': 'application/json' } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const logIn = async (page: Page, password: string): Promise<void> => {
  await page.getByLabel('Password').fill(password, WAIT);
  await page.getByRole('button', { name: 'Log in' }).click();
};

/** What an authenticator app shows. */
function codeOf(secret: string, atMs: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('the dashboard from elsewhere', () => {
  test('says how to set a password while there is none', async () => {
    const { page } = await dashboard.open();
    await page.getByText('npx signalbox password').waitFor(WAIT);
    expect(await page.getByText('Overview').count()).toBe(0);
  });

  test('asks for the password, shows nothing before it, and stays open over a reload', async () => {
    expect((await asOwner('/session/password', 'PUT', { password: PASSWORD })).status).toBe(200);
    const { page } = await dashboard.open();
    await page.getByLabel('Password').waitFor(WAIT);
    await expectAccessible(page);
    expect(await page.getByText('Equity').count()).toBe(0);
    await logIn(page, 'a wrong one of enough letters');
    await page.getByRole('alert').waitFor(WAIT);
    await logIn(page, PASSWORD);
    await page.getByText('All systems well').waitFor(WAIT);
    await page.reload();
    await page.getByText('All systems well').waitFor(WAIT);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  });

  test('is closed again as soon as the session is ended elsewhere', async () => {
    const { page } = await dashboard.open();
    await logIn(page, PASSWORD);
    await page.getByText('All systems well').waitFor(WAIT);
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
  });

  test('hears it from the stream of events, and waits for no other answer', async () => {
    const { page } = await dashboard.open();
    const live = page.waitForEvent('websocket', { predicate: (socket) => socket.url().includes('/events'), ...WAIT });
    await logIn(page, PASSWORD);
    await (await live).waitForEvent('framereceived', WAIT);
    // Whatever else is asked from here on is never answered.
    await page.route(
      ({ pathname }) => pathname !== '/session',
      () => {},
    );
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
  });

  test('lists who is logged in, and logs out one of them and itself', async () => {
    const [first, second] = [(await dashboard.open()).page, (await dashboard.open({ place: '#/access' })).page];
    await logIn(first, PASSWORD);
    await logIn(second, PASSWORD);
    const rows = second.getByRole('table', { name: 'Logged in' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await second.getByText('this one').waitFor(WAIT);
    await second.getByRole('button', { name: 'Log out all others' }).click();
    await first.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    await second.getByRole('button', { name: 'Log out here' }).click();
    await second.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
  });

  test.each<[how: string, end: (page: Page) => Promise<unknown>]>([
    ['one logs out', (page) => page.getByRole('button', { name: 'Log out here' }).click(WAIT)],
    ['the session is ended elsewhere', () => asOwner('/sessions', 'DELETE')],
  ])('leaves no key of its owner in the browser when %s', async (_, end) => {
    const { page } = await dashboard.open({ place: '#/access' });
    await logIn(page, PASSWORD);
    await page.getByText('this one').waitFor(WAIT);
    await page.evaluate(`localStorage.setItem('signalbox.scriptKey', 'pn_${'1'.repeat(48)}')`);
    await page.evaluate(`localStorage.setItem('signalbox.theme', 'dark')`);
    // Another tab of the same browser, which shows what the key opens.
    const other = await page.context().newPage();
    await other.goto(`${dashboard.signalbox.url}/#/access`);
    await other.getByText('this one').waitFor(WAIT);
    const keyIn = (each: Page): Promise<unknown> => each.evaluate(`localStorage.getItem('signalbox.scriptKey')`);
    expect(await keyIn(page)).not.toBeNull();
    await end(page);
    for (const each of [page, other]) {
      await each.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
      expect(await keyIn(each)).toBeNull();
    }
    // What is no secret stays.
    expect(await page.evaluate(`localStorage.getItem('signalbox.theme')`)).toBe('dark');
  });

  test('asks for a code too once that is turned on, and no more when it is turned off', async () => {
    const { page } = await dashboard.open({ place: '#/access' });
    await logIn(page, PASSWORD);
    const codes = page.getByRole('region', { name: 'Codes' });
    await codes.getByLabel('Password').fill(PASSWORD, WAIT);
    await codes.getByRole('button', { name: 'Turn codes on' }).click();
    const secret = (await codes.locator('code').first().textContent(WAIT)) ?? '';
    // Each code lets in once, so this one is that of the step before.
    await codes.getByLabel('The code that the app shows now').fill(codeOf(secret, Date.now() - 30_000));
    await codes.getByRole('button', { name: 'Turn codes on' }).click();
    await codes.getByText('they are shown this once').waitFor(WAIT);
    await expectAccessible(page);
    const other = (await dashboard.open()).page;
    await logIn(other, PASSWORD);
    await other.getByLabel('Code').fill(codeOf(secret, Date.now()), WAIT);
    await other.getByRole('button', { name: 'Log in' }).click();
    await other.getByText('All systems well').waitFor(WAIT);
    // Every code of the app so far has been used.
    const recoveryCode = (await codes.locator('.recovery-codes code').first().textContent(WAIT)) ?? '';
    await codes.getByLabel('Password').fill(PASSWORD, WAIT);
    await codes.getByLabel('A code of the app, or a recovery code').fill(recoveryCode);
    await codes.getByRole('button', { name: 'Turn codes off' }).click();
    await codes.getByRole('button', { name: 'Turn codes on' }).waitFor(WAIT);
  });
});
