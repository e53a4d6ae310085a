// Fuzzes the Pine compiler and its broker with the random scripts of tests/pine, each judged by the oracle or by itself.

import { Coverage } from '../../pine/oracle/coverage.ts';
import { type FuzzKind, fuzzRound } from '../../pine/oracle/fuzz-round.ts';
import { type FuzzPart, ownHeapBytes } from './fuzz-part.ts';

/** Of each sort of script in a batch. */
const EACH = 20;

function openPine(kind: FuzzKind): FuzzPart {
  const coverage = new Coverage();
  return {
    batch(_, seed) {
      const { scripts, fault } = fuzzRound(kind, EACH, seed, coverage);
      return { inputs: scripts, faults: fault === undefined ? [] : [fault] };
    },
    heapBytes: ownHeapBytes,
    close: async () => [],
  };
}

export const openPinePart = (): FuzzPart => openPine('compiler');
export const openBrokerPart = (): FuzzPart => openPine('broker');
