// A server program for tests on a port of its own: started, waited for until it answers, and known by its output when it does not.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 60_000;
/** What a failed start shows of its output. */
const KEPT_CHARS = 4000;

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where it runs; here when left out. */
  readonly folder?: string;
  readonly port: number;
  /** What it prints when it is ready. */
  readonly readyText: string;
  /** Who runs it; whoever runs this when left out. */
  readonly ids?: { readonly uid: number; readonly gid: number } | undefined;
  /** What ends it when this process ends first; SIGKILL when left out. */
  readonly lastSignal?: NodeJS.Signals;
}

/** Rejects with its output when it ends or does not get ready in time. */
export async function launchServer(launch: Launch): Promise<ChildProcess> {
  const { program, args, env, folder, port, readyText, ids, lastSignal = 'SIGKILL' } = launch;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: folder, ...ids });
  // Also when a test run is cut short: nothing of it stays behind.
  const end = (): void => void child.kill(lastSignal);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let output = '';
  const collect = (chunk: Buffer | string): void => {
    output = (output + chunk.toString()).slice(-KEPT_CHARS);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.on('error', (error) => collect(error.message));
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (!output.includes(readyText) || !(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start on port ${port}:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return child;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** One that nobody listens on now; somebody else may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
