// The way into the dashboard from elsewhere, in a real browser: password, codes, sessions that end, and nothing before that.

import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import {
  type DashboardBrowser,
  expectAccessible,
  nextStream,
  type PageOptions,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';

const WAIT = { timeout: 30_000 };
const DAY_MS = 86_400_000;
const INTERNAL_TOKEN = 'the-internal-token-of-the-login-test';
const PASSWORD = 'a long password of the owner';
const NEW_PASSWORD = 'another long password of the owner';

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

/** What the browser complains of but for what is asked before a login, or after one has ended: that is refused, and it says so. */
const wrongIn = (complaints: readonly string[]): readonly string[] =>
  complaints.filter((each) => !/status of 401|HTTP Authentication failed/.test(each));

/** Those that are logged in, as the server knows them. */
async function sessions(): Promise<readonly object[]> {
  const { result } = (await (await asOwner('/sessions', 'GET')).json()) as { result: readonly object[] };
  return result;
}

async function expectToFit(page: Page): Promise<void> {
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  expect(isTooWide).toBe(false);
}

const openToLogIn = async (options: PageOptions = {}) => {
  const opened = await dashboard.open({ place: '#/access', ...options });
  await logIn(opened.page, PASSWORD);
  const rows = opened.page.getByRole('table', { name: 'Logged in' }).getByRole('row');
  await opened.page.getByText('this one').waitFor(WAIT);
  return { ...opened, rows };
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
    const { page, complaints } = await dashboard.open({ expected: REFUSALS, colorScheme: 'dark', width: 390 });
    await page.getByText('npx signalbox password').waitFor(WAIT);
    expect(await page.getByText('Overview').count()).toBe(0);
    await expectAccessible(page);
    await expectToFit(page);
    expect(wrongIn(complaints)).toEqual([]);
  });

  test('asks for the password, shows nothing before it, and stays open over a reload', async () => {
    expect((await asOwner('/session/password', 'PUT', { password: PASSWORD })).status).toBe(200);
    const { page, complaints } = await dashboard.open({ expected: REFUSALS });
    await page.getByLabel('Password').waitFor(WAIT);
    expect(await page.getByText('Equity').count()).toBe(0);
    await logIn(page, 'a wrong one of enough letters');
    await page.getByRole('alert').waitFor(WAIT);
    await logIn(page, PASSWORD);
    await page.getByText('All systems well').waitFor(WAIT);
    await page.reload();
    await page.getByText('All systems well').waitFor(WAIT);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(wrongIn(complaints)).toEqual([]);
  });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('is for everybody: %s, %i px wide', async (colorScheme, width) => {
    const { page, complaints } = await dashboard.open({ expected: REFUSALS, place: '#/access', colorScheme, width });
    await logIn(page, 'a wrong one of enough letters');
    await page.getByRole('alert').waitFor(WAIT);
    await expectAccessible(page);
    await expectToFit(page);
    await logIn(page, PASSWORD);
    await page.getByRole('table', { name: 'Logged in' }).getByText('this one').waitFor(WAIT);
    await page.getByRole('region', { name: 'Codes' }).waitFor(WAIT);
    await expectAccessible(page);
    await expectToFit(page);
    expect(wrongIn(complaints)).toEqual([]);
  });

  test('is closed again as soon as the session is ended elsewhere', async () => {
    const { page, complaints } = await dashboard.open({ expected: REFUSALS });
    await logIn(page, PASSWORD);
    await page.getByText('All systems well').waitFor(WAIT);
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    expect(wrongIn(complaints)).toEqual([]);
  });

  test('is closed by itself when the time of its session is over', async () => {
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    const { page, complaints } = await openToLogIn({ expected: REFUSALS });
    expect(await sessions()).toHaveLength(1);
    const storage = openSettingsStorage(dashboard.signalbox.dataDir);
    closeAtEnd(() => storage.close());
    await storage.access.change((rows) => {
      for (const session of rows.sessions())
        rows.updateSession({ ...session, createdAtMs: session.createdAtMs - 31 * DAY_MS });
    });
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    expect(await page.getByText('this one').count()).toBe(0);
    await expect.poll(sessions, WAIT).toEqual([]);
    expect(wrongIn(complaints)).toEqual([]);
  });

  test('hears it from the stream of events, and waits for no other answer', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    const streams = nextStream(page);
    await logIn(page, PASSWORD);
    await streams();
    // Whatever else is asked from here on is never answered.
    await page.route(
      ({ pathname }) => pathname !== '/session',
      () => {},
    );
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
  });

  test('lists who is logged in, and logs out one of them, all others and itself', async () => {
    expect((await asOwner('/sessions', 'DELETE')).status).toBe(200);
    const own = await openToLogIn({ expected: REFUSALS, width: 1024 });
    const [one, other] = [await openToLogIn({ expected: REFUSALS }), await openToLogIn({ expected: REFUSALS })];
    await expect.poll(() => own.rows.count(), WAIT).toBe(4);
    // Which of the two it is nobody can tell by its row: both are the same browser on the same machine.
    const others = own.rows.filter({ hasNotText: 'this one' }).getByRole('button', { name: /^Log out / });
    await others.first().click();
    await expect.poll(() => own.rows.count(), WAIT).toBe(3);
    expect(await sessions()).toHaveLength(2);
    const isOut = ({ page }: typeof own): Promise<boolean> => page.getByRole('button', { name: 'Log in' }).isVisible();
    await expect.poll(async () => [await isOut(one), await isOut(other)].sort(), WAIT).toEqual([false, true]);
    expect(await isOut(own)).toBe(false);
    await own.page.getByRole('button', { name: 'Log out all others' }).click();
    for (const { page } of [one, other]) await page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    await own.page.getByRole('button', { name: 'Log out here' }).click();
    await own.page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    for (const { complaints } of [own, one, other]) expect(wrongIn(complaints)).toEqual([]);
  });

  test.each<[how: string, end: (page: Page) => Promise<unknown>]>([
    ['one logs out', (page) => page.getByRole('button', { name: 'Log out here' }).click(WAIT)],
    ['the session is ended elsewhere', () => asOwner('/sessions', 'DELETE')],
  ])('leaves no key of its owner in the browser when %s', async (_, end) => {
    const { page } = await dashboard.open({ expected: REFUSALS, place: '#/access' });
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
    const { page, complaints } = await openToLogIn({ expected: REFUSALS, colorScheme: 'dark', width: 390 });
    const codes = page.getByRole('region', { name: 'Codes' });
    await codes.getByLabel('Password').fill(PASSWORD, WAIT);
    await codes.getByRole('button', { name: 'Turn codes on' }).click();
    const secret = (await codes.locator('code').first().textContent(WAIT)) ?? '';
    // Each code lets in once, so this one is that of the step before.
    await codes.getByLabel('The code that the app shows now').fill(codeOf(secret, Date.now() - 30_000));
    await codes.getByRole('button', { name: 'Turn codes on' }).click();
    await codes.getByText('they are shown this once').waitFor(WAIT);
    await expectAccessible(page);
    await expectToFit(page);
    const other = (await dashboard.open({ expected: REFUSALS })).page;
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
    expect(wrongIn(complaints)).toEqual([]);
  });

  test('changes its password by the form, for which the present one is asked and all others are logged out', async () => {
    const [own, other] = [await openToLogIn({ expected: REFUSALS }), await openToLogIn({ expected: REFUSALS })];
    const form = own.page.getByRole('region', { name: 'Password' });
    const change = async (current: string, password: string): Promise<void> => {
      await form.getByLabel('Present password').fill(current);
      await form.getByLabel('New password').fill(password);
      await form.getByRole('button', { name: 'Change it' }).click();
    };
    await change('a wrong one of enough letters', NEW_PASSWORD);
    await form.getByRole('alert').waitFor(WAIT);
    await change(PASSWORD, NEW_PASSWORD);
    await form.getByText('The password is set.').waitFor(WAIT);
    expect(await form.getByLabel('New password').inputValue()).toBe('');
    await other.page.getByRole('button', { name: 'Log in' }).waitFor(WAIT);
    await logIn(other.page, PASSWORD);
    await other.page.getByRole('alert').waitFor(WAIT);
    await logIn(other.page, NEW_PASSWORD);
    await other.page.getByText('this one').waitFor(WAIT);
    await own.page.getByText('this one').waitFor(WAIT);
    for (const { complaints } of [own, other]) expect(wrongIn(complaints)).toEqual([]);
  });
});

describe('the dashboard on its own machine', () => {
  let open: DashboardBrowser;
  beforeAll(async () => {
    open = await startDashboard({ env: { SERVICES: 'gateway,dashboard' } });
  }, 300_000);

  test('takes a first password by the form, and stays open', async () => {
    const { page, complaints } = await open.open({ expected: REFUSALS, place: '#/access' });
    const form = page.getByRole('region', { name: 'Password' });
    await form.getByText('not set: open on this machine only').waitFor(WAIT);
    expect(await form.getByLabel('Present password').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Codes' }).count()).toBe(0);
    const set = async (password: string): Promise<void> => {
      await form.getByLabel('Password').fill(password);
      await form.getByRole('button', { name: 'Set it' }).click();
    };
    await set('short');
    await form.getByRole('alert').getByText('at least').waitFor(WAIT);
    await set(PASSWORD);
    await form.getByText('The password is set.').waitFor(WAIT);
    await form.getByLabel('Present password').waitFor(WAIT);
    await page.getByRole('region', { name: 'Codes' }).waitFor(WAIT);
    await page.getByText('Nobody is logged in').waitFor(WAIT);
    await expectAccessible(page);
    await page.reload();
    await form.getByText('set', { exact: true }).waitFor(WAIT);
    // One was too short.
    expect(complaints).toEqual([expect.stringContaining('status of 422')]);
  });
});
