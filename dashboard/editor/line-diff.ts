// Two texts line by line: what stands in both, what only in the first, what only in the second.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Numbers of the line in each text, from 1. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A table of this many places takes a few milliseconds; beyond it what differs is told as one whole. */
const MAX_PLACES = 4_000_000;

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** The shortest way from one to the other, by the longest lines in common; what is alike at both ends is left out of the search. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < young.length && old[head] === young[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < young.length - head && old.at(-1 - tail) === young.at(-1 - tail)) tail++;
  const middle = changes(old.slice(head, old.length - tail), young.slice(head, young.length - tail));
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: 'same', text }) as const);
  const all = [...same(old.slice(0, head)), ...middle, ...same(tail === 0 ? [] : old.slice(-tail))];
  return numbered(all);
}

interface Change {
  readonly kind: DiffLine['kind'];
  readonly text: string;
}

function changes(old: readonly string[], young: readonly string[]): readonly Change[] {
  const common = old.length * young.length > MAX_PLACES ? undefined : commonLengths(old, young);
  const found: Change[] = [];
  let [i, j] = [0, 0];
  const width = young.length + 1;
  while (i < old.length && j < young.length && common !== undefined) {
    if (old[i] === young[j]) {
      found.push({ kind: 'same', text: old[i++]! });
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
      found.push({ kind: 'removed', text: old[i++]! });
    else found.push({ kind: 'added', text: young[j++]! });
  }
  found.push(...old.slice(i).map((text) => ({ kind: 'removed', text }) as const));
  found.push(...young.slice(j).map((text) => ({ kind: 'added', text }) as const));
  return found;
}

/** For each pair of places, how many lines the rests have in common. */
function commonLengths(old: readonly string[], young: readonly string[]): Uint32Array {
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === young[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  return lengths;
}

function numbered(lines: readonly Change[]): readonly DiffLine[] {
  let [before, after] = [0, 0];
  return lines.map(({ kind, text }) => {
    if (kind !== 'added') before += 1;
    if (kind !== 'removed') after += 1;
    return {
      ...{ kind, text },
      before: kind === 'added' ? undefined : before,
      after: kind === 'removed' ? undefined : after,
    };
  });
}
