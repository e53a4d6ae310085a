// What a finding offers to do about itself: the remedy of the checker as a change of the text, where it names one.

import type { Diagnostic } from '../../src/pine/index.ts';

export interface QuickFix {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

type Finder = (source: string, finding: Diagnostic) => QuickFix | undefined;

/** "Did you mean ta.atr?" speaks of the whole place. */
const meantName: Finder = (_, { span, remedy = '' }) => {
  const meant = /^Did you mean ([\w.]+)\?/.exec(remedy)?.[1];
  return meant === undefined ? undefined : replacing(span.start, span.end, meant);
};

/** "plot() has no argument colr; did you mean color?" speaks of the name that the place begins with. */
const meantArgument: Finder = (source, { span, message }) => {
  const meant = /; did you mean (\w+)\?$/.exec(message)?.[1];
  const [written] = /^\w+/.exec(source.slice(span.start, span.end)) ?? [];
  if (meant === undefined || written === undefined) return undefined;
  return replacing(span.start, span.start + written.length, meant);
};

/** `Write "and".` of an operator of another language; a word must stand apart from its neighbours. */
const meantOperator: Finder = (source, { span, remedy = '' }) => {
  const meant = /^Write "(and|or|not|==|!=)"\.$/.exec(remedy)?.[1];
  if (meant === undefined) return undefined;
  const isWord = /^\w/.test(meant);
  const before = isWord && /\S/.test(source[span.start - 1] ?? ' ') && source[span.start - 1] !== '(' ? ' ' : '';
  const after = isWord && /\S/.test(source[span.end] ?? ' ') ? ' ' : '';
  return { ...replacing(span.start, span.end, `${before}${meant}${after}`), title: `Replace with ${meant}` };
};

/** `Write ":=" to give x another value`: the place is the name before the sign. */
const meantAssignment: Finder = (source, { span, remedy = '' }) => {
  if (!remedy.startsWith('Write ":=" to give ')) return undefined;
  const [between] = /^\s*(?==[^=])/.exec(source.slice(span.end)) ?? [];
  if (between === undefined) return undefined;
  const from = span.end + between.length;
  return { title: 'Change it with :=', from, to: from + 1, insert: ':=' };
};

const missingVersion: Finder = (_, { remedy = '' }) => {
  const line = /^Write (\/\/@version=\d+) as its first line\.$/.exec(remedy)?.[1];
  return line === undefined ? undefined : { title: `Add ${line}`, from: 0, to: 0, insert: `${line}\n` };
};

const FINDERS: readonly Finder[] = [meantName, meantArgument, meantOperator, meantAssignment, missingVersion];

const replacing = (from: number, to: number, insert: string): QuickFix => ({
  ...{ from, to, insert, title: `Replace with ${insert}` },
});

export function quickFixOf(source: string, finding: Diagnostic): QuickFix | undefined {
  for (const find of FINDERS) {
    const found = find(source, finding);
    if (found !== undefined) return found;
  }
  return undefined;
}
