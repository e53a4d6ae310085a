// The signal store port on SQLite.

import type { SignalStore } from '../../../trading/signal-store.ts';
import type { Writer } from './writer.ts';

export function createSignalStore(writer: Writer): SignalStore {
  return {
    async add({ signalId, timestampMs, symbol, signalType, source, decision }) {
      await writer.run('addSignal', [signalId, timestampMs, symbol, signalType, source, decision]);
    },
  };
}
