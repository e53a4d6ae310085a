// The table `events` of POST /query tells everything that happened: each acceptance, sending, fill and change of state.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Sent } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import type { AskedGateway, QueryEngineOfTests } from './asking.ts';

export function describeEvents(engine: QueryEngineOfTests): void {
  describe(`what happened to trades on ${engine.name}`, () => {
    let gateway: AskedGateway;
    const sent: Sent[] = [];
    beforeAll(async () => {
      const venue = createScriptedVenue('binance');
      gateway = await engine.open({ venues: [venue] });
      const send = async (fields: Record<string, unknown>): Promise<void> => void sent.push(await gateway.send(fields));
      // Plain fills, one with a note before it, a reversal with two orders, one that tells a chat, one refused by its plan,
      // one that rests, and one that never reached the venue at first.
      for (let number = 0; number < 20; number++) await send({});
      await send({ quantity: 0.0105555 });
      await send({ action: 'SHORT' });
      await send({ notify: { message: 'done' } });
      await send({ action: 'CLOSE_SHORT' });
      venue.script.push({ rest: true });
      await send({ price: 90 });
      venue.script.push({ fail: 'rejected', message: 'no' });
      await send({});
    });

    const rows = async (query: string, ...params: unknown[]) => {
      const answer = await gateway.request('POST', '/query', { query, params });
      expect(answer.body.error).toBeUndefined();
      return answer.body.results as Record<string, unknown>[];
    };

    describe('the table events', () => {
      it('has one for every fill', async () => {
        const [fills] = await rows('SELECT count(*) AS n FROM fills');
        const [events] = await rows('SELECT count(*) AS n FROM events WHERE kind = ?', 'filled');
        expect(fills?.n).toBeGreaterThan(20);
        expect(events).toEqual(fills);
      });

      it('has one for the acceptance and the state of every trade, and for the sending of every order', async () => {
        const trades = await rows('SELECT seq, state FROM trades');
        expect(trades).toHaveLength(sent.length);
        for (const { seq, state } of trades) {
          const kinds = (await rows('SELECT kind FROM events WHERE trade_seq = ? ORDER BY step', seq)).map(
            ({ kind }) => kind,
          );
          expect(kinds[0]).toBe('accepted');
          expect(kinds).toContain(state);
          const [orders] = await rows('SELECT count(*) AS n FROM orders WHERE trade_seq = ?', seq);
          expect(kinds.filter((kind) => kind === 'sending')).toHaveLength(orders?.n as number);
        }
      });

      it('tells what GET /trades/{requestId} tells, numbered from one', async () => {
        for (const { body } of sent) {
          const { events } = await gateway.trade(body.requestId);
          const told = await rows(
            `SELECT e.step, e.at, e.kind, e.detail FROM events e JOIN trades t ON t.seq = e.trade_seq
          WHERE t.request_id = ? ORDER BY e.step`,
            body.requestId,
          );
          expect(told).toEqual(events.map((event: object, index: number) => ({ step: index + 1, ...event })));
        }
      });

      it('shows nothing of what it is made of', async () => {
        const { status } = await gateway.request('POST', '/query', { query: 'SELECT * FROM stored_events' });
        expect(status).toBe(403);
      });
    });
  });
}
