// The page's side of one worker of a search: a question, its answer, and the end of the page's patience.

import type { FromSearchWorker, ToSearchWorker } from './search-messages.ts';
import { spawnEngine } from './spawn-engine.ts';

export interface SearchThreadOptions {
  readonly spawn?: (() => Worker) | undefined;
  readonly limitMs?: number | undefined;
}

/** Far longer than an honest script takes for the runs of one message. */
const LIMIT_MS = 10_000;

export class SearchThread {
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #waiting: ((answer: FromSearchWorker) => void)[] = [];
  #isOver = false;

  constructor({ spawn = spawnEngine, limitMs = LIMIT_MS }: SearchThreadOptions = {}) {
    this.#limitMs = limitMs;
    this.#worker = spawn();
    this.#worker.onmessage = ({ data }: MessageEvent<FromSearchWorker>) => this.#waiting.shift()?.(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(`The script engine could not start: ${event.message || 'unknown reason'}.`);
    };
  }

  /** Whether it has ended, by itself or by `end`: then another one is needed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Answers come in the order of the questions; one that takes too long ends the worker. */
  async ask(message: ToSearchWorker): Promise<FromSearchWorker> {
    if (this.#isOver) return { kind: 'fault', message: ENDED };
    const seconds = Math.round(this.#limitMs / 1000);
    const timer = setTimeout(
      () => this.end(`It was stopped after ${seconds} seconds: it does not come to an end with these values.`),
      this.#limitMs,
    );
    const answer = await new Promise<FromSearchWorker>((resolve) => {
      this.#waiting.push(resolve);
      this.#worker.postMessage(message);
    });
    clearTimeout(timer);
    return answer;
  }

  /** Whatever it was at is answered with the reason. */
  end(reason: string = ENDED): void {
    this.#isOver = true;
    this.#worker.terminate();
    for (const resolve of this.#waiting.splice(0)) resolve({ kind: 'fault', message: reason });
  }
}

const ENDED = 'The search was ended.';
