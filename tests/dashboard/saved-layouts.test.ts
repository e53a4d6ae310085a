// What a page of the dashboard saves under names, with a real gateway behind it: what it opened, saved and deleted it may save again.

import { afterEach, expect, test, vi } from 'vitest';
import { SavedLayouts, SavedMeanwhile } from '../../dashboard/server/layouts.ts';
import { freshGateway } from '../webhook/answers.ts';

afterEach(() => vi.unstubAllGlobals());

const QUERY = { about: '', content: { sql: 'SELECT 1' } };

/** The pages of two browsers, with the same gateway. */
async function openPages() {
  const gateway = await freshGateway();
  vi.stubGlobal('fetch', async (path: string, sent: { method: string; body?: string }) => {
    const { status, body } = await gateway.request(sent.method, path, sent.body);
    return Response.json(body, { status });
  });
  const open = () => new SavedLayouts<{ readonly sql: string }>('query');
  const list = async () => (await gateway.request('GET', '/admin/layouts?kind=query')).body.result;
  return { page: open(), other: open(), list };
}

test.each(['x', 'Cafe\u0301'])('%s that a page saved and deleted is saved again without a word', async (name) => {
  const { page, list } = await openPages();
  await page.save({ ...QUERY, name });
  await page.remove((await list())[0]);
  await page.save({ ...QUERY, name, about: 'again' });
  expect(await list()).toMatchObject([{ name: name.normalize('NFC'), about: 'again' }]);
});

test('one that another browser deleted is told once, and then saved again', async () => {
  const { page, other, list } = await openPages();
  await page.save({ ...QUERY, name: 'x' });
  await other.remove((await list())[0]);
  const refused = await page.save({ ...QUERY, name: 'x' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SavedMeanwhile);
  expect(refused).toMatchObject({ revision: 0, message: expect.stringContaining('x was deleted meanwhile') });
  expect(await list()).toEqual([]);
  await page.save({ ...QUERY, name: 'x' });
  expect(await list()).toHaveLength(1);
});

test('one that could not be deleted, because another browser changed it, is still not replaced unseen', async () => {
  const { page, other, list } = await openPages();
  await page.save({ ...QUERY, name: 'x' });
  const [seen] = await list();
  await other.read('x');
  await other.save({ ...QUERY, name: 'x', about: 'theirs' });
  await expect(page.remove(seen)).rejects.toThrow('is there by now');
  await expect(page.save({ ...QUERY, name: 'x' })).rejects.toBeInstanceOf(SavedMeanwhile);
  expect(await list()).toMatchObject([{ about: 'theirs' }]);
});
