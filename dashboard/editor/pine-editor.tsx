// The editor of Pine scripts. It lives in a shadow root, where its styles are adopted sheets: the page's policy lets in nothing inline.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { forEachDiagnostic, nextDiagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LibrarySource } from '../../src/pine/index.ts';
import type { CheckedScript } from '../engine/language.ts';
import { Button } from '../ui/button.tsx';
import { checkAgain, closeSignature, formatScript, languageHelp, type RunFault } from './language-help.ts';
import { overSelection } from './over-selection.ts';
import { pineHighlighting } from './pine-highlighting.ts';
import './pine-editor.css';
import { Problems } from './problems.tsx';
import { theme } from './theme.ts';

export interface PineEditorProps {
  /** For who cannot see it. */
  readonly label: string;
  /** The text it begins with. The editor has its own from then on: whoever wants to replace it gives the editor another key. */
  readonly source: string;
  readonly onChange: (source: string) => void;
  readonly onSave?: () => void;
  readonly onChecked?: (checked: CheckedScript) => void;
  readonly libraries?: readonly LibrarySource[];
  /** Where the last run of this text ended. */
  readonly fault?: RunFault | undefined;
}

const NONE: readonly LibrarySource[] = [];

export function PineEditor(props: PineEditorProps) {
  const { source, libraries = NONE, fault } = props;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [checked, setChecked] = useState<CheckedScript>();
  const [note, setNote] = useState<string>();
  const latest = useRef({ ...props, libraries, setChecked, setNote });
  latest.current = { ...props, libraries, setChecked, setNote };

  useEffect(() => {
    const host = place.current!;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const made = new EditorView({
      ...{ root, parent: root, state: EditorState.create({ doc: source, extensions: extensions(latest) }) },
    });
    setView(made);
    return () => made.destroy();
  }, []);

  useEffect(() => view?.dispatch({ effects: checkAgain.of(null) }), [libraries, fault?.line, fault?.message]);

  return (
    <div class="pine-editor">
      <div class="code" ref={place} />
      <div class="below">
        <Problems view={view} checked={checked} isFailing={fault !== undefined} />
        {note !== undefined && (
          <span role="alert" class="down">
            {note}
          </span>
        )}
        <Tools view={view} onFormat={() => view !== undefined && void format(view, setNote)} />
      </div>
    </div>
  );
}

interface ToolsProps {
  readonly view: EditorView | undefined;
  readonly onFormat: () => void;
}

const Tools = ({ view, onFormat }: ToolsProps) => (
  <span class="tools">
    <span class="quiet keys">Esc, then Tab leaves the editor</span>
    <Button isSmall onClick={() => view !== undefined && undo(view)}>
      Undo
    </Button>
    <Button isSmall onClick={() => view !== undefined && redo(view)}>
      Redo
    </Button>
    <Button isSmall onClick={() => view !== undefined && openSearchPanel(view)}>
      Find
    </Button>
    <Button isSmall title="Shift-Alt-F" onClick={onFormat}>
      Format
    </Button>
  </span>
);

async function format(view: EditorView, tell: (note: string | undefined) => void): Promise<void> {
  tell(await formatScript(view));
  view.focus();
}

/** Does what the finding at the cursor offers. */
function fixHere(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  let fix: (() => void) | undefined;
  forEachDiagnostic(view.state, ({ actions }, from, to) => {
    const [action] = actions ?? [];
    const isHere = from <= line.to && to >= line.from;
    if (isHere && action !== undefined && fix === undefined) fix = () => action.apply(view, from, to);
  });
  fix?.();
  return fix !== undefined;
}

interface Latest {
  readonly current: PineEditorProps & {
    readonly libraries: readonly LibrarySource[];
    readonly setChecked: (checked: CheckedScript) => void;
    readonly setNote: (note: string | undefined) => void;
  };
}

const extensions = (latest: Latest): Extension => [
  ...[lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), bracketMatching()],
  ...[history(), search({ top: true }), highlightSelectionMatches(), closeBrackets()],
  EditorState.tabSize.of(4),
  indentUnit.of('    '),
  overSelection,
  pineHighlighting,
  theme,
  languageHelp({
    libraries: () => latest.current.libraries,
    fault: () => latest.current.fault,
    onChecked(checked) {
      latest.current.setChecked(checked);
      latest.current.onChecked?.(checked);
    },
  }),
  // Editable text takes the focus by itself; who looks after accessibility asks for the attribute all the same.
  EditorView.contentAttributes.of({ 'aria-label': latest.current.label, tabindex: '0' }),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (!docChanged) return;
    latest.current.setNote(undefined);
    latest.current.onChange(state.doc.toString());
  }),
  keys(latest),
];

const does =
  (work: (view: EditorView) => void) =>
  (view: EditorView): true => {
    work(view);
    return true;
  };

const keys = (latest: Latest): Extension =>
  keymap.of([
    { key: 'Mod-s', run: does(() => latest.current.onSave?.()) },
    { key: 'Shift-Alt-f', run: does((view) => void format(view, latest.current.setNote)) },
    { key: 'Mod-.', preventDefault: true, run: fixHere },
    ...completionKeymap,
    ...closeBracketsKeymap,
    ...searchKeymap,
    ...historyKeymap,
    { key: 'F8', run: nextDiagnostic },
    // After whatever else Escape closes.
    { key: 'Escape', run: closeSignature },
    ...defaultKeymap,
    indentWithTab,
  ]);
