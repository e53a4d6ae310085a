// Many connections that send signals to a process which may die at any moment, and remember every answer they got.

import { Agent, request } from 'node:http';
import { checkAnswer } from './check-answers.ts';

export interface Answer {
  readonly status: number;
  // The answers are looked into field by field.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly body: any;
}

/** Undefined means that no answer came: nobody knows what became of the signal. */
export function post(url: string, agent: Agent, body: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const call = request(
      `${url}/webhook`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
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
          try {
            const answer = { status, body: JSON.parse(text) };
            void checkAnswer({ method: 'POST', path: '/webhook', status, contentType, text }).then(() =>
              resolve(answer),
            );
          } catch {
            resolve(undefined);
          }
        });
      },
    );
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}

export interface SentSignal {
  readonly body: string;
  readonly idempotencyKey: string;
  answer: Answer | undefined;
}

/**
 * Sends signals from `connections` loops until `total` have been sent. `url()` is asked for each one, because the
 * process behind it may have been replaced. A signal without an answer is not sent again.
 */
export async function sendAll(options: {
  readonly url: () => Promise<string>;
  readonly total: number;
  readonly connections: number;
  readonly next: (index: number) => { body: string; idempotencyKey: string };
  readonly onSent: (count: number) => void;
}): Promise<readonly SentSignal[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const sent: SentSignal[] = [];
  let index = 0;
  const loop = async (): Promise<void> => {
    while (index < options.total) {
      const signal = options.next(index++);
      const url = await options.url();
      const entry: SentSignal = { ...signal, answer: undefined };
      sent.push(entry);
      entry.answer = await post(url, agent, signal.body);
      options.onSent(sent.length);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, loop));
  agent.destroy();
  return sent;
}
