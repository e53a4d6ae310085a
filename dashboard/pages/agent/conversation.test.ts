// What the events of an answer make of it, and what of a conversation is sent along.

import { expect, test } from 'vitest';
import { EMPTY_ANSWER, said, toSend, withEvent } from './conversation.ts';

const WHOLE = { model: 'gpt', provider: 'openai', finishReason: 'stop', warnings: [] };

test('text grows, looks are kept in order, and the whole has the last word', () => {
  const look = { name: 'get_positions', arguments: {}, ms: 3, ok: true };
  const events = [
    { event: 'tool', data: look },
    { event: 'delta', data: { text: 'You hold ' } },
    { event: 'delta', data: { text: 'nothing' } },
  ];
  const growing = events.reduce(withEvent, EMPTY_ANSWER);
  expect(growing).toMatchObject({ text: 'You hold nothing', tools: [look] });
  const done = withEvent(growing, {
    event: 'done',
    data: { ...WHOLE, response: 'You hold nothing.', finishReason: 'length' },
  });
  expect(done).toMatchObject({ text: 'You hold nothing.', by: 'openai, gpt · cut off at its longest' });
  expect(withEvent(growing, { event: 'error', data: { error: 'it broke off' } }).fault).toBe('it broke off');
  expect(withEvent(EMPTY_ANSWER, { event: 'done', data: { ...WHOLE, analysis: 'A trend.' } }).text).toBe('A trend.');
});

test('failed answers are not sent along', () => {
  const failed = { ...EMPTY_ANSWER, text: 'half', fault: 'broke off' };
  expect(toSend([said('one'), failed, said('two')])).toEqual([
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ]);
});
