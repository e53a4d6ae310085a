// What a process and a PostgreSQL are doing at this moment, in words, for whoever wonders why nobody trades: whether a process works,
// waits for a core of a busy machine or waits for an answer, and which statement waits for which lock.

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../postgres-server.ts';

/** With it a process opens its inspector at SIGUSR1, at a port of its own. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0' };
const LOOK_MS = 1000;
/** A process that is starved answers late, and one that has nothing to do is not paused at all. */
const PATIENCE_MS = 20_000;
const FRAMES = 12;
const INSPECTOR = /Debugger listening on (ws:\/\/\S+)/;

const ACTIVITY = `SELECT pid, state, wait_event_type, wait_event, (clock_timestamp() - query_start)::text AS since,
  pg_blocking_pids(pid)::text AS blocked_by, left(query, 100) AS query
  FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid`;
const LEASES =
  'SELECT name, address, token::text, released, (until - clock_timestamp())::text AS remaining FROM trading.leases';

/** Of all its threads. */
interface Times {
  readonly ranMs: number;
  /** There was something to do, and no core to do it. */
  readonly waitedMs: number;
}

function timesOf(pid: number): Times {
  const times = { ranMs: 0, waitedMs: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ranNs, waitedNs] = statOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number);
    times.ranMs += (ranNs ?? 0) / 1e6;
    times.waitedMs += (waitedNs ?? 0) / 1e6;
  }
  return times;
}

/** Empty of a thread that has ended since it was listed. */
function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Where its event loop is, and what it waits for. */
export async function whatProcessDoes(child: ChildProcess, output: () => string): Promise<string> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return 'has ended';
  try {
    const before = timesOf(pid);
    await sleep(LOOK_MS);
    const after = timesOf(pid);
    const [ranMs, waitedMs] = [after.ranMs - before.ranMs, after.waitedMs - before.waitedMs].map(Math.round);
    const state = /^State:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const cores = `in ${LOOK_MS} ms it ran for ${ranMs} ms and waited for a core for ${waitedMs} ms`;
    return `process ${pid} (${state}): ${cores}; ${await underInspection(child, output)}`;
  } catch (error) {
    return `process ${pid} could not be looked at: ${error}`;
  }
}

async function underInspection(child: ChildProcess, output: () => string): Promise<string> {
  child.kill('SIGUSR1');
  const untilMs = performance.now() + PATIENCE_MS;
  while (!INSPECTOR.test(output()) && performance.now() < untilMs) await sleep(50);
  const address = INSPECTOR.exec(output())?.[1];
  if (address === undefined) return 'its inspector does not open';
  const socket = new WebSocket(address);
  const told: string[] = [];
  const isPaused = Promise.withResolvers<void>();
  socket.onopen = () => {
    const ask = (id: number, method: string, params: object = {}): void =>
      socket.send(JSON.stringify({ id, method, params }));
    ask(1, 'Debugger.enable');
    ask(2, 'Runtime.evaluate', { expression: 'process.getActiveResourcesInfo().join()' });
    ask(3, 'Debugger.pause');
  };
  socket.onmessage = ({ data }) => {
    const { id, method, result, params } = JSON.parse(String(data));
    if (id === 2) told.push(`it waits for ${result?.result?.value}`);
    if (method !== 'Debugger.paused') return;
    const frames = params.callFrames.slice(0, FRAMES).map(frameInWords);
    told.push(`it is in ${frames.join(' < ')}`);
    isPaused.resolve();
  };
  await Promise.race([isPaused.promise, sleep(PATIENCE_MS, undefined, { ref: false })]);
  // It goes on when nobody inspects it any more.
  socket.close();
  return told.length === 0 ? 'its event loop answers nobody' : told.join('; ');
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number };
}

const frameInWords = ({ functionName, url, location }: Frame): string =>
  `${functionName || 'a function'} (${url.split('/').slice(-2).join('/')}:${location.lineNumber + 1})`;

export async function whatPostgresDoes(server: PostgresServer, url: string): Promise<string> {
  const ask = async (statement: string): Promise<string> =>
    (await server.query(statement, url)).map((row) => JSON.stringify(row)).join('\n');
  const told = Promise.all([LEASES, ACTIVITY].map(ask)).then(
    (answers) => answers.join('\n'),
    (error) => `PostgreSQL does not say what it does: ${error}`,
  );
  const late = sleep(PATIENCE_MS, 'PostgreSQL does not say in time what it does', { ref: false });
  return `load ${loadavg().map(Math.round).join(' ')}\n${await Promise.race([told, late])}`;
}
