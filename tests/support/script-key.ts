// A script key of a running program, made as its operator makes one, and pasted as its user pastes it.

import type { Page } from 'playwright-core';
import { type RunningProcess, runSignalbox } from './process.ts';

const WAIT = { timeout: 30_000 };

export async function makeScriptKey({ dataDir }: RunningProcess): Promise<string> {
  const { stdout, stderr } = await runSignalbox(['keys', 'create', '--scripts'], { DATA_DIR: dataDir });
  const key = /pn_[0-9a-f]{48}/.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`no key was made: ${stdout}${stderr}`);
  return key;
}

export async function pasteScriptKey(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script key' }).fill(key, WAIT);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
}
