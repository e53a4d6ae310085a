// What the language worker knows, in the editor: findings while typing, completion, hovers, signatures and formatting.

import { autocompletion, type Completion, type CompletionContext, snippetCompletion } from '@codemirror/autocomplete';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { type Extension, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  type EditorView,
  hoverTooltip,
  showTooltip,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type {
  Diagnostic as Finding,
  LibrarySource,
  Completion as Offered,
  SignatureHelp,
} from '../../src/pine/index.ts';
import { askLanguage, type CheckedScript } from '../engine/language.ts';
import { explained, signatureLine } from './explained.ts';
import { applyFix } from './problems.tsx';
import { quickFixOf } from './quick-fix.ts';

export interface HelpOptions {
  /** Asked each time: the libraries that the script imports come later than its text. */
  readonly libraries: () => readonly LibrarySource[];
  readonly onChecked: (checked: CheckedScript) => void;
  /** Where the last run of this text ended; undefined where it did not, or nobody runs it. */
  readonly fault?: () => RunFault | undefined;
}

/** An error of a script while it ran. */
export interface RunFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Long enough that a word typed at once is one check, short enough that nobody waits. */
const CHECK_AFTER_MS = 15;
const SIGNATURE_AFTER_MS = 60;

export const languageHelp = (options: HelpOptions): Extension => [
  lintGutter(),
  checking(options),
  autocompletion({ override: [(context) => completionsAt(context, options)], icons: false, maxRenderedOptions: 60 }),
  hoverTooltip(
    async (view, offset) => {
      const found = await askLanguage('hover', { ...scriptOf(view), offset, libraries: options.libraries() });
      if (found === null) return null;
      const { start, end } = found.range;
      return { pos: start, end, above: true, create: () => ({ dom: explained(found.contents) }) };
    },
    // Whoever types looks elsewhere, and the pointer that lies there need not move.
    { hideOnChange: true },
  ),
  signatures(options),
];

const scriptOf = ({ state }: { readonly state: EditorView['state'] }) => ({ source: state.doc.toString() });

/** One check at a time; what was typed meanwhile is checked when it is done. */
class Checks {
  readonly #view: EditorView;
  readonly #options: HelpOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isChecking = false;
  #isWantedAgain = false;

  constructor(view: EditorView, options: HelpOptions) {
    this.#view = view;
    this.#options = options;
    this.want(0);
  }

  update({ docChanged, transactions }: ViewUpdate): void {
    const isAsked = transactions.some(({ effects }) => effects.some((effect) => effect.is(checkAgain)));
    if (docChanged || isAsked) this.want(CHECK_AFTER_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  want(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), afterMs);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) {
      this.#isWantedAgain = true;
      return;
    }
    this.#isChecking = true;
    const { doc } = this.#view.state;
    const source = doc.toString();
    try {
      const checked = await askLanguage('check', { source, libraries: this.#options.libraries() });
      if (this.#view.state.doc === doc) this.#show(checked, source, doc);
    } catch {
      // The worker has ended over this text; the next change starts another.
    }
    this.#isChecking = false;
    if (!this.#isWantedAgain) return;
    this.#isWantedAgain = false;
    void this.#check();
  }

  #show(checked: CheckedScript, source: string, doc: Text): void {
    const found = checked.diagnostics.map((finding) => shownFinding(finding, source, doc));
    const fault = this.#options.fault?.();
    const all = fault === undefined ? found : [...found, shownFault(fault, doc)];
    this.#view.dispatch(setDiagnostics(this.#view.state, all));
    this.#options.onChecked(checked);
  }
}

/** For what changes a check without changing the text: a library that was found, a run that ended. */
export const checkAgain = StateEffect.define<null>();

const checking = (options: HelpOptions): Extension => ViewPlugin.define((view) => new Checks(view, options));

const SEVERITIES = { error: 'error', warning: 'warning', hint: 'info' } as const;

function shownFinding(finding: Finding, source: string, doc: Text): Diagnostic {
  const { code, severity, message, remedy, span } = finding;
  const fix = quickFixOf(source, finding);
  const from = Math.min(span.start, doc.length);
  return {
    from,
    to: Math.min(Math.max(span.end, from), doc.length),
    severity: SEVERITIES[severity],
    message: remedy === undefined ? message : `${message} ${remedy}`,
    source: code,
    ...(fix !== undefined && {
      actions: [{ name: fix.title, apply: (view) => applyFix(view, fix) }],
    }),
  };
}

/** The whole line, without what stands before it: where on it, is seldom known better. */
function shownFault({ line, message }: RunFault, doc: Text): Diagnostic {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return {
    from: from + (text.length - text.trimStart().length),
    to,
    severity: 'error',
    message,
    source: 'when it ran',
  };
}

async function completionsAt(context: CompletionContext, { libraries }: HelpOptions) {
  const word = context.matchBefore(/[\w@]*/);
  const from = word?.from ?? context.pos;
  const isAfterDot = context.state.sliceDoc(from - 1, from) === '.';
  if (!context.explicit && from === context.pos && !isAfterDot) return null;
  const source = context.state.doc.toString();
  const offered = await askLanguage('complete', { source, offset: context.pos, libraries: libraries() });
  if (offered.length === 0) return null;
  // In the worker's order: it knows what fits.
  return { from, filter: false, options: offered.map(shownCompletion) };
}

function shownCompletion({ label, detail, documentation, insertText, insertTextFormat, kind }: Offered): Completion {
  const shown: Completion = {
    label,
    type: kind,
    detail: detail === label ? '' : detail.slice(0, MAX_DETAIL_CHARS),
    ...(documentation !== '' && { info: () => explained(documentation) }),
  };
  if (insertTextFormat === 'plaintext') return { ...shown, apply: insertText };
  // The editor writes places without a word as ${1}.
  return snippetCompletion(
    insertText.replace(/\$(\d)/g, (_, place) => `\${${place}}`),
    shown,
  );
}

const MAX_DETAIL_CHARS = 80;

const setSignature = StateEffect.define<SignatureHelp | null>();

const signatureField = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setSignature)) return signatureTooltip(effect.value);
    return shown && transaction.docChanged ? { ...shown, pos: transaction.changes.mapPos(shown.pos) } : shown;
  },
  provide: (field) => showTooltip.from(field),
});

function signatureTooltip(help: SignatureHelp | null): Tooltip | null {
  const form = help?.forms[help.active];
  if (help === null || form === undefined) return null;
  const more = help.forms.length - 1;
  const create = () => {
    const dom = explained(
      [form.doc, more > 0 ? `And ${more} more ${more === 1 ? 'form' : 'forms'}.` : ''].join('\n\n'),
    );
    dom.prepend(signatureLine(form.signature, form.parameter));
    dom.setAttribute('role', 'status');
    return { dom };
  };
  return { pos: help.opensAt, above: true, strictSide: true, create };
}

/** Shown while a call is being typed, and followed until its parenthesis is left. */
class Signatures {
  readonly #options: HelpOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HelpOptions) {
    this.#options = options;
  }

  update({ view, docChanged, selectionSet, transactions }: ViewUpdate): void {
    const isTyped =
      docChanged && transactions.some((each) => each.isUserEvent('input.type') || each.isUserEvent('delete'));
    const isShown = view.state.field(signatureField) !== null;
    if (!isTyped && !(isShown && selectionSet)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void showSignature(view, this.#options), SIGNATURE_AFTER_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }
}

async function showSignature(view: EditorView, { libraries }: HelpOptions): Promise<void> {
  const { doc, selection } = view.state;
  const found = await askLanguage('signature', {
    ...{ source: doc.toString(), offset: selection.main.head, libraries: libraries() },
  }).catch(() => null);
  if (view.state.doc === doc && view.state.selection.eq(selection)) view.dispatch({ effects: setSignature.of(found) });
}

export function closeSignature(view: EditorView): boolean {
  if (view.state.field(signatureField, false) == null) return false;
  view.dispatch({ effects: setSignature.of(null) });
  return true;
}

const signatures = (options: HelpOptions): Extension => [
  signatureField,
  ViewPlugin.define(() => new Signatures(options)),
];

/** Replaces what differs, so that the cursor and one step of undo stay; tells why where it cannot be done. */
export async function formatScript(view: EditorView): Promise<string | undefined> {
  const { doc } = view.state;
  const { text, diagnostics } = await askLanguage('format', scriptOf(view));
  if (view.state.doc !== doc) return undefined;
  if (diagnostics.some(({ severity }) => severity === 'error'))
    return 'A script with syntax errors is not formatted; repair them first.';
  const source = doc.toString();
  if (text === source) return undefined;
  view.dispatch({ changes: changedPart(source, text), userEvent: 'input.format' });
  return undefined;
}

function changedPart(before: string, after: string) {
  let from = 0;
  while (from < before.length && before[from] === after[from]) from++;
  let [to, end] = [before.length, after.length];
  while (to > from && end > from && before[to - 1] === after[end - 1]) {
    to--;
    end--;
  }
  return { from, to, insert: after.slice(from, end) };
}
