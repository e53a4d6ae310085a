// SQLite storage for tests: every one in a folder of its own that is removed at the end, and can be closed and reopened.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SettingsStorage } from '../../sql/owner/settings.ts';
import { type DataStorage, openDataStorage } from '../open-data.ts';
import { openSettingsStorage } from '../settings.ts';

export interface TestFolder {
  readonly dataDir: string;
  remove(): void;
}

export function testFolder(): TestFolder {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-storage-'));
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

export interface TestData {
  readonly dataDir: string;
  readonly data: DataStorage;
  readonly deaths: readonly Error[];
  reopen(): Promise<DataStorage>;
  close(): Promise<void>;
}

/** `prepare` puts into the folder what is to be there before it is opened. */
export async function openTestData(prepare?: (dataDir: string) => Promise<void>): Promise<TestData> {
  const folder = testFolder();
  await prepare?.(folder.dataDir);
  const deaths: Error[] = [];
  const open = (): Promise<DataStorage> =>
    openDataStorage({ dataDir: folder.dataDir, nowMs: Date.now, onDeath: (error) => void deaths.push(error) });
  let data = await open();
  return {
    dataDir: folder.dataDir,
    get data() {
      return data;
    },
    deaths,
    async reopen() {
      await data.close();
      data = await open();
      return data;
    },
    async close() {
      await data.close();
      folder.remove();
    },
  };
}

export interface TestSettings {
  readonly storage: SettingsStorage;
  reopen(): Promise<SettingsStorage>;
  close(): Promise<void>;
}

export function openTestSettings(): TestSettings {
  const folder = testFolder();
  let storage = openSettingsStorage(folder.dataDir);
  return {
    get storage() {
      return storage;
    },
    async reopen() {
      await storage.close();
      storage = openSettingsStorage(folder.dataDir);
      return storage;
    },
    async close() {
      await storage.close();
      folder.remove();
    },
  };
}
