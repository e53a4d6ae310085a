// Names that look like settings and are none: a misspelled one would be ignored without a word.

import { NAMES } from './settings.ts';

/** The one of these names that was meant by another spelling of it, or by one slip of the finger. */
export type SpelledLike = (name: string, names: readonly string[]) => string | undefined;

/** Read by the command line, and by the programs that start us. */
const OTHERS = /^(SIGNALBOX_\w+|NODE_\w+|NO_COLOR|TERM|TZ)$/;
/** Shorter names of other programs are too easily one letter away from ours: API_KEY, HOSTS. */
const MIN_CHARS = 8;

/** `.env` is our own file, so any unknown name there is told; in the environment only what must have been meant for us. */
export function unknownNames(
  dotEnvNames: Iterable<string>,
  environmentNames: Iterable<string>,
  spelledLike: SpelledLike,
): string[] {
  const isKnown = (name: string): boolean =>
    (NAMES as string[]).includes(name) || (OTHERS.test(name) && spelledLike(name, NAMES) === undefined);
  const inFile = [...dotEnvNames].filter((name) => !isKnown(name));
  const around = [...environmentNames].filter((name) => name.length >= MIN_CHARS && !isKnown(name));
  return [
    ...inFile.map((name) => told(name, '.env', spelledLike(name, NAMES))),
    ...around.flatMap((name) => {
      const meant = spelledLike(name, NAMES);
      return meant === undefined ? [] : [told(name, 'the environment', meant)];
    }),
  ];
}

const told = (name: string, where: string, meant: string | undefined): string => {
  const remedy = meant === undefined ? 'Remove it, or look its name up in docs/settings.md.' : `Did you mean ${meant}?`;
  return `${name} in ${where} is no setting and is ignored. ${remedy}`;
};
