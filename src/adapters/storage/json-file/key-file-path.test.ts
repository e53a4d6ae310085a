// The place of the key file: as set, in the system's folder, or in ours with one warning.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyDatabasePath, keyFilePath } from './key-file-path.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-path-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the file of the analysis keys', () => {
  it('is where API_KEY_STORE says, and nothing else is looked at or made', () => {
    const systemFolder = join(folder, 'data');
    const configured = join(folder, 'mine.json');
    expect(keyFilePath({ configured, dataDir: folder, systemFolder })).toEqual({ path: configured });
    expect(existsSync(systemFolder)).toBe(false);
  });

  it('is in the folder of the system, which is made', () => {
    const systemFolder = join(folder, 'data');
    const ask = { configured: undefined, dataDir: join(folder, 'own'), systemFolder };
    expect(keyFilePath(ask)).toEqual({ path: join(systemFolder, 'api_keys.json') });
    expect(existsSync(systemFolder)).toBe(true);
  });

  it('is not in the folder of the system for a command that finds none, and the command makes none', () => {
    const systemFolder = join(folder, 'data');
    const ask = { configured: undefined, dataDir: '/own', systemFolder, mayMake: false };
    expect(keyFilePath(ask).path).toBe('/own/api_keys.json');
    expect(existsSync(systemFolder)).toBe(false);
  });

  it('is in our own folder, with a warning, where the folder of the system cannot be made', () => {
    writeFileSync(join(folder, 'file'), '');
    const ask = { configured: undefined, dataDir: '/own', systemFolder: join(folder, 'file', 'data') };
    const { path, warning } = keyFilePath(ask);
    expect(path).toBe('/own/api_keys.json');
    expect(warning).toContain('set API_KEY_STORE');
  });
});

describe('the database of the analysis keys', () => {
  it('is where API_KEY_STORE_SQLITE says, else beside the JSON file', () => {
    expect(keyDatabasePath('/x/keys.sqlite', '/data/api_keys.json')).toBe('/x/keys.sqlite');
    expect(keyDatabasePath(undefined, '/data/api_keys.json')).toBe('/data/api_keys.db');
    expect(keyDatabasePath(undefined, '/data/keys')).toBe('/data/keys.db');
  });
});
