// How many runs a search would take, known before it starts: the engine says which values there are, and what is wrong with them.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputVariation } from '../../../../src/pine/index.ts';
import { candidateCount, type InputSpace } from '../../../../src/pine/light.ts';
import type { SearchGround } from '../../../engine/search-messages.ts';
import { SearchThread } from '../../../engine/search-thread.ts';

/** More runs take more memory and patience than a page should ask for. */
export const MOST_RUNS = 20_000;

export interface SearchSpace {
  readonly space: InputSpace;
  readonly runs: number;
}

export type AskedSpace = SearchSpace | { readonly fault: string } | undefined;

export interface SpaceAsked {
  readonly isAsked: boolean;
  /** Its text, with the libraries that it imports; undefined before its first run. */
  readonly script: Pick<SearchGround, 'source' | 'libraries'> | undefined;
  readonly varied: Readonly<Record<string, InputVariation>>;
  /** Values that the inputs have on the chart. */
  readonly given: Readonly<Record<string, unknown>>;
}

export function useSpace({ isAsked, script, varied, given }: SpaceAsked): AskedSpace {
  const [answer, setAnswer] = useState<AskedSpace>();
  const thread = useRef<SearchThread | undefined>(undefined);
  useEffect(() => () => thread.current?.end(), []);
  const fixed = Object.fromEntries(Object.entries(given).filter(([title]) => !Object.hasOwn(varied, title)));
  const question = JSON.stringify([script?.source, script?.libraries, fixed]);
  useEffect(() => {
    if (!isAsked || script === undefined) return undefined;
    const { source, libraries } = script;
    let isCurrent = true;
    if (thread.current === undefined || thread.current.isOver) thread.current = new SearchThread();
    void thread.current.ask({ kind: 'space', source, ...(libraries && { libraries }), varied, fixed }).then((said) => {
      if (!isCurrent) return;
      if (said.kind === 'space') setAnswer(checked(said.space));
      else if (said.kind === 'fault') setAnswer({ fault: said.message });
    });
    return () => {
      isCurrent = false;
    };
  }, [isAsked, question, varied]);
  return answer;
}

function checked(space: InputSpace): AskedSpace {
  if (space.axes.length === 0) return { fault: 'Choose at least one input to vary.' };
  const runs = candidateCount(space.axes, { kind: 'grid' });
  if (runs <= MOST_RUNS) return { space, runs };
  return {
    fault: `These are ${runs.toLocaleString('en-US')} runs, and ${MOST_RUNS.toLocaleString('en-US')} are the most; use larger steps or vary fewer inputs.`,
  };
}
