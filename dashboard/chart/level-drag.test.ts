// A line of the account that is taken and moved: where it stands meanwhile, and what is told of it in the end.

import { expect, test } from 'vitest';
import { type DraggableLevel, LevelDrag } from './level-drag.ts';
import type { MarketChart } from './market-chart.ts';

const STOP: DraggableLevel = { id: 'stop', price: 92_000, title: 'stop', kind: 'stop', canMove: true };
/** A pixel is seven and a half: hardly any stands on a tick. */
const [TOP, STEP] = [99_000.123, 7.531];

function dragged(ys: readonly number[]) {
  const place = Object.assign(new EventTarget(), {
    setPointerCapture: () => {},
    getBoundingClientRect: () => ({ top: 0 }),
    classList: { toggle: () => false },
  });
  const moved: number[] = [];
  const dropped: number[] = [];
  const chart = {
    candles: {
      priceToCoordinate: (price: number) => (TOP - price) / STEP,
      coordinateToPrice: (y: number) => TOP - y * STEP,
    },
    levels: { move: ({ price }: { price: number }) => moved.push(price) },
  };
  const drag = new LevelDrag(place as unknown as HTMLElement, chart as unknown as MarketChart, {
    levels: () => [STOP],
    rounded: (_, price) => Math.round(price * 10) / 10,
    onDropped: (_, price) => dropped.push(price),
  });
  const send = (type: string, clientY: number): void =>
    void place.dispatchEvent(
      Object.assign(new Event(type), { button: 0, pointerId: 1, pointerType: 'mouse', clientY }),
    );
  send('pointerdown', (TOP - STOP.price) / STEP);
  for (const y of ys) send('pointermove', y);
  send('pointerup', ys.at(-1) ?? 0);
  drag.close();
  return { moved, dropped };
}

test('stands at prices of its market on the way, and the last of them is told', () => {
  const { moved, dropped } = dragged([950, 1000.5]);
  expect(moved).toEqual([91_845.7, 91_465.4]);
  expect(dropped).toEqual([91_465.4]);
});

test('that is let go where it stood asks nothing', () => {
  expect(dragged([]).dropped).toEqual([]);
});
