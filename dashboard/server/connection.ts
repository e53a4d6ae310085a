// Whether the server answers, told at once and to everybody: what fails and what works again is noticed by the question that is asked most.

import { useAnswer } from './use-answer.ts';

export type Connection = 'connecting' | 'live' | 'lost';

const EVERY_MS = 3_000;

export function useConnection(): Connection {
  const { answer, refused } = useAnswer('/health', EVERY_MS);
  if (refused !== undefined) return 'lost';
  return answer === undefined ? 'connecting' : 'live';
}
