// A disk that fails between the steps of a trade: nothing that a venue has said is lost, nothing is sent twice, and nobody is told what is not so.

import { beforeEach, describe, expect, test } from 'vitest';
import { UnknownOutcomeError } from '../../errors/storage-error.ts';
import { wait } from '../../timing/wait.ts';
import type { Journal } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { passTime, passTimeUntil, pretendedTimers, turn, unhurried } from '../testing/hurry.ts';
import {
  detailOf,
  ended,
  market,
  openDesk,
  storage,
  trade,
  useScriptedDesks,
  venue,
} from '../testing/scripted-desks.ts';
import { ANSWER_DEADLINE_MS } from './dispatch.ts';

const FIRST = '01a1dcfa-440e-74cd-9307-1046bd82b29e';
useScriptedDesks();

describe('a disk that fails', () => {
  /** A journal whose `record` fails while told to. */
  const flaky = () => {
    const broken = { sending: 0, record: 0 };
    const journal = unhurried(storage.data.journal);
    const failing = async (name: 'sending' | 'record'): Promise<void> => {
      if (broken[name] <= 0) return;
      broken[name]--;
      throw new Error('disk full');
    };
    const wrapped = new Proxy(journal, {
      get(target, name: keyof Journal) {
        if (name !== 'sending' && name !== 'record') return target[name];
        return async (step: never) => {
          await failing(name);
          return target[name](step);
        };
      },
    });
    return { broken, journal: wrapped };
  };

  test('before sending keeps the order back, and it goes out once when the disk is back', async () => {
    const { broken, journal } = flaky();
    const desk = await openDesk({ journal });
    broken.sending = 3;
    const { requestId, dispatched } = await trade(desk, 'direct');
    expect(dispatched).toEqual({ kind: 'queued' });
    expect((await ended(requestId)).trade.state).toBe('filled');
    expect(venue.sent).toHaveLength(1);
  });

  test('before sending without saying what it has stored leaves no order behind that seems to be on its way', async () => {
    const journal = unhurried(storage.data.journal);
    let isUnclear = true;
    const sending: Journal['sending'] = async (step) => {
      await journal.sending(step);
      if (!isUnclear) return;
      isUnclear = false;
      throw new UnknownOutcomeError('the answer is lost');
    };
    const wrapped = new Proxy(journal, { get: (of, name: keyof Journal) => (name === 'sending' ? sending : of[name]) });
    const desk = await openDesk({ journal: wrapped });
    const { requestId } = await trade(desk, 'direct');
    const detail = await ended(requestId);
    expect(detail.trade.state).toBe('filled');
    expect(detail.events.map(({ kind }) => kind)).toEqual(['accepted', 'sending', 'not-sent', 'sending', 'filled']);
    expect(venue.sent).toHaveLength(1);
  });

  describe('while a venue is away', () => {
    /** A journal that meets each refusal with this. */
    const refusing = (meets: () => Promise<void>) => {
      const journal = unhurried(storage.data.journal);
      const record: Journal['record'] = async (step, mayHold) => {
        if (step.state === 'rejected') await meets();
        return journal.record(step, mayHold);
      };
      return new Proxy(journal, { get: (of, name: keyof Journal) => (name === 'record' ? record : of[name]) });
    };
    beforeEach(() => {
      venue.script.push({ fail: 'not-sent', message: 'connection refused' });
    });

    test('and is slow keeps the sender of a refusal waiting: what comes to nothing is never told as taken', async () => {
      const pause = () => wait(2 * ANSWER_DEADLINE_MS, { timers: pretendedTimers });
      const { requestId, dispatched } = await trade(await openDesk({ journal: refusing(pause) }), 'direct');
      expect(dispatched).toMatchObject({ settled: { state: 'rejected', cause: 'venue-unreachable' } });
      expect((await detailOf(requestId)).trade.state).toBe('rejected');
    });

    test('and is slow does not let a second try be told as taken of what is being refused', async () => {
      const pause = () => wait(2 * ANSWER_DEADLINE_MS, { timers: pretendedTimers });
      const desk = await openDesk({ journal: refusing(pause) });
      const first = desk.trade('direct', { requestId: FIRST, order: { market, symbol: market } });
      await passTime(wait(ANSWER_DEADLINE_MS, { timers: pretendedTimers }));
      expect(await passTime(desk.desk.dispatcher.noteTold(FIRST))).toBe(false);
      expect((await passTime(first)).dispatched).toMatchObject({ settled: { state: 'rejected' } });
      expect(await desk.desk.dispatcher.noteTold(FIRST)).toBe(true);
    });

    test('and takes no refusal refuses nothing: the signal is told as taken, and tried again', async () => {
      const journal = refusing(() => Promise.reject(new Error('disk full')));
      const { requestId, dispatched } = await trade(await openDesk({ journal }), 'direct');
      expect(dispatched).toEqual({ kind: 'queued' });
      const detail = await ended(requestId);
      expect(detail.trade).toMatchObject({ state: 'filled', error: undefined });
      expect(detail.events.map(({ kind }) => kind)).not.toContain('rejected');
    });

    test('and does not say whether it has a refusal looks for it, and tells what is there', async () => {
      let isFirst = true;
      const journal = unhurried(storage.data.journal);
      const record: Journal['record'] = async (step, mayHold) => {
        const recorded = await journal.record(step, mayHold);
        if (step.state !== 'rejected' || !isFirst) return recorded;
        isFirst = false;
        throw new UnknownOutcomeError('the answer is lost');
      };
      const wrapped = new Proxy(journal, { get: (of, name: keyof Journal) => (name === 'record' ? record : of[name]) });
      const { requestId, dispatched } = await trade(await openDesk({ journal: wrapped }), 'direct');
      expect(dispatched).toMatchObject({ settled: { state: 'rejected', cause: 'venue-unreachable' } });
      const { events } = await detailOf(requestId);
      expect(events.filter(({ kind }) => kind === 'rejected')).toHaveLength(1);
    });
  });

  test('after the venue has spoken does not lose its word', async () => {
    const { broken, journal } = flaky();
    const desk = await openDesk({ journal });
    broken.record = 4;
    const { dispatched } = await trade(desk, 'direct');
    expect(dispatched).toMatchObject({ settled: { state: 'filled' } });
    expect(desk.troubles).toHaveLength(4);
  });

  test('lets no older step land after a newer one: the position on disk is that of all fills', async () => {
    const { broken, journal } = flaky();
    const desk = await openDesk({ journal });
    broken.record = 1;
    const [first, second] = await Promise.all([trade(desk, 'async'), trade(desk, 'async')]);
    const details = [await ended(first.requestId), await ended(second.requestId)];
    expect(details.map((detail) => detail.trade.state)).toEqual(['filled', 'filled']);
    const positions = await storage.data.journal.positions();
    expect(positions.find((position) => position.market === market)?.quantity).toBe(decimal('1'));
  });

  test('lets no older word of one order land after a newer one', async () => {
    const { broken, journal } = flaky();
    const desk = await openDesk({ journal });
    venue.script.push({ rest: true });
    broken.record = 1;
    const { requestId } = await trade(desk, 'async', { order: { price: decimal('90') } });
    await passTimeUntil(() => venue.sent.length === 1);
    await turn();
    venue.fill(venue.sent[0]?.clientOrderId as string);
    const detail = await ended(requestId);
    await passTimeUntil(() => desk.desk.backlog() === 0);
    await passTime(desk.desk.dispatcher.settle(1000));
    expect((await detailOf(requestId)).trade.state).toBe('filled');
    expect(detail.events.map(({ kind }) => kind)).toEqual(['accepted', 'sending', 'submitted', 'filled']);
  });
});
