// Annotations: `//@function`, `//@param`, `//@variable` and the like, with the lines that go on with them.

import type { Annotation, Node, Script } from './ast.ts';
import type { Comment } from './scanner.ts';
import type { Token } from './tokens.ts';

const ANNOTATION = /^\/\/\s*@([A-Za-z_]+)\s*=?\s*(.*)$/;
const REGION = /^\/\/\s*#(?:end)?region\b/;

/** An annotation while its lines are being collected. */
interface Open {
  readonly name: string;
  readonly lines: string[];
  readonly target: number;
  readonly start: number;
  end: number;
}

/** The annotations of a script. A comment line directly below an annotation goes on with its text. */
export function readAnnotations(
  source: string,
  comments: readonly Comment[],
  tokens: readonly Token[],
): readonly Annotation[] {
  const words = tokens.filter(({ start, end }) => end > start);
  const found: Open[] = [];
  let open: Open | undefined;
  let last = 0;
  let word = 0;
  for (const { text, start, end, ownLine } of comments) {
    while (word < words.length && words[word]!.start < start) word++;
    const match = ownLine ? ANNOTATION.exec(text) : null;
    const goesOn = ownLine && !REGION.test(text) && isNextLine(source, last, start);
    last = end;
    if (match !== null) {
      open = { name: match[1]!, lines: [match[2]!], target: words[word]?.start ?? source.length, start, end };
      found.push(open);
      // The version is a number; a remark below it is a remark.
      if (open.name === 'version') open = undefined;
    } else if (open !== undefined && goesOn) {
      open.lines.push(text.replace(/^\/\/\s*/, ''));
      open.end = end;
    } else open = undefined;
  }
  return found.map(finish);
}

function finish({ name, lines, target, start, end }: Open): Annotation {
  const text = lines.map((line) => line.trimEnd()).join('\n');
  return { kind: 'annotation', name, text: text.trim(), target, span: { start, end } };
}

function isNextLine(source: string, from: number, to: number): boolean {
  const between = source.slice(from, to);
  return between.trim() === '' && /^[^\n]*\n[^\n]*$/.test(between.replace(/\r\n?/g, '\n'));
}

/** The annotations that stand above a node and speak of it. */
export const annotationsOf = (script: Script, node: Node): Annotation[] =>
  script.annotations.filter(({ target }) => target === node.span.start);
