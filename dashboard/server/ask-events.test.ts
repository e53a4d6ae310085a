// Server-sent events out of text that is cut anywhere, and of a server that falls silent.

import { afterEach, expect, test, vi } from 'vitest';
import { type Refused, whenShutOut } from './ask.ts';
import { askEvents, EventReader } from './ask-events.ts';

const TEXT = ': still here\n\nevent: delta\ndata: {"text":"a: b"}\n\nevent: done\ndata: {"response":"a"}\n\n';
const EVENTS = [
  { event: 'delta', data: { text: 'a: b' } },
  { event: 'done', data: { response: 'a' } },
];

test('come whole, wherever the text is cut', () => {
  for (let cut = 0; cut <= TEXT.length; cut++) {
    const reader = new EventReader();
    expect([...reader.read(TEXT.slice(0, cut)), ...reader.read(TEXT.slice(cut))]).toEqual(EVENTS);
  }
});

test('an event that is not over yet is none', () => {
  expect(new EventReader().read('event: delta\ndata: {"text":"a"}\n')).toEqual([]);
});

const ask = (onEvent: () => void = () => {}): Promise<unknown> =>
  askEvents('/agent/chat', { body: {}, signal: new AbortController().signal, onEvent }).catch((error: Error) => error);

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('an answer that stops coming is over after a minute; what keeps it open lets it go on', async () => {
  vi.useFakeTimers();
  let say = (_: string): void => {};
  vi.stubGlobal('fetch', async (_: string, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        say = (text) => controller.enqueue(new TextEncoder().encode(text));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body);
  });
  let heard = 0;
  let ended: unknown;
  void ask(() => {
    heard += 1;
  }).then((error) => {
    ended = error;
  });
  for (const text of ['event: delta\ndata: {}\n\n', ': still here\n\n', ': still here\n\n']) {
    await vi.advanceTimersByTimeAsync(50_000);
    say(text);
  }
  await vi.advanceTimersByTimeAsync(59_000);
  expect([heard, ended]).toEqual([1, undefined]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toMatchObject({ status: 0, message: 'Signalbox did not answer within 60 seconds.' });
});

test('a server that is away, and a session that is over, are told as anywhere else', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
  expect(((await ask()) as Refused).message).toBe('Signalbox does not answer. Is it running?');
  let shut = 0;
  const stop = whenShutOut(() => {
    shut += 1;
  });
  vi.stubGlobal('fetch', async () => Response.json({ error: 'log in' }, { status: 401 }));
  expect([((await ask()) as Refused).message, shut]).toEqual(['log in', 1]);
  stop();
});
