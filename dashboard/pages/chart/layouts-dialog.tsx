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

/** Those that this browser kept by itself, before the server did. One that cannot be moved stays, and holds none of the others up. */
async function moveKept(): Promise<void> {
  const failed: string[] = [];
  for (const { name, ...content } of storedLayouts()) {
    try {
      await LAYOUTS.takeOver({ name, about: aboutOf(content), content });
      rememberLayouts(storedLayouts().filter((kept) => kept.name !== name));
    } catch (error) {
      failed.push(`${name} (${(error as Error).message})`);
    }
  }
  if (failed.length > 0)
    throw new Error(`These are kept by this browser alone and could not be moved to the server: ${failed.join('; ')}`);
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
