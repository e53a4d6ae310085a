// Something that is done once somebody asks for it: whether it is under way, and why it was not done.

import { useState } from 'preact/hooks';

export interface Action<Args extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** In the words of whoever refused it; gone with the next try. */
  readonly refused: string | undefined;
  run(...args: Args): Promise<void>;
}

export function useAction<Args extends readonly unknown[]>(work: (...args: Args) => Promise<unknown>): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const run = async (...args: Args): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      await work(...args);
    } catch (error) {
      setRefused((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, refused, run };
}
