// Which script is open beside the chart, and every way to open and shut it.

import type { Place } from '../../../ui/places.ts';
import type { ChosenScript, NewScript } from '../chart-choice.ts';
import { useAskedScript } from '../use-asked-script.ts';
import type { ChosenChart } from '../use-chart-choice.ts';
import { type PanelRoom, usePanelRoom } from './panel-room.ts';

export interface OpenedPanel {
  readonly room: PanelRoom;
  /** The script that is open, or would be; undefined where the chart has none. */
  readonly script: ChosenScript | undefined;
  /** Why a script that a link names could not be opened. */
  readonly refused: string | undefined;
  changeRoom(part: Partial<PanelRoom>): void;
  open(id: string): void;
  close(): void;
  toggle(): void;
  /** Puts a script on the chart; an open panel goes to it. */
  add(script: NewScript, isOpened?: boolean): void;
}

/** Whoever shuts the panel from inside of it goes on at the button that opens it. */
const focusPanelButton = (): void => document.querySelector<HTMLElement>('.chart-toolbar [aria-expanded]')?.focus();

export function useScriptPanel(chosen: ChosenChart, place: Place): OpenedPanel {
  const [room, changeRoom] = usePanelRoom();
  const { scripts } = chosen.choice;
  const open = (scriptId: string): void => changeRoom({ isOpen: true, scriptId });
  const close = (): void => {
    changeRoom({ isOpen: false });
    focusPanelButton();
  };
  const add = (script: NewScript, isOpened = false): void => {
    const scriptId = chosen.add(script);
    changeRoom(isOpened ? { isOpen: true, scriptId } : { scriptId });
  };
  const refused = useAskedScript(place, (script) => {
    const found = scripts.find(({ storedId }) => storedId === script.storedId);
    if (found === undefined) add(script, true);
    else open(found.id);
  });
  return {
    ...{ room, refused, changeRoom, open, close, add },
    script: scripts.find(({ id }) => id === room.scriptId) ?? scripts[0],
    toggle: () => (room.isOpen ? close() : changeRoom({ isOpen: true })),
  };
}
