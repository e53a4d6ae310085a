// Something that is sent to the server once: whether it is under way, and why it was refused.

import { useState } from 'preact/hooks';
import { errorWords } from './error-words.ts';

export interface Sending {
  readonly isSending: boolean;
  readonly refused: string | undefined;
  /** Nothing is sent twice while it is under way. */
  readonly send: (work: () => Promise<unknown>) => Promise<void>;
}

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<string>();
  return {
    isSending,
    refused,
    async send(work) {
      if (isSending) return;
      setSending(true);
      setRefused(undefined);
      try {
        await work();
      } catch (error) {
        setRefused(errorWords(error));
      } finally {
        setSending(false);
      }
    },
  };
}
