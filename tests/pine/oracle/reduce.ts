// Cuts a failing script down to the lines that matter, by leaving out lines with what is indented below them.

/** Says in words what is wrong with what becomes of a script, or null. */
export type Judge = (source: string) => string | null;

/** The fault in words and the smallest script that still has one of its kind, or null. */
export function smallestFault(source: string, judge: Judge): string | null {
  const faultOf: Judge = (candidate) => {
    try {
      return judge(candidate);
    } catch (error) {
      return `broke with ${error instanceof Error ? error.stack : String(error)}`;
    }
  };
  const fault = faultOf(source);
  if (fault === null) return null;
  const small = reduce(source, (candidate) => {
    const found = faultOf(candidate);
    return found !== null && kindOf(found) === kindOf(fault);
  });
  return `${faultOf(small) ?? fault}\n${small}`;
}

/** A smaller script that is merely wrong, or wrong in another way, would hide the fault. */
const kindOf = (fault: string): string =>
  /^(does not compile: \w+|broke with [^\n]*|engine ends)/.exec(fault)?.[0] ?? 'values differ';

export const refused = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  `does not compile: ${code} ${message}`;

/** The smallest script found that still `fails`; it looks at most `mostTries` times. */
export function reduce(source: string, fails: (candidate: string) => boolean, mostTries = 2000): string {
  let lines = source.split('\n').filter((line) => line.trim() !== '');
  let tries = 0;
  const isSmaller = (candidate: readonly string[]): boolean => {
    tries += 1;
    return tries <= mostTries && fails(`${candidate.join('\n')}\n`);
  };
  for (let changed = true; changed && tries < mostTries; ) {
    changed = false;
    // From the end: a declaration can go only after its uses.
    for (let at = lines.length - 1; at >= 0; at -= 1) {
      for (const candidate of smallerAt(lines, at)) {
        if (!isSmaller(candidate)) continue;
        lines = candidate;
        changed = true;
        break;
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The script without a line and its block, without the line but with its block, and without a part of the line. */
function smallerAt(lines: readonly string[], at: number): string[][] {
  const line = lines[at];
  if (line === undefined) return [];
  const indent = indentOf(line);
  const after = lines.slice(at + 1).findIndex((next) => indentOf(next) <= indent);
  const end = after < 0 ? lines.length : at + 1 + after;
  const without = [...lines.slice(0, at), ...lines.slice(end)];
  const body = lines.slice(at + 1, end).map((inner) => inner.slice(4));
  const unwrapped = body.length > 0 ? [[...lines.slice(0, at), ...body, ...lines.slice(end)]] : [];
  const simpler = simplerLines(line).map((text) => lines.with(at, text));
  return [without, ...unwrapped, ...simpler];
}

/** The line with one pair of parentheses and what is in them put simpler. */
function simplerLines(line: string): string[] {
  const found: string[] = [];
  for (const { start, end } of callsIn(line)) {
    const inner = line.slice(line.indexOf('(', start) + 1, end - 1);
    const parts = inner.split(/[,?:]| [-+*/%] | and | or | [<>=!]=? /).map((part) => part.trim());
    for (const text of ['close', '1', 'true', ...parts])
      if (text !== '' && text.length < end - start) found.push(line.slice(0, start) + text + line.slice(end));
  }
  return [...withoutArguments(line), ...found];
}

/** The line without one of the arguments of a call that is not its first. */
function withoutArguments(line: string): string[] {
  const found: string[] = [];
  for (const { start, end } of callsIn(line)) {
    let depth = 0;
    let from = -1;
    for (let i = line.indexOf('(', start) + 1; i < end; i += 1) {
      const isEnd = i === end - 1;
      if (depth === 0 && (line[i] === ',' || isEnd)) {
        if (from >= 0) found.push(line.slice(0, from) + line.slice(i));
        from = i;
      }
      if (line[i] === '(') depth += 1;
      if (line[i] === ')') depth -= 1;
    }
  }
  return found;
}

/** Where a call or a group in parentheses begins and ends, the longest first. */
function callsIn(line: string): { start: number; end: number }[] {
  const open: number[] = [];
  const found: { start: number; end: number }[] = [];
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] === '(') open.push(i);
    if (line[i] !== ')') continue;
    const from = open.pop();
    if (from === undefined) continue;
    const word = /[\w.<>]*$/.exec(line.slice(0, from))![0];
    found.push({ start: from - word.length, end: i + 1 });
  }
  return found.toSorted((a, b) => b.end - b.start - (a.end - a.start));
}
