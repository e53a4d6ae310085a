// A setting that can stand in the environment and in the database, of a real process: one rule decides, and everybody shows it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { type CommandLine, commandLineHere, signalWords } from './command-line.ts';

const RULING = { QUEUE_MODE: 'async', IP_ALLOWLIST: '127.0.0.0/8', WEBHOOK_RATE_PER_MINUTE: '7' };

describe('a change that was stored, and a later start whose environment says otherwise', () => {
  let running: RunningProcess;
  let apiKey: string;
  let ruled: CommandLine;
  beforeAll(async () => {
    running = await startGatewayProcess();
    const { dataDir } = running;
    apiKey = running.apiKey as string;
    const cli = commandLineHere({ DATA_DIR: dataDir });
    await cli.done('queue-mode', 'direct');
    await cli.done('allowlist', 'set', '203.0.113.7');
    await cli.done('limits', '--webhook-rate-per-minute', '1000');
    await running.stop();
    expect(await cli.done('doctor')).toMatch(/QUEUE_MODE +direct +stored/);
    running = await startGatewayProcess({ dataDir, env: RULING });
    ruled = commandLineHere({ DATA_DIR: dataDir, ...RULING });
  });
  afterAll(() => running.stop());

  it('the environment rules over signals', async () => {
    expect(await ruled.done(...signalWords(apiKey))).toMatch(/^Enqueued/);
  });

  it('changing it is refused, and names the setting', async () => {
    for (const [words, setting] of [
      [['queue-mode', 'direct'], 'QUEUE_MODE'],
      [['allowlist', 'off'], 'IP_ALLOWLIST'],
      [['limits', '--webhook-rate-per-minute', '5'], 'WEBHOOK_RATE_PER_MINUTE'],
    ] as const)
      expect(await ruled.refused(1, ...words)).toMatch(
        new RegExp(`^Refused \\(409 SETTING_FROM_ENVIRONMENT\\): ${setting} is set in the environment`),
      );
  });

  it('the command line, /ready and the doctor show the value in force and its source', async () => {
    expect(await ruled.done('queue-mode')).toContain('async');
    expect(await ruled.done('queue-mode')).toContain('The environment says so (QUEUE_MODE)');
    expect(await ruled.done('limits')).toMatch(/signals of one key +7 per minute/);
    const { settings } = (await (await fetch(`${running.url}/ready`)).json()) as { settings: unknown };
    expect(settings).toEqual([
      { name: 'QUEUE_MODE', value: 'async', source: 'environment' },
      { name: 'IP_ALLOWLIST', value: '1 entry', source: 'environment' },
      { name: 'WEBHOOK_RATE_PER_MINUTE', value: '7', source: 'environment' },
    ]);
    const words = await ruled.done('doctor');
    for (const [name, value] of Object.entries(RULING))
      expect(words).toMatch(new RegExp(`${name} +${value.replaceAll('.', '\\.')} +environment`));
    expect(words).toContain('QUEUE_MODE is set in the environment and rules; the stored value "direct" is not used');
    expect(words).not.toContain('Everything is in order.');
  });

  it('a doctor in a shell without that environment shows what the instance says, and that the two differ', async () => {
    const words = await commandLineHere({ DATA_DIR: running.dataDir }).done('doctor');
    for (const [name, value] of Object.entries(RULING))
      expect(words).toMatch(new RegExp(`${name} +${value.replaceAll('.', '\\.')} +environment`));
    expect(words).toContain(
      'QUEUE_MODE is "async" (environment) in the running instance; from here it would be "direct" (stored)',
    );
    expect(words).toContain('IP_ALLOWLIST is "127.0.0.0/8" (environment)');
  });
});

it('what .env says is told as that, by /ready, the doctor and the command line, as every other setting is', async () => {
  const cwd = freshDataDir();
  writeFileSync(join(cwd, '.env'), 'QUEUE_MODE=async\nWEBHOOK_RATE_PER_MINUTE=7\n');
  const running = await startGatewayProcess({ cwd, env: { WEBHOOK_RATE_PER_MINUTE: '8' } });
  try {
    const { settings } = (await (await fetch(`${running.url}/ready`)).json()) as { settings: unknown };
    expect(settings).toEqual([
      { name: 'QUEUE_MODE', value: 'async', source: '.env' },
      { name: 'IP_ALLOWLIST', value: '0 entries', source: 'default' },
      { name: 'WEBHOOK_RATE_PER_MINUTE', value: '8', source: 'environment' },
    ]);
    const cli = commandLineHere({ DATA_DIR: running.dataDir });
    expect(await cli.done('doctor')).toMatch(/QUEUE_MODE +async +\.env/);
    expect(await cli.done('queue-mode')).toContain('The .env file says so (QUEUE_MODE)');
  } finally {
    await running.stop();
  }
});
