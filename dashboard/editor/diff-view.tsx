// Two texts beside each other's lines: unchanged stretches are folded, and each line says with a sign what became of it.

import { useState } from 'preact/hooks';
import './diff-view.css';
import { type DiffLine, lineDiff } from './line-diff.ts';

export interface DiffViewProps {
  /** For who cannot see it, such as "Revision 3 and revision 5". */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Unchanged lines shown around a change. */
const AROUND = 3;
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' } as const;

export function DiffView({ label, before, after }: DiffViewProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = lineDiff(before, after);
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  if (changed === 0) return <p class="quiet">There is no difference.</p>;
  const shown = isWhole ? lines : folded(lines);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section class="diff-view" aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {shown.map((line, index) =>
            line === undefined ? (
              <tr key={index} class="fold">
                <td colSpan={4}>
                  <button type="button" onClick={() => setWhole(true)}>
                    Show the unchanged lines
                  </button>
                </td>
              </tr>
            ) : (
              <Line key={index} line={line} />
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

const Line = ({ line: { kind, text, before, after } }: { readonly line: DiffLine }) => (
  <tr class={kind}>
    <td class="number">{before}</td>
    <td class="number">{after}</td>
    <td class="sign">
      <span aria-hidden>{SIGNS[kind]}</span>
      <span class="sr-only">{WORDS[kind]}</span>
    </td>
    <td class="text">{text}</td>
  </tr>
);

/** Undefined stands for lines that are left out. */
function folded(lines: readonly DiffLine[]): readonly (DiffLine | undefined)[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line];
    return index === 0 || isNear[index - 1] ? [undefined] : [];
  });
}
