// Sends runs of a script to POST /run over kept-alive connections, one after the other on each, until it is told to end.
// A process of its own, so that it never shares an event loop with what it measures.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export interface RunClientOptions {
  readonly port: number;
  readonly body: string;
  readonly connections: number;
  /** Runs whose times are not reported: caches fill, code gets hot. */
  readonly warmup: number;
  /** After so many it ends by itself; without, it goes on until the end is asked for. */
  readonly runs?: number;
}

export interface RunReport {
  readonly times: readonly number[];
  readonly statuses: Readonly<Record<string, number>>;
  readonly answerBytes: number;
}

export interface RunClient {
  /** When it has done its runs, or was told to end. */
  readonly report: Promise<RunReport>;
  end(): void;
}

export function startRunClient(options: RunClientOptions): RunClient {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.send(options);
  const report = once(child, 'message').then(async ([message]) => {
    child.disconnect();
    await once(child, 'exit');
    return message as RunReport;
  });
  return { report, end: () => child.send('end') };
}

/** Clients are other machines: what they do must not be taken from the one that is measured. */
const NICENESS = 10;

async function work({ port, body: text, connections, warmup, runs }: RunClientOptions): Promise<RunReport> {
  setPriority(0, NICENESS);
  const body = Buffer.from(text);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let [started, answerBytes, isEnding] = [0, 0, false];
  process.once('message', () => {
    isEnding = true;
  });
  const one = (localAddress: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const startMs = performance.now();
      const isCounted = started >= warmup;
      started += 1;
      const headers = { 'content-length': body.length };
      const to = { agent, port, host: '127.0.0.1', localAddress, method: 'POST', path: '/run', headers };
      const sent = request(to, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        answer.on('end', () => {
          statuses[String(answer.statusCode)] = (statuses[String(answer.statusCode)] ?? 0) + 1;
          answerBytes = bytes;
          if (isCounted) times.push(performance.now() - startMs);
          resolve();
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  // Each from an address of its own: one alone has half of the places of strangers.
  const connection = async (_: unknown, index: number): Promise<void> => {
    while (!isEnding && (runs === undefined || started < warmup + runs)) await one(`127.0.0.${index + 1}`);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return { times, statuses, answerBytes };
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', async (options) => process.send?.(await work(options as RunClientOptions)));
}
