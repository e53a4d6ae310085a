// Starts a gateway over live venues in a process of its own, asks it, kills it, and starts the next on the same folder.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Exchange } from '../../../src/exchanges/exchange.ts';
import type { LiveAddress } from '../live-gateway.ts';
import type { Break } from './broken-product.ts';

const CHILD = fileURLToPath(new URL('gateway-child.ts', import.meta.url));

export interface ChildSettings {
  /** When fast time began. */
  readonly epochMs: number;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Of its process. */
  readonly env: Readonly<Record<string, string>>;
  readonly venues: Readonly<Record<Exchange, LiveAddress>>;
  /** To see that it is noticed. */
  readonly broken?: Break | undefined;
}

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export interface Answered {
  readonly id: number;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly body: any;
}

export class KillableGateway {
  readonly #settings: ChildSettings;
  readonly #waiting = new Map<number, (answer: Answered | undefined) => void>();
  #child: ChildProcess | undefined;
  #asked = 0;

  constructor(settings: ChildSettings) {
    this.#settings = settings;
  }

  /** Resolves when it has taken up what the last one left, whether the venues answer or not. */
  async start(): Promise<void> {
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const child = fork(CHILD, [JSON.stringify(this.#settings)], {
      execArgv,
      env: { ...process.env, ...this.#settings.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (answer: Answered) => this.#answered(answer.id, answer));
    const ready = new Promise<Answered | undefined>((resolve) => this.#waiting.set(0, resolve));
    child.once('exit', () => {
      for (const id of [...this.#waiting.keys()]) this.#answered(id, undefined);
    });
    this.#child = child;
    if ((await ready) === undefined) throw new Error('the gateway ended before it had started; its output says why');
  }

  /** Undefined where the process died before it answered. */
  ask(method: string, path: string, body?: object): Promise<Answered | undefined> {
    const id = ++this.#asked;
    const text = body && JSON.stringify(body);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child?.send({ id, method, path, ...(text !== undefined && { body: text }) }, (error) => {
        if (error) this.#answered(id, undefined);
      });
    });
  }

  async kill(): Promise<void> {
    await this.#end((child) => child.kill('SIGKILL'));
  }

  /** In order; what it has left to do waits for the next. */
  async stop(): Promise<void> {
    await this.#end((child) => child.send({ id: -1, method: 'POST', path: 'stop' }));
  }

  async #end(how: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    how(child);
    await gone;
  }

  #answered(id: number, answer: Answered | undefined): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
