// What the checker has found, as a list that leads to each place and offers its quick fix.

import type { EditorView } from '@codemirror/view';
import { useState } from 'preact/hooks';
import type { Diagnostic } from '../../src/pine/index.ts';
import type { CheckedScript } from '../engine/language.ts';
import { Button } from '../ui/button.tsx';
import { type QuickFix, quickFixOf } from './quick-fix.ts';

export interface ProblemsProps {
  readonly view: EditorView | undefined;
  /** Undefined before the first check. */
  readonly checked: CheckedScript | undefined;
  /** Whether it fails when it is run, which no check can know. */
  readonly isFailing: boolean;
}

export function Problems({ view, checked, isFailing }: ProblemsProps) {
  const [isOpen, setOpen] = useState(false);
  const found = checked?.diagnostics ?? [];
  const words = [counted(found, 'error'), counted(found, 'warning'), counted(found, 'hint')].filter(
    (part) => part !== '',
  );
  return (
    <>
      <span role="status" class="findings">
        {checked === undefined && <span class="quiet">Checking…</span>}
        {checked !== undefined && found.length === 0 && !isFailing && <span class="quiet">No problems</span>}
        {found.length === 0 && isFailing && <span class="down">Fails when it runs</span>}
        {found.length > 0 && (
          <Button isSmall expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span class={toneOf(found[0])}>{words.join(', ')}</span>
          </Button>
        )}
      </span>
      {isOpen && view !== undefined && found.length > 0 && (
        <ul class="problems" aria-label="Problems">
          {found.map((finding) => (
            <Problem key={`${finding.code} ${finding.span.start}`} view={view} finding={finding} />
          ))}
        </ul>
      )}
    </>
  );
}

function counted(found: readonly Diagnostic[], severity: Diagnostic['severity']): string {
  const count = found.filter((finding) => finding.severity === severity).length;
  return count === 0 ? '' : `${count} ${severity}${count === 1 ? '' : 's'}`;
}

const toneOf = (finding: Diagnostic | undefined): string => (finding?.severity === 'error' ? 'down' : 'warned');

function Problem({ view, finding }: { readonly view: EditorView; readonly finding: Diagnostic }) {
  const { doc } = view.state;
  const { message, remedy, span, code } = finding;
  const at = Math.min(span.start, doc.length);
  const fix = quickFixOf(doc.toString(), finding);
  const jump = (): void => {
    view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    view.focus();
  };
  return (
    <li>
      <button type="button" class="place" onClick={jump}>
        Line {doc.lineAt(at).number}
      </button>
      <span>
        <span class={toneOf(finding)}>{message}</span> {remedy} <span class="quiet">{code}</span>
      </span>
      {fix !== undefined && (
        <Button isSmall onClick={() => applyFix(view, fix)}>
          {fix.title}
        </Button>
      )}
    </li>
  );
}

export function applyFix(view: EditorView, fix: QuickFix): void {
  view.dispatch({ changes: fix, selection: { anchor: fix.from + fix.insert.length }, userEvent: 'input.fix' });
  view.focus();
}
