// What every store of twin marks must do: marks by account, oldest first, of which the first of a moment counts, over a restart.

import { describe, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import type { TwinMarks } from '../../src/trading/twin/twin-marks.ts';

export interface OpenTwinMarks {
  readonly marks: TwinMarks;
  reopen(): Promise<TwinMarks>;
  close(): Promise<void>;
}

const mark = (bid: string, ask: string) => ({ bid: decimal(bid), ask: decimal(ask) });

export function describeTwinMarks(name: string, open: () => Promise<OpenTwinMarks>): void {
  describe(name, () => {
    test('marks belong to their trade and moment, and stay', async () => {
      const { marks, reopen, close } = await open();
      const main = { exchange: 'binance', account: 'main' } as const;
      const [first, second] = [
        { tradeId: 'b', ...main, acceptedAtMs: 1 },
        { tradeId: 'a', ...main, acceptedAtMs: 2 },
      ];
      const other = { tradeId: 'c', exchange: 'bybit', account: 'main', acceptedAtMs: 1 } as const;
      await marks.begin([second, other]);
      await marks.begin([first]);
      await marks.mark('b', 'sent', mark('0.0000001', '50000.1'));
      await marks.mark('b', 'sent', mark('2', '3'));
      await marks.mark('a', 'accepted', mark('1', '1'));
      await marks.mark('nobody', 'accepted', mark('1', '1'));
      const expected = [
        { ...first, sent: mark('0.0000001', '50000.1') },
        { ...second, accepted: mark('1', '1') },
      ];
      expect(await marks.of(main)).toEqual(expected);
      const again = await reopen();
      expect(await again.of(main)).toEqual(expected);
      expect(await again.of({ exchange: 'bybit', account: 'main' })).toEqual([other]);
      expect(await again.of({ exchange: 'mexc', account: 'main' })).toEqual([]);
      await close();
    });
  });
}
