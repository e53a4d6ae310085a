// Whether the server answers, told at once and to everybody: what fails and what works again is noticed by the question that is asked most.

import type { Health } from './answers.ts';
import type { Shown } from './shared-answer.ts';
import { refreshAnswers, useAnswer } from './use-answer.ts';

export type Connection = 'connecting' | 'live' | 'lost';

const HEALTH = '/health';
const EVERY_MS = 3_000;

export const useHealth = (): Shown<Health> => useAnswer<Health>(HEALTH, EVERY_MS);

export function useConnection(): Connection {
  const { answer, refused } = useHealth();
  if (refused !== undefined) return 'lost';
  return answer === undefined ? 'connecting' : 'live';
}

/**
 * The network of this machine comes or goes: what is shown is asked for at once. Nothing is taken for lost before that, because a
 * Signalbox on this very machine needs no network. Returns how to stop.
 */
export function followNetwork(): () => void {
  const gone = (): void => refreshAnswers(HEALTH);
  const back = (): void => refreshAnswers();
  addEventListener('offline', gone);
  addEventListener('online', back);
  return () => {
    removeEventListener('offline', gone);
    removeEventListener('online', back);
  };
}
