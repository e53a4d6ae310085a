// Finds the name somebody probably meant: the closest of a list by typing mistakes.

/** Longer names are never compared: a suggestion for them helps nobody and the cost grows with the square. */
const MAX_LENGTH = 64;

/** Typing mistakes (a letter wrong, missing, too much, or two swapped) between two words, or limit + 1 when more. */
export function typos(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return Math.min(last[b.length]!, limit + 1);
}

/** The candidate with the fewest typing mistakes, when there are few enough for the word's length; else null. */
export function closest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_LENGTH) return null;
  const lower = word.toLowerCase();
  let limit = word.length < 3 ? 1 : word.length < 8 ? 2 : 3;
  let best: string | null = null;
  for (const candidate of candidates) {
    const distance = typos(lower, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}
