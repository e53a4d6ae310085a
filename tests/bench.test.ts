// The benchmarks themselves: a short run of each must work, whatever the machine's figures are.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../bench/run.ts', import.meta.url));

async function bench(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, ...args]);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  await once(child, 'close');
  return output;
}

it('the webhook benchmark measures async and direct mode beside a bare server', async () => {
  const output = await bench('webhook', 'async', 'direct', '--quick');
  // Every answer must have had the right status, else it stops with an error and prints no ratio.
  for (const mode of ['async', 'direct']) {
    expect(output).toMatch(new RegExp(`${mode}: share of the bare server's throughput: \\d\\.\\d+`));
    expect(output).toMatch(new RegExp(`${mode} at 1000/s: p99 \\d+\\.\\d+ ms`));
  }
});

it('the cost of a signal is told by thread, and beside another checkout', async () => {
  const here = fileURLToPath(new URL('..', import.meta.url));
  const output = await bench('webhook-cost', 'direct', '--quick', '--against', here);
  for (const thread of ['event loop', 'storage thread', 'all'])
    expect(output).toMatch(new RegExp(`${thread} +[1-9]\\d* +against [1-9]\\d*: \\d+\\.\\d\\d`));
});

it('the cost of a signal is told beside journals of many rows', async () => {
  const output = await bench('webhook-cost', 'rows', '--quick');
  expect(output).toMatch(/^direct, 20000 rows: [1-9]\d* µs a signal, \d+\.\d\d of 1000 rows$/m);
});

it('the cost of a signal on PostgreSQL is told for one process and for two', async () => {
  const output = await bench('two-processes', 'async', '--quick');
  for (const form of ['one process, files', 'one process, PostgreSQL', 'two processes, PostgreSQL'])
    expect(output).toMatch(new RegExp(`^  ${form} +[1-9]\\d* µs +\\d+/s$`, 'm'));
  expect(output).toMatch(/async: two processes beside one: \d+\.\d{3}, target ≤ 1\.15/);
});

it('the benchmark of a week measures orders of sized signals on three accounts beside plain ones', async () => {
  expect(await bench('week', '--quick')).toMatch(/three accounts beside plain ones: \d\.\d+/);
});

it('the latency of orders at a venue is measured with a paper twin beside one without', async () => {
  const output = await bench('live-order-rate', 'bybit', '--latency', '--twin', '--signals=4', '--every=20');
  const quantiles = (unit: string) => ['p50', 'p90', 'p99'].map((name) => `${name} \\d+\\.\\d\\d${unit}`).join(', ');
  expect(output).toMatch(new RegExp(`^bybit from signal to answer: ${quantiles(' ms')}$`, 'm'));
  expect(output).toMatch(new RegExp(`^bybit with a paper twin: ${quantiles(' ms')}$`, 'm'));
  expect(output).toMatch(new RegExp(`^bybit with a twin, times that without: ${quantiles('')}$`, 'm'));
});

it('the Pine benchmark runs its scripts beside loops written by hand, with the same results', async () => {
  const output = await bench('pine', '--quick');
  expect(output.match(/warm, share of the loop by hand: \d/g)).toHaveLength(3);
  expect(output).toMatch(/compile of 300 lines: \d/);
  expect(output).toMatch(/update\(bar\) of script b: \d/);
});

it('the benchmark of a search runs every backtest through the pool of threads', async () => {
  const output = await bench('optimize', '--quick');
  expect(output).toMatch(/^20 backtests of 20000 bars on \d cores: \d+\.\d s, \d+\.\d s of processor time$/m);
  expect(output).toMatch(/^ok {3}/m);
});

it('the benchmark of the command line measures every form of output beside a bare process', async () => {
  const output = await bench('pine-cli', '--quick');
  const form = '\\d+ ms \\(\\d+\\.\\d×\\)';
  const line = (style: string) =>
    new RegExp(`1000 bars, ${style}: --csv ${form}, --json ${form}, summary ${form}, bare copy \\d+ ms`);
  expect(output).toMatch(line('seconds'));
  expect(output).toMatch(line('iso'));
});

it('the analysis benchmark measures runs beside a bare server, and webhooks beside runs', async () => {
  const output = await bench('analysis', '--quick');
  expect(output).toMatch(/\/run of 2000 bars: p50 \d+\.\d ms/);
  expect(output).toMatch(/webhooks at 200\/s beside 3 runs: p99 \d+\.\d ms, \d+\.\d+ times that without them/);
  expect(output).toMatch(/a bare server beside the same runs: p99 \d+\.\d ms, \d+\.\d+ times that without them/);
  // Not one that failed: the benchmark would end there, without a figure.
  expect(output).toMatch(/runs beside them: \{"200":\d+\}/);
});

it('the benchmark of charts measures pictures beside bare compression, and beside another checkout', async () => {
  const output = await bench('chart', '--quick', '--against', fileURLToPath(new URL('..', import.meta.url)));
  expect(output.match(/bars: \d+\.\d ms, \d+\.\d+ of bare compression/g)).toHaveLength(3);
  expect(output.match(/share of the time of .*: \d/g)).toHaveLength(3);
});

it('the fuzzer tries as many inputs of a part as it is told, and says what it can be told', async () => {
  const output = await bench('fuzz', 'sql', '400', 'seed', '1');
  expect(output).toMatch(/^\| sql \| 400 \|/m);
  expect(output).toMatch(/^400 inputs, 0 faults$/m);
  expect(await bench('fuzz', 'nonsense')).toMatch(/^Name a part, .*http, socket, ws, standby, sql, mail, pine, broker/);
});

it('an unknown benchmark is answered with the list of them', async () => {
  expect(await bench('nonsense')).toMatch(/Name one benchmark: .*webhook/);
});

it('the benchmark of a move copies an instance into PostgreSQL, whole and killed, and back', async () => {
  const output = await bench('migrate', '--quick');
  expect(output).toMatch(/^whole: 80\d\d rows in \d+\.\d s, \d+ a second; 0 were there/m);
  expect(output).toMatch(/^killed 1 times: 80\d\d rows in .*; [1-9]\d* were there when the last run began$/m);
  expect(output).toMatch(/^back into files: 80\d\d rows/m);
});
