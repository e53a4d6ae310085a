// What can be done from the keyboard: pages, markets and scripts to go to and things to do, found by the letters somebody types.

export interface Command {
  /** Where several may have the same title. */
  readonly id?: string;
  readonly title: string;
  /** What kind of thing it is, shown beside it. */
  readonly kind: string;
  /** A key that does it without the palette. */
  readonly keys?: string;
  readonly run: () => void;
}

/** How well the typed letters fit; undefined where they do not. Lower is better. */
export function distanceOf(title: string, typed: string): number | undefined {
  const [name, wanted] = [title.toLowerCase(), typed.trim().toLowerCase()];
  if (wanted === '') return 0;
  const at = name.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return /[^\p{L}\d]/u.test(name[at - 1] ?? '') ? 1 : 2;
  return hasInOrder(name, wanted) ? 3 : undefined;
}

function hasInOrder(name: string, wanted: string): boolean {
  let from = 0;
  for (const letter of wanted) {
    const at = name.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** Those that fit, the best first; equal ones stay in their order. */
export function fitting(commands: readonly Command[], typed: string, most: number): readonly Command[] {
  return commands
    .flatMap((command) => {
      const distance = distanceOf(command.title, typed);
      return distance === undefined ? [] : [{ command, distance }];
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ command }) => command);
}
