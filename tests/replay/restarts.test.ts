// What was held over a restart, or was being closed when Signalbox was killed, ends in a replay as it ended then.

import { expect, test } from 'vitest';
import { commandLineHere, signalWords } from '../cli/command-line.ts';
import { openGateway } from '../support/gateway.ts';
import { freshDataDir, startGatewayProcess } from '../support/process.ts';
import { SEED } from './busy-hour.ts';

const expectSame = async (env: Record<string, string>, startMs: number, endMs: number) => {
  const cli = commandLineHere(env);
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
  return body;
};

test('the shares of several strategies, closed together after a restart', async () => {
  const startMs = Date.now();
  const first = await openGateway();
  for (const strategy of ['zeta', 'alpha', 'mid']) await first.send({ quantity: 0.01, strategy });
  await first.close();
  const second = await openGateway({ dataDir: first.dataDir });
  await second.request('POST', '/positions/close', { all: true });
  await second.desk.atRest();
  // Which one has the fee is the same too.
  const { body } = await second.request('GET', '/performance?by=strategy');
  await second.close();
  const replayed = await expectSame({ DATA_DIR: first.dataDir, MARKET_SEED: SEED }, startMs, Date.now() + 1000);
  expect(body.result.groups).toHaveLength(3);
  for (const { group, fees } of body.result.groups) {
    const row = replayed.groups.find((each: { group: string }) => each.group === group);
    expect([group, row.past.fees, row.replayed.fees]).toEqual([group, String(fees), String(fees)]);
  }
});

test('closes during which the process was killed', { timeout: 300_000 }, async () => {
  const dataDir = freshDataDir();
  const startMs = Date.now();
  for (const delayMs of [0, 4, 9, 16]) {
    const running = await startGatewayProcess({ dataDir });
    const cli = commandLineHere({ DATA_DIR: dataDir });
    const key =
      running.apiKey ?? (JSON.parse(await cli.done('keys', 'create', `k${delayMs}`, '--json')).result.apiKey as string);
    for (const strategy of ['zeta', 'alpha']) await cli.done(...signalWords(key, { strategy }));
    const body = JSON.stringify({ all: true });
    const closing = fetch(`${running.url}/positions/close`, { method: 'POST', body }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await running.kill();
    await closing;
  }
  const last = await startGatewayProcess({ dataDir });
  const cli = commandLineHere({ DATA_DIR: dataDir });
  await cli.done('flatten', '--yes');
  await last.stop();
  await expectSame({ DATA_DIR: dataDir }, startMs, Date.now() + 1000);
});
