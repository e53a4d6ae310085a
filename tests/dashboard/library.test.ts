// The script library in a real browser: keys, examples, drafts, saving, two tabs, versions, folders and search.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type DashboardBrowser,
  expectAccessible,
  LOST_SERVER,
  type OpenedPage,
  type PageOptions,
  REFUSALS,
  startDashboard,
} from '../support/dashboard-browser.ts';
import { loseNextAnswer } from '../support/lost-answer.ts';
import { makeScriptKey, pasteScriptKey } from '../support/script-key.ts';

/** A first run may have to install the browser. */
const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };
const TEXT = '//@version=6\nindicator("t")\nplot(close)\n';

let dashboard: DashboardBrowser;
beforeAll(async () => {
  dashboard = await startDashboard();
}, SETUP_TIMEOUT_MS);

/** A key of its own for each test: each begins with an empty library. */
let key: string;
beforeEach(async () => {
  key = await makeScriptKey(dashboard.signalbox);
});

interface Answer {
  readonly script: { readonly id: string; readonly content: string; readonly revision: number };
  readonly draft: { readonly content: string };
  readonly scripts: readonly { readonly name: string }[];
}

/** As another program of the same user. */
async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${dashboard.signalbox.url}/api/scripts${path}`, {
    ...{ method, headers: { authorization: `Bearer ${key}` } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
}

const make = async (name: string, content = TEXT): Promise<string> =>
  (await api('POST', '', { name, content })).script.id;

async function open(place = '#/library', options: PageOptions = {}): Promise<OpenedPage> {
  const opened = await dashboard.open({ ...options, place });
  await pasteScriptKey(opened.page, key);
  return opened;
}

/** The text of a script is typed at its end. */
async function typeInto({ page }: OpenedPage, name: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name }).click(WAIT);
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

describe('the key', () => {
  test('is asked for once, and what is wrong with it is said in words', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/library', expected: REFUSALS });
    await page.getByRole('button', { name: 'Make a key' }).waitFor(WAIT);
    await pasteScriptKey(page, dashboard.signalbox.apiKey ?? '');
    await page.getByText('This is a webhook key').waitFor(WAIT);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await pasteScriptKey(page, `pn_${'0'.repeat(48)}`);
    await page.getByText('This key is not known here').waitFor(WAIT);
    await pasteScriptKey(page, key);
    await page.getByText('No scripts yet').waitFor(WAIT);
    await page.reload();
    await page.getByText('No scripts yet').waitFor(WAIT);
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.getByRole('textbox', { name: 'Script key' }).waitFor(WAIT);
  });

  test('is made with one press, is shown once, and opens a library of its own', async () => {
    const { page, complaints } = await dashboard.open({ place: '#/library' });
    await page.getByRole('button', { name: 'Make a key' }).click(WAIT);
    const shown = await page.getByRole('region', { name: 'the key' }).innerText(WAIT);
    expect(shown).toMatch(/^pn_[0-9a-f]{48}$/);
    await page.getByText(/keys renew --scripts --user [0-9a-f]{32}/).waitFor(WAIT);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Go on with it' }).click();
    await page.getByText('No scripts yet').waitFor(WAIT);
    key = shown;
    await make('Of the new key');
    await page.reload();
    await page.getByText('Of the new key').waitFor(WAIT);
    expect(complaints).toEqual([]);
  });

  test('that was let go of elsewhere is asked for again', async () => {
    const { page } = await dashboard.open({ expected: REFUSALS });
    await page.evaluate(`localStorage.setItem('signalbox.scriptKey', 'pn_${'1'.repeat(48)}')`);
    await page.goto(`${dashboard.signalbox.url}/#/library`);
    await page.getByText('This key is not known here').waitFor(WAIT);
  });
});

describe('scripts', () => {
  test('begin with an example, are renamed into a folder, found, and deleted after a question', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Open Momentum' }).click(WAIT);
    await page.getByText('Saved as revision 1').waitFor(WAIT);
    await page.getByText('No problems').waitFor(WAIT);
    await make('Other');
    await page.getByRole('button', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('oscillators/My momentum');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    const list = page.getByRole('navigation', { name: 'Scripts' });
    await list.getByText('oscillators').waitFor(WAIT);
    await list.getByRole('link', { name: 'Other v1' }).waitFor(WAIT);
    await page.getByRole('searchbox', { name: 'Search scripts' }).fill('OSC mom');
    await list.getByRole('link', { name: 'Other v1' }).waitFor({ state: 'hidden', ...WAIT });
    await list.getByRole('link', { name: 'My momentum v2' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Delete…' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await question.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Choose a script, or begin a new one.').waitFor(WAIT);
    expect((await api('GET', '')).scripts.map(({ name }) => name)).toEqual(['Other']);
    expect(complaints).toEqual([]);
  });

  test('a draft saves itself, outlives the page, and becomes a script with a name', async () => {
    const opened = await open('#/library/_draft');
    const { page, complaints } = opened;
    await typeInto(opened, 'New script', 'plot(high)');
    await page.getByText('Draft saved').waitFor(WAIT);
    expect((await api('GET', '/_draft')).draft.content).toContain('plot(high)');
    await page.reload();
    await page.getByText('plot(high)').waitFor(WAIT);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save…' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('My script');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as revision 1').waitFor(WAIT);
    await page.getByRole('textbox', { name: 'My script' }).getByText('plot(high)').waitFor(WAIT);
    expect((await api('GET', '/_draft')).draft.content).toBe('');
    expect(complaints).toEqual([]);
  });

  test('what is not saved is kept in the browser, and Control-S saves it', async () => {
    const id = await make('Kept');
    const opened = await open(`#/library/${id}`);
    const { page, complaints } = opened;
    await typeInto(opened, 'Kept', 'plot(low)');
    await page.getByText('Not saved yet').waitFor(WAIT);
    await page.reload();
    await page.getByText('plot(low)').waitFor(WAIT);
    await page.getByText('Not saved yet').waitFor(WAIT);
    await page.getByRole('textbox', { name: 'Kept' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as revision 2').waitFor(WAIT);
    expect((await api('GET', `/${id}`)).script.content).toBe(`${TEXT}plot(low)`);
    expect(complaints).toEqual([]);
  });

  test('whose answer is lost are made once, and have the name that was sent', async () => {
    const opened = await open('#/library/_draft', { expected: [...REFUSALS, ...LOST_SERVER] });
    const { page } = opened;
    await typeInto(opened, 'New script', 'plot(high)');
    await page.getByText('Draft saved').waitFor(WAIT);
    await loseNextAnswer(page, 'POST', /\/api\/scripts$/);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const question = page.getByRole('dialog');
    await question.getByText('You can send it again').waitFor(WAIT);
    await question.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as revision 1').waitFor(WAIT);
    expect((await api('GET', '')).scripts.map(({ name }) => name)).toEqual(['My script']);

    await loseNextAnswer(page, 'PUT', /\/api\/scripts\/[^/]+$/);
    await page.getByRole('button', { name: 'Rename…' }).click();
    await question.getByRole('textbox', { name: 'Name' }).fill('Renamed');
    await question.getByRole('button', { name: 'Rename', exact: true }).click();
    await question.getByText('You can send it again').waitFor(WAIT);
    await question.getByRole('button', { name: 'Cancel' }).click();
    // The page finds out by itself which name holds, and that it was its own.
    await page.getByRole('heading', { name: 'Renamed' }).waitFor(WAIT);
    await page.getByText('Saved as revision 2').waitFor(WAIT);
    await page.getByRole('button', { name: 'Compare' }).waitFor({ state: 'hidden', ...WAIT });
    expect((await api('GET', '')).scripts.map(({ name }) => name)).toEqual(['Renamed']);
  });
});

test('a script whose answer is lost is made once, also when the page is loaded again before the next try', async () => {
  const opened = await open('#/library/_draft', { expected: [...REFUSALS, ...LOST_SERVER] });
  const { page } = opened;
  await typeInto(opened, 'New script', 'plot(high)');
  await page.getByText('Draft saved').waitFor(WAIT);
  await loseNextAnswer(page, 'POST', /\/api\/scripts$/);
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save…' }).click(WAIT);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
  };
  await save();
  await page.getByRole('dialog').getByText('You can send it again').waitFor(WAIT);
  await page.reload();
  await page.getByRole('textbox', { name: 'New script' }).getByText('plot(high)').waitFor(WAIT);
  await save();
  await page.getByText('Saved as revision 1').waitFor(WAIT);
  expect((await api('GET', '')).scripts.map(({ name }) => name)).toEqual(['My script']);
});

describe('two tabs', () => {
  test('the second to save sees both texts, and saves its own over the other', async () => {
    const id = await make('Shared');
    const [first, second] = [await open(`#/library/${id}`), await open(`#/library/${id}`, { expected: REFUSALS })];
    await typeInto(first, 'Shared', 'plot(open)');
    await typeInto(second, 'Shared', 'plot(high)');
    await first.page.getByRole('button', { name: 'Save', exact: true }).click();
    await first.page.getByText('Saved as revision 2').waitFor(WAIT);
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.getByText('It was saved elsewhere meanwhile').waitFor(WAIT);
    const both = second.page.getByRole('region', { name: 'The saved text and yours' });
    await both.getByRole('row', { name: 'removed: plot(open)' }).waitFor(WAIT);
    await both.getByRole('row', { name: 'added: plot(high)' }).waitFor(WAIT);
    await expectAccessible(second.page);
    expect((await api('GET', `/${id}`)).script.content).toBe(`${TEXT}plot(open)`);
    await second.page.getByRole('button', { name: 'Save mine over it' }).click();
    await second.page.getByText('Saved as revision 3').waitFor(WAIT);
    expect((await api('GET', `/${id}`)).script.content).toBe(`${TEXT}plot(high)`);
    // The first is told, and takes what the second wrote.
    await first.page.getByRole('button', { name: 'Compare' }).click(WAIT);
    await first.page.getByRole('button', { name: 'Take theirs, drop mine' }).click(WAIT);
    await first.page.getByText('Saved as revision 3').waitFor(WAIT);
    await first.page.getByText('plot(high)').waitFor(WAIT);
    expect(second.complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
  });

  test('a script that was deleted elsewhere can be saved again', async () => {
    const id = await make('Gone');
    const opened = await open(`#/library/${id}`, { expected: REFUSALS });
    await typeInto(opened, 'Gone', 'plot(open)');
    await api('DELETE', `/${id}`);
    await opened.page.getByRole('button', { name: 'Save', exact: true }).click();
    await opened.page.getByText('It was deleted meanwhile').waitFor(WAIT);
    await opened.page.getByRole('button', { name: 'Save mine again' }).click();
    await opened.page.getByText(/^Saved as revision/).waitFor(WAIT);
    expect((await api('GET', `/${id}`)).script.content).toBe(`${TEXT}plot(open)`);
  });
});

describe('versions', () => {
  test('any two are compared, and an old one is restored', async () => {
    const id = await make('Aged');
    await api('PUT', `/${id}`, { name: 'Aged', content: `${TEXT}plot(open)\n` });
    await api('PUT', `/${id}`, { name: 'Aged', content: `${TEXT}plot(high)\n` });
    const { page, complaints } = await open(`#/library/${id}/versions`);
    const compared = page.getByRole('region', { name: 'Revision 2 and revision 3' });
    await compared.getByRole('row', { name: 'removed: plot(open)' }).waitFor(WAIT);
    await page.getByRole('radio', { name: 'Compare from revision 1' }).check();
    const wider = page.getByRole('region', { name: 'Revision 1 and revision 3' });
    await wider.getByRole('row', { name: 'added: plot(high)' }).waitFor(WAIT);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore it' }).click();
    await page.getByText('4, current').waitFor(WAIT);
    expect((await api('GET', `/${id}`)).script).toMatchObject({ content: TEXT, revision: 4 });
    expect(complaints).toEqual([]);
  });
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
  ['dark', 390],
] as const)('the list is for everybody: %s, %i px wide', async (colorScheme, width) => {
  await make('trend/EMA cross');
  await make('Alone');
  const { page, complaints } = await open('#/library', { colorScheme, width });
  await page.getByRole('link', { name: 'EMA cross v1' }).waitFor(WAIT);
  await expectAccessible(page);
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  expect(isTooWide).toBe(false);
  expect(complaints).toEqual([]);
});
