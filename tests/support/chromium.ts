// Finds a Chromium, or installs Debian's as root, and starts it without a window for tests that need a real browser.
//
// Its headless shell is the same engine without the browser's own windows, menus and extensions, which cost a page of a test half as
// much work again as the page itself.

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];
const OUTSIDE_THE_PATH = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** The packages and their libraries are some hundred megabytes. */
const INSTALL_TIMEOUT_MS = 240_000;
const START_TIMEOUT_MS = 60_000;

const HOW_TO_INSTALL =
  'these tests need a real browser, and there is no Chromium on this machine. Install it so that it is in the PATH: ' +
  '"apt-get install chromium" on Debian and Ubuntu, "brew install --cask chromium" on macOS';

/** No sandbox, because root has none; and not one request that the test did not ask for. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-proxy-server'],
  ...['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export interface ChromiumOptions {
  /** Names that resolve to this machine, to stand for sites elsewhere. */
  readonly localNames?: readonly string[];
  /** With all that belongs to a browser, for what its shell does not have: notifications. */
  readonly isWhole?: boolean;
}

/** There are no skipped tests here: where no browser can be had, this rejects and says how to install one. */
export async function startChromium({ localNames = [], isWhole = false }: ChromiumOptions = {}): Promise<Browser> {
  const rules = localNames.map((name) => `MAP ${name} 127.0.0.1`).join(',');
  return chromium.launch({
    executablePath: await findChromium(isWhole),
    headless: true,
    timeout: START_TIMEOUT_MS,
    // Playwright gives it an empty folder of its own, and removes it.
    args: [...FLAGS, ...(rules === '' ? [] : [`--host-resolver-rules=${rules}`])],
  });
}

async function findChromium(isWhole: boolean): Promise<string> {
  const names = isWhole ? WHOLE : [...SHELLS, ...WHOLE];
  const found = lookAround(names);
  if (found !== undefined) return found;
  try {
    await install(isWhole ? ['chromium'] : ['chromium-headless-shell', 'chromium']);
  } catch (error) {
    throw new Error(`${HOW_TO_INSTALL}. (Installing it by apt failed: ${reasonOf(error)})`);
  }
  const installed = lookAround(names);
  if (installed === undefined)
    throw new Error(`${HOW_TO_INSTALL}. (What apt installed is not where it is looked for.)`);
  return installed;
}

function lookAround(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...inPath, ...OUTSIDE_THE_PATH].find(isProgram);
}

/** The first of these packages that this Debian has. */
async function install(packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('only root can install packages');
  const options = { timeout: INSTALL_TIMEOUT_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const isThere = packages.map((name) => `command -v ${name}`).join(' || ');
  const get = packages.map((name) => `apt-get install -y --no-install-recommends ${name}`).join(' || ');
  // Several files may come here at once, and apt lets only one of them in: the others wait and find it installed.
  const once = `${isThere} || { apt-get update && { ${get}; }; }`;
  await run('flock', [join(tmpdir(), 'signalbox-chromium.lock'), 'sh', '-c', once], options);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr?.trim().split('\n').at(-1) || message).slice(0, 300);
};
