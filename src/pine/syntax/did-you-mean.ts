// The nearest known name to a misspelt one, for every "did you mean" of the compiler.

/** Longer names are not compared: the table grows with the square, and nobody misspells a name of this length. */
const MAX_COMPARED_LENGTH = 64;

/**
 * Steps from one word to another: a letter added, dropped or changed, or two neighbours swapped, is one step.
 * Gives up, answering `limit + 1`, as soon as the distance is certain to be larger than the limit.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  let smallestAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const changed = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let steps = Math.min(previous[j]! + 1, row[j - 1]! + 1, changed);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) steps = Math.min(steps, beforePrevious[j - 2]! + 1);
      row.push(steps);
      smallest = Math.min(smallest, steps);
    }
    // A swap may come from two rows up, so a row beyond the limit ends the search only when the one above is too.
    if (smallest > limit && smallestAbove > limit) return limit + 1;
    smallestAbove = smallest;
    beforePrevious = previous;
    previous = row;
  }
  return Math.min(previous[b.length]!, limit + 1);
}

/** The known name that was most likely meant, or null when none is near enough to be worth proposing. */
export function nearestName(wrong: string, known: Iterable<string>): string | null {
  if (wrong.length === 0 || wrong.length > MAX_COMPARED_LENGTH) return null;
  const lowered = wrong.toLowerCase();
  let best: string | null = null;
  let bestSteps = wrong.length <= 3 ? 1 : wrong.length <= 7 ? 2 : 3;
  for (const name of known) {
    if (name === wrong || name.length > MAX_COMPARED_LENGTH) continue;
    // A wrong capital is the most common slip and counts as nothing.
    const steps = editDistance(lowered, name.toLowerCase(), bestSteps);
    if (steps > bestSteps || steps >= Math.max(wrong.length, name.length)) continue;
    if (best !== null && steps === bestSteps && !isBetterTie(name, best, wrong)) continue;
    best = name;
    bestSteps = steps;
  }
  return best;
}

/** Of two names equally far away, the one with the same first letter, then the first of the alphabet. */
function isBetterTie(name: string, best: string, wrong: string): boolean {
  const matches = Number(name[0] === wrong[0]) - Number(best[0] === wrong[0]);
  return matches === 0 ? name < best : matches > 0;
}
