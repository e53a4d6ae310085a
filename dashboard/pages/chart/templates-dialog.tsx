// Indicator templates: a set of scripts with their inputs under a name, to be put on any market.

import { SavedLayouts } from '../../server/layouts.ts';
import { type ChosenScript, isScript, type NewScript } from './chart-choice.ts';
import { SavedDialog } from './saved-dialog.tsx';

interface TemplatesDialogProps {
  readonly scripts: readonly ChosenScript[];
  readonly onPut: (scripts: readonly NewScript[]) => void;
  readonly onClose: () => void;
}

interface Template {
  readonly scripts: readonly NewScript[];
}

const TEMPLATES = new SavedLayouts<Template>('template');

const aboutOf = ({ scripts }: Template): string => scripts.map(({ name }) => name).join(' · ');

function isTemplate(content: unknown): content is Template {
  const { scripts } = (content ?? {}) as Partial<Template>;
  return Array.isArray(scripts) && scripts.every(isScript);
}

export function TemplatesDialog({ scripts, onPut, onClose }: TemplatesDialogProps) {
  const template = scripts.length === 0 ? undefined : { scripts: scripts.map(({ id: _, ...script }) => script) };
  return (
    <SavedDialog
      title="Indicator templates"
      store={TEMPLATES}
      emptyWords="None saved yet. A template keeps the indicators and their inputs, for any market."
      saveLabel="Save these indicators as"
      hint={template === undefined ? 'There is none on the chart.' : aboutOf(template)}
      current={() => template}
      isContent={isTemplate}
      onOpen={(chosen) => onPut(chosen.scripts)}
      {...{ aboutOf, onClose }}
    />
  );
}
