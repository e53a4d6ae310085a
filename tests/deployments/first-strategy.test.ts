// docs/guides/first-strategy.md as a test: every line to copy is run in order by a shell, against a real instance.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = readFileSync(join(ROOT, 'docs/guides/first-strategy.md'), 'utf8');
const BLOCKS = Array.from(GUIDE.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block = '']) => block);
const START = 'npm ci && npm start\n';
/** A bar of a minute, the next one's first tick, and a busy machine. */
const BAR_TIMEOUT_MS = 150_000;
const LOOK_EVERY_MS = 5000;

/** A shell in a folder of its own, beside a running instance; what is exported stays for the next lines. */
function openShell({ dataDir, url }: RunningProcess) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-guide-'));
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
  const npx = 'npx() { shift; "$NODE" --disable-warning=ExperimentalWarning "$PROGRAM" "$@"; }';
  const exported: Record<string, string> = {};
  return {
    folder,
    exported,
    async run(commands: string): Promise<string> {
      const child = spawn('bash', ['-e', '-c', `${npx}\nsignalbox() { npx signalbox "$@"; }\n${commands}`], {
        cwd: folder,
        env: {
          ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, SIGNALBOX_URL: url, ...exported },
          ...{
            NODE: process.execPath,
            PROGRAM: join(ROOT, 'bin/signalbox.mjs'),
            API_KEY_STORE: join(dataDir, 'k.json'),
          },
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += chunk));
      child.stderr.on('data', (chunk) => (printed += chunk));
      const [code] = await once(child, 'close');
      expect([code, printed], commands).toEqual([0, printed]);
      return printed;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

test('every line of the guide works, from the keys to the trade and its end', { timeout: 600_000 }, async () => {
  const signalbox = await startProcess();
  const shell = openShell(signalbox);
  const rest = [...BLOCKS];
  /** The next block of the guide, which has these words; nothing of the page is left out or run out of order. */
  const block = (words: string): string => {
    const next = rest.shift() ?? '';
    expect(next).toContain(words);
    return next;
  };
  const next = (words: string): Promise<string> => shell.run(block(words));
  /** Runs the block until it shows this at once: what follows a close needs its minute. */
  const nextUntil = async (words: string, shown: RegExp): Promise<string> => {
    const commands = block(words);
    const deadlineMs = Date.now() + BAR_TIMEOUT_MS;
    for (;;) {
      const printed = await shell.run(commands);
      if (shown.test(printed)) return printed;
      expect(Date.now(), `${shown} in:\n${printed}`).toBeLessThan(deadlineMs);
      await sleep(LOOK_EVERY_MS);
    }
  };
  const exports = (name: string, value: string | undefined): void => {
    expect(value).toBeDefined();
    shell.exported[name] = value as string;
  };
  const idIn = (printed: string): string | undefined => /^ {2}([0-9a-f-]{36})$/m.exec(printed)?.[1];

  try {
    expect(rest.shift()).toBe(START);
    const scriptKey = /pn_[0-9a-f]{48}/.exec(await next('keys create --scripts'))?.[0];
    expect(block('export')).toBe('export SIGNALBOX_WEBHOOK_KEY=whk_…\nexport SIGNALBOX_SCRIPT_KEY=pn_…\n');
    exports('SIGNALBOX_WEBHOOK_KEY', signalbox.apiKey);
    exports('SIGNALBOX_SCRIPT_KEY', scriptKey);

    await next('cat > trend.pine');
    expect(await next('check trend.pine')).toMatch(/^trend\.pine: ok$/m);
    expect(await next('backtest')).toContain('no repainting found');
    expect(readFileSync(join(shell.folder, 'trend.html'), 'utf8')).toContain('Above or below');

    const dry = await next('deployments create');
    expect(dry).toContain('It is a dry run');
    expect(block('export ID=')).toMatch(/^export ID=\S+…\n$/);
    exports('ID', idIn(dry));
    await nextUntil(
      'deployments log',
      /trend +BTCUSDT 1m +dry run +running +(long|short) 0\.01[\s\S]*dry run, not sent/,
    );

    const live = await next('--mode trade');
    expect(live).toContain('It trades PAPER money on binance:main from now on.');
    expect(block('export ID=')).toMatch(/^export ID=\S+…\n$/);
    exports('ID', idIn(live));
    expect(await shell.run('npx signalbox deployments log $ID')).toMatch(
      /dry run, not sent[\s\S]*takes the place of a dry run/,
    );
    await nextUntil('positions', /Filled[\s\S]*BTCUSDT 1m +PAPER +running +(long|short) 0\.01/);

    expect(await nextUntil('deployments compare', /\b1 filled\b|\bfilled\b.*0\.01/)).not.toContain('missing 1');
    expect(existsSync(join(shell.folder, 'compare.html'))).toBe(true);

    const paused = await next('deployments pause');
    const closing = /Close it with: npx (signalbox signal .*)$/m.exec(paused)?.[1];
    expect(closing).toBeDefined();
    await shell.run(closing as string);
    expect(await next('deployments remove')).toContain('Removed trend');
    expect(rest).toEqual([]);
  } finally {
    shell.close();
    await signalbox.stop();
  }
});
