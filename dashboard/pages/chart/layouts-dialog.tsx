// Layouts under names: the market, the timeframe, the scripts and the heights of their panes.

import { SavedLayouts } from '../../server/layouts.ts';
import { type ChartChoice, isChoice, rememberLayouts, storedLayouts } from './chart-choice.ts';
import { SavedDialog } from './saved-dialog.tsx';

interface LayoutsDialogProps {
  readonly current: () => ChartChoice;
  readonly onOpen: (choice: ChartChoice) => void;
  readonly onClose: () => void;
}

const LAYOUTS = new SavedLayouts<ChartChoice>('layout');

const aboutOf = ({ symbol, timeframe, scripts }: ChartChoice): string =>
  [`${symbol} ${timeframe}`, ...scripts.map((script) => script.name)].join(' · ');

/** Those that this browser kept by itself, before the server did. */
async function moveKept(): Promise<void> {
  for (const { name, ...content } of storedLayouts()) {
    await LAYOUTS.takeOver({ name, about: aboutOf(content), content });
    rememberLayouts(storedLayouts().filter((kept) => kept.name !== name));
  }
}

export const LayoutsDialog = ({ current, onOpen, onClose }: LayoutsDialogProps) => (
  <SavedDialog
    title="Layouts"
    store={LAYOUTS}
    emptyWords="None saved yet. A layout keeps the market, the timeframe, the indicators and the panes."
    saveLabel="Save this chart as"
    isContent={isChoice}
    prepare={moveKept}
    {...{ current, aboutOf, onOpen, onClose }}
  />
);
