// The exchanges that this Signalbox knows, as the server tells them.

import type { Health } from './answers.ts';
import { useAnswer } from './use-answer.ts';

/** While the server has not answered, the one that is chosen. */
export function useVenues(chosen: string): readonly string[] {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  return Object.keys(health?.venues ?? { [chosen]: '' });
}
