// How the panel below the chart was left: open or not, how high, and at which tab; remembered by this browser.

export const TABS = ['report', 'trades', 'search'] as const;
export type Tab = (typeof TABS)[number];

export interface PanelMemory {
  readonly isOpen: boolean;
  readonly heightPx: number;
  readonly tab: Tab;
}

const KEY = 'signalbox.chart.report';
export const LEAST_HEIGHT_PX = 140;
const USUAL_HEIGHT_PX = 320;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** On a phone the chart has the room until somebody asks for the report. */
export function storedPanel(isNarrow: boolean, store: Store = localStorage): PanelMemory {
  const usual: PanelMemory = { isOpen: !isNarrow, heightPx: USUAL_HEIGHT_PX, tab: 'report' };
  try {
    const { isOpen, heightPx, tab } = JSON.parse(store.getItem(KEY) ?? '{}') as Partial<PanelMemory>;
    return {
      isOpen: typeof isOpen === 'boolean' ? isOpen : usual.isOpen,
      heightPx: typeof heightPx === 'number' ? Math.max(LEAST_HEIGHT_PX, heightPx) : usual.heightPx,
      tab: TABS.find((each) => each === tab) ?? usual.tab,
    };
  } catch {
    return usual;
  }
}

export function rememberPanel(panel: PanelMemory, store: Store = localStorage): void {
  try {
    store.setItem(KEY, JSON.stringify(panel));
  } catch {
    // A browser without room for it opens the panel as usual the next time.
  }
}
