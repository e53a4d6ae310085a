// Something that is done once somebody asks for it: whether it is under way, and why it was not done.

import { useState } from 'preact/hooks';

export interface Action<Args extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** In the words of whoever refused it; gone with the next try. */
  readonly refused: string | undefined;
  /** Whether it was done: not where it was refused, nor while another is under way. */
  run(...args: Args): Promise<boolean>;
}

export function useAction<Args extends readonly unknown[]>(work: (...args: Args) => Promise<unknown>): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const run = async (...args: Args): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setRefused(undefined);
    try {
      await work(...args);
      return true;
    } catch (error) {
      setRefused((error as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, refused, run };
}
