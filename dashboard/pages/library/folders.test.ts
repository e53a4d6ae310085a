// Folders by the slashes in the names of scripts.

import { expect, test } from 'vitest';
import type { ScriptSummary } from '../../server/script-library.ts';
import { folderOf, inFolders, shortNameOf } from './folders.ts';

const named = (name: string): ScriptSummary => ({
  ...{ id: name, name, revision: 1, createdAt: 0, updatedAt: 0, contentBytes: 1 },
});
const SCRIPTS = ['Zeta', 'trend/EMA cross', 'trend/eth/Fast', 'Alpha', 'trend/ADX'].map(named);
const told = (search: string) =>
  inFolders(SCRIPTS, search).map(({ name, scripts }) => [name, ...scripts.map((script) => script.name)]);

test('scripts outside of folders come first, then each folder by its name', () => {
  expect(told('')).toEqual([
    ['', 'Alpha', 'Zeta'],
    ['trend', 'trend/ADX', 'trend/EMA cross'],
    ['trend/eth', 'trend/eth/Fast'],
  ]);
});

test('a search takes every word, in folders too, in any case', () => {
  expect(told('ema TREND')).toEqual([['trend', 'trend/EMA cross']]);
  expect(told('nothing')).toEqual([]);
});

test('a name of slashes alone is still a name', () => {
  expect([folderOf('a/b'), folderOf('b'), folderOf('/b')]).toEqual(['a', '', '']);
  expect([shortNameOf('a/b'), shortNameOf('a/')]).toEqual(['b', 'a/']);
});
