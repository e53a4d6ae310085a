// Writes the whole table of built-ins out as a page of documentation.

import { allEntries, allWords, namespaces } from './index.ts';
import type { Entry, FunctionEntry, Overload, ValueEntry, WordEntry } from './model.ts';
import { signatureText } from './signature-text.ts';
import { type PineVersion, typeText } from './types.ts';

const WORD_HEADINGS: readonly (readonly [WordEntry['kind'], string])[] = [
  ['keyword', 'Keywords'],
  ['type', 'Types and qualifiers'],
  ['operator', 'Operators'],
  ['annotation', 'Annotations'],
];

/** The reference as Markdown; ends with a line break. */
export function referenceMarkdown(): string {
  const groups = Map.groupBy(allEntries(), (entry) => entry.namespace);
  const sections = namespaces().map((namespace) => namespaceSection(namespace, groups.get(namespace) ?? []));
  const words = WORD_HEADINGS.map(([kind, heading]) => wordSection(kind, heading));
  return `${[introduction(), ...words, ...sections].join('\n\n')}\n`;
}

const introduction = () => `# Pine reference

Every built-in of Pine v5 and v6 that Signalbox knows. This page is written by the program from the same table the
compiler checks scripts against. "Pine Script" and "TradingView" are trademarks of TradingView, Inc.; Signalbox is
independent of it.

A type is a qualifier (when the value is known: \`const\` at compile time, \`input\` from the settings, \`simple\` on the
first bar, \`series\` anew on every bar) and what the value is. An argument may always be known earlier than asked for.
\`const…series\` means: known as early as the arguments are.`;

function wordSection(kind: WordEntry['kind'], heading: string): string {
  const rows = allWords().filter((word) => word.kind === kind);
  const lines = rows.map((word) => `| \`${cell(word.name)}\` | ${cell(word.doc + versionNote(word.versions))} |`);
  return [`## ${heading}`, '', '| word | meaning |', '| --- | --- |', ...lines].join('\n');
}

function namespaceSection(namespace: string, entries: readonly Entry[]): string {
  const values = entries.filter((entry): entry is ValueEntry => entry.kind !== 'function');
  const functions = entries.filter((entry): entry is FunctionEntry => entry.kind === 'function');
  const heading = namespace === '' ? '## Names without a namespace' : `## ${namespace}`;
  return [heading, ...(values.length > 0 ? [valueTable(values)] : []), ...functions.map(functionSection)].join('\n\n');
}

function valueTable(values: readonly ValueEntry[]): string {
  const rows = values.map(
    ({ name, type, doc, versions }) => `| \`${name}\` | ${typeText(type)} | ${cell(doc + versionNote(versions))} |`,
  );
  return ['| name | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function functionSection({ name, overloads, doc, versions }: FunctionEntry): string {
  const signatures = overloads.map((overload) => {
    const newest = overload.versions.includes(6) ? 6 : 5;
    const note = overload.versions.length === versions.length ? '' : `  // v${newest} only`;
    return signatureText(name, overload, newest) + note;
  });
  const notes = [...new Set(overloads.flatMap(overloadNotes)), ...parameterNotes(overloads)];
  return [`### ${name}()`, doc + versionNote(versions), `\`\`\`text\n${signatures.join('\n')}\n\`\`\``, ...notes].join(
    '\n\n',
  );
}

function overloadNotes(overload: Overload): string[] {
  return [
    ...(overload.methodOf === null ? [] : [`Can be called as a method of ${article(overload.methodOf)}.`]),
    ...(overload.stateful ? ['Keeps its own state at every place it is called from: call it on every bar.'] : []),
    ...(overload.globalOnly ? ['Only in the global scope.'] : []),
  ];
}

const article = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

/** The allowed constants, and parameters that only one version has. */
function parameterNotes(overloads: readonly Overload[]): string[] {
  const notes = overloads.flatMap(({ parameters }) =>
    parameters.flatMap(({ name, allowed, versions, remedy }) => [
      ...(allowed.length === 0 ? [] : [`- \`${name}\`: one of ${allowed.map((one) => `\`${one}\``).join(', ')}.`]),
      ...(versions.length === 2
        ? []
        : [`- \`${name}\`: only in v${versions[0]}${remedy === null ? '' : `; since v6 ${remedy}`}.`]),
    ]),
  );
  return notes.length === 0 ? [] : [[...new Set(notes)].join('\n')];
}

const versionNote = (versions: readonly PineVersion[]) =>
  versions.length === 2 ? '' : versions[0] === 6 ? ' Since v6.' : ' Only in v5.';

const cell = (text: string) => text.replaceAll('|', '\\|');
