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

const moveKept = (): Promise<void> =>
  LAYOUTS.takeOver(
    storedLayouts().map(({ name, ...content }) => ({ name, about: aboutOf(content), content })),
    (moved) => rememberLayouts(storedLayouts().filter(({ name }) => name !== moved)),
  );

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
