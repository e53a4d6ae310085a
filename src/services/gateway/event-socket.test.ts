// The sockets at /events over a list in memory, with the clock and the client's reading in the test's hand.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateVerdict } from '../../http/internal-auth.ts';
import type { DeskEvent, DeskEvents } from '../../trading/books/desk-events.ts';
import { createEventSocket, MAX_MISSED } from './event-socket.ts';

/** A turn of the event loop: reading takes time. */
const turn = () => new Promise(setImmediate);

class EventList implements Pick<DeskEvents, 'after' | 'bounds' | 'cursorOf' | 'seqOf' | 'watch'> {
  readonly events: DeskEvent[] = [];
  readonly #listeners = new Set<() => void>();
  reads = 0;
  add(count: number): void {
    for (let left = count; left > 0; left--) {
      const seq = this.events.length + 1;
      this.events.push({ seq, atMs: seq, kind: 'start', facts: { version: seq } });
    }
    for (const listener of this.#listeners) listener();
  }
  async after(seq: number, limit: number): Promise<readonly DeskEvent[]> {
    this.reads++;
    await turn();
    return this.events.slice(seq, seq + limit);
  }
  bounds = async () => {
    await turn();
    return { oldest: 1, newest: this.events.length };
  };
  cursorOf = (seq: number): string => `e-${seq}`;
  seqOf = (cursor: string): number | undefined => (/^e-\d+$/.test(cursor) ? Number(cursor.slice(2)) : undefined);
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  get watchers(): number {
    return this.#listeners.size;
  }
}

function openFeed() {
  const list = new EventList();
  let nowMs = 0;
  let timers: { readonly atMs: number; readonly work: () => void }[] = [];
  const troubles: string[] = [];
  /** How many frames were sent in each turn of the event loop. */
  const sent = [0];
  const route = createEventSocket({
    events: list,
    gate: { check: async (): Promise<GateVerdict> => ({ ok: true }) },
    monotonicMs: () => nowMs,
    timers: {
      after(delayMs, work) {
        const timer = { atMs: nowMs + delayMs, work };
        timers.push(timer);
        return () => {
          timers = timers.filter((each) => each !== timer);
        };
      },
    },
    onTrouble: (what) => void troubles.push(what),
  });
  const turns = async (): Promise<void> => {
    for (let count = 0; count < 60; count++) {
      await turn();
      sent.push(0);
    }
  };
  const advance = async (ms: number): Promise<void> => {
    const endMs = nowMs + ms;
    await turns();
    for (;;) {
      const next = timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      timers = timers.filter((each) => each !== next);
      nowMs = Math.max(nowMs, next.atMs);
      next.work();
      await turns();
    }
    nowMs = endMs;
  };
  const connect = (query = '', sendMs = 0) => {
    const frames: Record<string, unknown>[] = [];
    const closed: { code: number; reason: string }[] = [];
    const socket = {
      bufferedBytes: 0,
      sendText(text: string | Buffer) {
        frames.push(JSON.parse(String(text)));
        nowMs += sendMs;
        sent.push((sent.pop() ?? 0) + 1);
      },
      close: (code: number, reason: string) => void closed.push({ code, reason }),
    };
    const call = { requestId: 'r', clientAddress: '127.0.0.1', header: () => undefined };
    const handler = route.open(socket, { ...call, query: new URLSearchParams(query) });
    const seqs = () => frames.flatMap(({ type, at }) => (type === 'event' ? [at as number] : []));
    return { socket, frames, closed, seqs, handler, cursor: () => String(frames.at(-1)?.cursor) };
  };
  return { list, troubles, advance, connect, sent, timerCount: () => timers.length };
}

describe('the sockets at /events', () => {
  it('give, over any cuts and however slowly they are read, everything once and in order', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 250 }) }),
      fc.record({ do: fc.constant('wait' as const), count: fc.integer({ min: 1, max: 100 }) }),
      fc.record({ do: fc.constant('cut' as const), count: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant('stall' as const), count: fc.integer({ min: 0, max: 1 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const { list, advance, connect } = openFeed();
        list.add(3);
        let client = connect();
        await advance(0);
        const seen: number[] = [];
        let last = client.cursor();
        const leave = (forgotten: number): void => {
          // What was on the way when the connection broke never arrived.
          const arrived = client.seqs().slice(0, client.seqs().length - forgotten);
          seen.push(...arrived);
          if (arrived.length > 0) last = `e-${arrived.at(-1)}`;
          client.handler.onClose();
        };
        for (const { do: what, count } of steps) {
          if (what === 'add') list.add(count);
          if (what === 'wait') await advance(count);
          if (what === 'stall') client.socket.bufferedBytes = count * 1_000_000;
          if (what === 'cut') {
            leave(Math.min(count, client.seqs().length));
            client = connect(`after=${last}`);
            await advance(0);
            expect(client.frames[0]).toMatchObject({ type: 'hello', gap: false, cursor: last });
          }
        }
        client.socket.bufferedBytes = 0;
        await advance(1000);
        leave(0);
        expect(seen).toEqual(list.events.slice(3).map(({ seq }) => seq));
      }),
      { numRuns: 60 },
    );
  });

  it('read once for everybody, and nothing at all while nobody listens', async () => {
    const { list, advance, connect, timerCount } = openFeed();
    const clients = Array.from({ length: 50 }, () => connect());
    await advance(0);
    list.add(10);
    await advance(20);
    expect(list.reads).toBe(1);
    for (const { seqs } of clients) expect(seqs()).toHaveLength(10);
    for (const { handler } of clients) handler.onClose();
    expect([list.watchers, timerCount()]).toEqual([0, 0]);
    list.add(10);
    await advance(60_000);
    expect(list.reads).toBe(1);
  });

  it('read once for all that come back at the same place, and give each everything', async () => {
    const { list, advance, connect } = openFeed();
    list.add(150);
    const clients = Array.from({ length: 20 }, () => connect('after=e-0'));
    await advance(0);
    expect(list.reads).toBe(2);
    for (const { seqs } of clients) expect(seqs()).toEqual(list.events.map(({ seq }) => seq));
  });

  it('let other work in between when many are told of something new', async () => {
    const { list, advance, connect, sent } = openFeed();
    const clients = Array.from({ length: 20 }, () => connect('', 1));
    await advance(0);
    sent.length = 0;
    list.add(1);
    await advance(20);
    for (const { seqs } of clients) expect(seqs()).toEqual([1]);
    expect(Math.max(...sent)).toBeLessThanOrEqual(4);
  });

  it('send once what is read while something new is told', async () => {
    const { list, advance, connect } = openFeed();
    const { promise: slowDisk, resolve: answer } = Promise.withResolvers<void>();
    const after = list.after.bind(list);
    list.after = async (seq, limit) => {
      if (seq === 0) await slowDisk;
      return after(seq, limit);
    };
    list.add(5);
    const client = connect('after=e-0');
    await advance(0);
    list.add(1);
    await advance(50);
    expect(client.seqs()).toEqual([]);
    answer();
    await advance(50);
    expect(client.seqs()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('send nothing to a client that is gone before it was told where it is, and keep nothing of it', async () => {
    const { list, advance, connect, timerCount } = openFeed();
    list.add(5);
    const client = connect('after=e-1');
    client.handler.onClose();
    await advance(100);
    expect(client.frames).toEqual([]);
    expect([list.watchers, timerCount()]).toEqual([0, 0]);
  });

  it('let go of a client that takes nothing for half a minute, with what to do about it', async () => {
    const { list, advance, connect } = openFeed();
    const [stuck, well] = [connect(), connect()];
    await advance(0);
    stuck.socket.bufferedBytes = 100_000;
    list.add(5);
    await advance(29_000);
    expect(stuck.closed).toEqual([]);
    await advance(2000);
    expect(stuck.closed).toEqual([{ code: 1013, reason: expect.stringContaining('?after=') }]);
    // A close frame holds no more.
    expect(stuck.closed[0]?.reason.length).toBeLessThanOrEqual(123);
    expect(stuck.seqs()).toEqual([]);
    expect(well.seqs()).toHaveLength(5);
  });

  it('say where they are every 25 seconds', async () => {
    const { list, advance, connect } = openFeed();
    const client = connect('kind=alarm');
    await advance(0);
    list.add(3);
    await advance(25_100);
    expect(client.frames.slice(1)).toEqual([{ type: 'heartbeat', cursor: 'e-3' }]);
  });

  it.each([
    [MAX_MISSED, false],
    [MAX_MISSED + 1, true],
  ])('of %i that were missed say gap: %s', async (missed, gap) => {
    const { list, connect, advance } = openFeed();
    list.add(missed + 1);
    const client = connect('after=e-1');
    await advance(100);
    expect(client.frames[0]).toMatchObject({ type: 'hello', gap });
    expect(client.seqs()).toHaveLength(gap ? 0 : missed);
  });

  it('say so when what comes next is forgotten meanwhile', async () => {
    const { list, connect, advance } = openFeed();
    list.add(1);
    const client = connect();
    await advance(0);
    list.after = async () => [];
    list.add(5);
    await advance(100);
    expect(client.frames.slice(1)).toEqual([{ type: 'gap', cursor: 'e-6' }]);
  });

  it('that cannot even begin leave nothing behind', async () => {
    const { list, connect, advance, timerCount } = openFeed();
    const { bounds } = list;
    list.bounds = async () => {
      throw new Error('the disk failed');
    };
    const clients = [connect(), connect()];
    await advance(100);
    for (const { closed } of clients)
      expect(closed).toEqual([{ code: 1011, reason: expect.stringContaining('connect again') }]);
    expect([list.watchers, timerCount()]).toEqual([0, 0]);
    list.bounds = bounds;
    const client = connect();
    await advance(0);
    expect(client.frames[0]).toMatchObject({ type: 'hello' });
    expect(list.watchers).toBe(1);
  });

  it('end with a reason where the list cannot be read', async () => {
    const { list, connect, advance, troubles } = openFeed();
    const client = connect();
    await advance(0);
    list.after = async () => {
      throw new Error('the disk failed');
    };
    list.add(1);
    await advance(100);
    expect(client.closed).toEqual([{ code: 1011, reason: expect.stringContaining('connect again') }]);
    expect(troubles).toEqual(['the events cannot be read']);
  });
});
