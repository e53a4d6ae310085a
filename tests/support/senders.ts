// Many connections that send signals to a process which may die at any moment, and remember every answer they got.

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAnswer } from './check-answers.ts';

export interface Answer {
  readonly status: number;
  /** `unreadable` has the text of an acknowledgement that is no JSON, which is a finding (nothing-lost.ts). */
  // The answers are looked into field by field.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly body: any;
}

/** Undefined means that no answer came: nobody knows what became of the signal. */
export function post(url: string, agent: Agent, body: string, timeoutMs?: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const patience = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) };
    const call = request(
      `${url}/webhook`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' }, ...patience },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', () => resolve(undefined));
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const contentType = response.headers['content-type'] ?? null;
          const body = readBody(text);
          // A body that was cut does not end, but fails. Whoever is told 2xx and cannot read the rest has been told all the same.
          if (body === undefined) return resolve(status < 300 ? { status, body: { unreadable: text } } : undefined);
          void checkAnswer({ method: 'POST', path: '/webhook', status, contentType, text }).then(() =>
            resolve({ status, body }),
          );
        });
      },
    );
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}

/** Undefined where it is no JSON object, as all answers of the program are. */
function readBody(text: string): Answer['body'] | undefined {
  try {
    const body = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

export interface SentSignal {
  readonly body: string;
  readonly idempotencyKey: string;
  answer: Answer | undefined;
}

/** One of which is known when it was sent, and when its answer came or nobody waited for it any more. */
export interface TimedSignal extends SentSignal {
  readonly sentAtMs: number;
  answeredAtMs: number;
}

export interface Sending {
  /** Asked before each request: the process behind it may have been replaced. */
  readonly url: () => Promise<string>;
  readonly total: number;
  readonly connections: number;
  readonly next: (index: number) => { body: string; idempotencyKey: string };
  /** Told after each request how many there were. */
  readonly onSent: (count: number) => void;
  /** How often this one is sent again, as it is, while there is no answer or one of 5xx; never where it is left out. */
  readonly retries?: (index: number) => number;
  /** How long an answer is waited for; until the connection breaks where it is left out. */
  readonly timeoutMs?: number;
}

/** Before a signal is sent again; twice as long each time, as charting platforms do, so that an outage does not use up all signals. */
const PAUSE_MS = 30;

/** Sends signals from `connections` loops until `total` have been sent. Each request is an entry of its own. */
export async function sendAll(sending: Sending): Promise<readonly TimedSignal[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: sending.connections });
  const sent: TimedSignal[] = [];
  let index = 0;
  const send = async (signal: { body: string; idempotencyKey: string }): Promise<Answer | undefined> => {
    const url = await sending.url();
    const entry: TimedSignal = { ...signal, answer: undefined, sentAtMs: Date.now(), answeredAtMs: 0 };
    sent.push(entry);
    entry.answer = await post(url, agent, signal.body, sending.timeoutMs);
    entry.answeredAtMs = Date.now();
    sending.onSent(sent.length);
    return entry.answer;
  };
  const loop = async (): Promise<void> => {
    while (index < sending.total) {
      const mine = index++;
      const signal = sending.next(mine);
      let answer = await send(signal);
      const retries = sending.retries?.(mine) ?? 0;
      for (let retry = 0; retry < retries && (answer?.status ?? 500) >= 500; retry++) {
        await sleep(PAUSE_MS * 2 ** retry);
        answer = await send(signal);
      }
    }
  };
  await Promise.all(Array.from({ length: sending.connections }, loop));
  agent.destroy();
  return sent;
}
