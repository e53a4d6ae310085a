// Tests of what the browser remembers of the script panel.

import { expect, it } from 'vitest';
import { rememberRoom, storedRoom } from './panel-room.ts';

const storeOf = (items: Record<string, string> = {}) => ({
  getItem: (key: string) => items[key] ?? null,
  setItem: (key: string, value: string) => {
    items[key] = value;
  },
});

it('is there again', () => {
  const store = storeOf();
  const room = { isOpen: true, scriptId: 'a', widthPx: 512, inputsPx: 120 };
  rememberRoom(room, store);
  expect(storedRoom(store)).toEqual(room);
});

it.each(['{', 'null', '7', '{"widthPx":5,"inputsPx":"9","isOpen":1,"scriptId":3}'])(
  'is as at first where it makes no sense: %s',
  (text) => {
    expect(storedRoom(storeOf({ 'signalbox.chart.panel': text }))).toEqual(storedRoom(storeOf()));
  },
);
