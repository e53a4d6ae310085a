// Texts and numbers collected as bytes: they come out as they went in, however much there is.

import { expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.ts';

const written = (work: (writer: ByteWriter) => void, capacity?: number): string => {
  const writer = new ByteWriter(capacity);
  work(writer);
  const bytes = writer.done();
  expect(bytes.length).toBe(writer.length);
  return new TextDecoder().decode(bytes);
};

it('keeps the order of what is written', () => {
  const text = written((writer) => {
    writer.text('é,');
    writer.number(Float64Array.of(7, -1.5), 1);
    writer.letter(44);
    writer.again(0, 3);
  });
  expect(text).toBe('é,-1.5,é,');
});

it.each([1, 2, 30, 100])('grows from room for %i bytes', (capacity) => {
  const text = written((writer) => {
    const column = Float64Array.from({ length: 1000 }, (_, i) => i / 7);
    for (let i = 0; i < 1000; i += 1) writer.number(column, i);
    writer.text('日本'.repeat(1000));
    writer.again(0, writer.length);
  }, capacity);
  const once = Array.from({ length: 1000 }, (_, i) => String(i / 7)).join('') + '日本'.repeat(1000);
  expect(text === once + once).toBe(true);
});
