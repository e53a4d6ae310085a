// How much room the script panel takes, whether it is open, and at which script: remembered by this browser.

import { useLayoutEffect, useState } from 'preact/hooks';
import { read, type Store, written } from '../chart-choice.ts';

export interface PanelRoom {
  readonly isOpen: boolean;
  /** The script that was opened last, by its id on the chart. */
  readonly scriptId: string | undefined;
  readonly widthPx: number;
  /** Of the inputs, below the code. */
  readonly inputsPx: number;
}

const ROOM_KEY = 'signalbox.chart.panel';
const FIRST_ROOM: PanelRoom = { isOpen: false, scriptId: undefined, widthPx: 420, inputsPx: 200 };

export const WIDTH_PX = { min: 280, max: 900 };
export const INPUTS_PX = { min: 48, max: 480 };

export function storedRoom(store: Store = localStorage): PanelRoom {
  const stored = read(store, ROOM_KEY);
  if (typeof stored !== 'object' || stored === null) return FIRST_ROOM;
  const { isOpen, scriptId, widthPx, inputsPx } = stored as Partial<PanelRoom>;
  return {
    isOpen: isOpen === true,
    scriptId: typeof scriptId === 'string' ? scriptId : undefined,
    widthPx: within(widthPx, WIDTH_PX) ?? FIRST_ROOM.widthPx,
    inputsPx: within(inputsPx, INPUTS_PX) ?? FIRST_ROOM.inputsPx,
  };
}

const within = (value: unknown, { min, max }: { readonly min: number; readonly max: number }): number | undefined =>
  typeof value === 'number' && value >= min && value <= max ? value : undefined;

export const rememberRoom = (room: PanelRoom, store: Store = localStorage): boolean => written(store, ROOM_KEY, room);

export function usePanelRoom() {
  const [room, setRoom] = useState(() => storedRoom());
  useLayoutEffect(() => void rememberRoom(room), [room]);
  const changeRoom = (part: Partial<PanelRoom>): void => setRoom((before) => ({ ...before, ...part }));
  return [room, changeRoom] as const;
}
