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
    await codes.getByLabel('Password').fill(PASSWORD, WAIT);
    await codes.getByRole('button', { name: 'Turn codes off' }).click();
    await codes.getByRole('button', { name: 'Turn codes on' }).waitFor(WAIT);
  });
});
