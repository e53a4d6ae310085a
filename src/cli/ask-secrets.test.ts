// Secrets asked for on a terminal: nothing typed is shown, and the terminal is left as it was found.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { askSecrets, type KeyboardInput } from './ask-secrets.ts';

function keyboard(isTTY = true) {
  const raw: boolean[] = [];
  let paused = 0;
  const emitter = new EventEmitter();
  const input = Object.assign(emitter, {
    isTTY,
    setRawMode: (isRaw: boolean) => raw.push(isRaw),
    resume: () => {},
    pause: () => {
      paused += 1;
    },
  }) as unknown as KeyboardInput;
  const shown: string[] = [];
  const answers = askSecrets(input, { write: (text) => shown.push(text) }, ['API key', 'Its secret']);
  const type = (text: string | Buffer) => emitter.emit('data', text);
  return { answers, type, emitter, raw, shown, paused: () => paused };
}

test('what is typed is the answer, line by line, and is not shown', async () => {
  const { answers, type, emitter, raw, shown, paused } = keyboard();
  for (const character of 'the-key\rthe-secret\r') type(Buffer.from(character));
  expect(await answers).toEqual(['the-key', 'the-secret']);
  expect(shown.join('')).toBe('API key (not shown): \nIts secret (not shown): \n');
  expect(raw).toEqual([true, false]);
  expect([paused(), emitter.listenerCount('data'), emitter.listenerCount('end')]).toEqual([1, 0, 0]);
});

test.each(['the-key\nthe-secret\n', 'the-key\r\nthe-secret\r\n', '\n\nthe-key\n\nthe-secret\n'])(
  'both may be pasted at once: %j',
  async (text) => {
    const { answers, type } = keyboard();
    type(text);
    expect(await answers).toEqual(['the-key', 'the-secret']);
  },
);

test('a slip can be taken back', async () => {
  const { answers, type } = keyboard();
  type('wrong\u0015the-kez\u007fy\r\b\bthe-secret\r');
  expect(await answers).toEqual(['the-key', 'the-secret']);
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s gives up, and the terminal is as before', async (_, character) => {
  const { answers, type, raw } = keyboard();
  type(`the-key\rhalf${character}the-rest\r`);
  await expect(answers).rejects.toThrow('Nothing was done');
  expect(raw).toEqual([true, false]);
});

test('a terminal that goes away gives up too', async () => {
  const { answers, emitter } = keyboard();
  emitter.emit('end');
  await expect(answers).rejects.toThrow('Nothing was done');
});

test('a pipe is not asked', async () => {
  const { answers, raw, shown } = keyboard(false);
  expect(await answers).toBeUndefined();
  expect([raw, shown]).toEqual([[], []]);
});
