// Server-sent events out of text that is cut anywhere.

import { expect, test } from 'vitest';
import { EventReader } from './ask-events.ts';

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
