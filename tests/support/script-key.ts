// A script key of a running program, made as its operator makes one, and pasted as its user pastes it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type RunningProcess, runSignalbox } from './process.ts';

const WAIT = { timeout: 30_000 };

/** Of the process that has the keys, which is started beside the one that trades. */
const START_MS = 60_000;
const POLL_MS = 200;

export async function whenScriptsAreUp({ url }: RunningProcess): Promise<void> {
  const until = Date.now() + START_MS;
  while ((await fetch(`${url}/api/usage`)).status === 503 && Date.now() < until) await sleep(POLL_MS);
}

export async function makeScriptKey(signalbox: RunningProcess): Promise<string> {
  await whenScriptsAreUp(signalbox);
  const { dataDir } = signalbox;
  const { stdout, stderr } = await runSignalbox(['keys', 'create', '--scripts'], { DATA_DIR: dataDir });
  const key = /pn_[0-9a-f]{48}/.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`no key was made: ${stdout}${stderr}`);
  return key;
}

export async function pasteScriptKey(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Script key' }).fill(key, WAIT);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
}
