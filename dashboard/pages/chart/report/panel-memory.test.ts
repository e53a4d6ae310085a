// Tests of how the panel was left.

import { expect, it } from 'vitest';
import { rememberPanel, storedPanel } from './panel-memory.ts';

function storeWith(text: string | null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  };
}

it('is open at first, but on a phone', () => {
  expect(storedPanel(false, storeWith(null))).toEqual({ isOpen: true, heightPx: 320, tab: 'report' });
  expect(storedPanel(true, storeWith(null)).isOpen).toBe(false);
});

it('comes back as it was left', () => {
  const store = storeWith(null);
  rememberPanel({ isOpen: true, heightPx: 410, tab: 'search' }, store);
  expect(storedPanel(true, store)).toEqual({ isOpen: true, heightPx: 410, tab: 'search' });
});

it('is as usual where nothing sensible was kept, and where nothing can be kept', () => {
  expect(storedPanel(false, storeWith('{"heightPx":3,"tab":"x"}'))).toEqual({
    isOpen: true,
    heightPx: 140,
    tab: 'report',
  });
  expect(storedPanel(false, storeWith('{')).heightPx).toBe(320);
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  };
  expect(() => rememberPanel({ isOpen: true, heightPx: 1, tab: 'report' }, full)).not.toThrow();
});
