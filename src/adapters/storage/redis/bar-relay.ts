// Streams of bars between processes, over one Redis: the lease of a stream is a key that ends by itself, and its words are published under
// the same name. Only who has the lease can publish, so an old holder that wakes up is heard by nobody.

import type { BarRelay } from '../../../market-data/bar-relay.ts';
import { backgroundTimers } from '../../../timing/timers.ts';
import { BriefAsks } from './brief-asks.ts';
import { connectRedis, PREFIX, redisScript } from './connect.ts';

/** With the beat of a second in which the others look, and the connection of another upstream, a stream is taken over in less than 10 s. */
const LEASE_MS = 4000;
/** A beat. */
const LONGEST_MS = 1000;

/** KEYS: stream. ARGV: holder, life, text. */
const TELL = redisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', KEYS[1], ARGV[3])
return 1`);

/** KEYS: stream. ARGV: holder. */
const RELEASE = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`);

export interface RedisBarRelay extends BarRelay {
  close(): Promise<void>;
}

export interface BarRelayOptions {
  readonly url: string;
  /** Told why Redis cannot be asked, once, and undefined when it can again. */
  readonly onState: (fault: Error | undefined) => void;
  /** For tests: a corner of Redis of their own. */
  readonly prefix?: string;
}

/** Resolves also when Redis is not there: whoever asks is told that nobody can be. Throws only for a wrong address. */
export async function openBarRelay({ url, onState, prefix = PREFIX }: BarRelayOptions): Promise<RedisBarRelay> {
  const ears = new Map<string, Set<(text: string) => void>>();
  let onLost = (_: Error): void => {};
  const noteState = (fault: Error | undefined): void => void (fault && onLost(fault));
  const [connection, subscriber] = await Promise.all([
    connectRedis({ url, prefix, onState: noteState }),
    connectRedis({
      ...{ url, prefix, onState: noteState },
      onMessage: (channel, text) => {
        for (const hear of ears.get(channel) ?? []) hear(text);
      },
    }),
  ]);
  const { where, run, script } = connection;
  const subscribe = (channels: readonly string[]) => subscriber.run((redis) => redis.subscribe(...channels));
  const trial = async (): Promise<void> => {
    await connection.probe();
    // After a loss nothing is subscribed any more.
    if (ears.size > 0) await subscribe([...ears.keys()]);
    else await subscriber.run((redis) => redis.ping());
  };
  const asks = new BriefAsks({ where, longestMs: LONGEST_MS, trial, onState, timers: backgroundTimers });
  onLost = (fault) => asks.lose(fault);
  await asks.start();

  return {
    claim: (stream, holder) =>
      asks.ask(async () => (await run((redis) => redis.set(keyOf(stream), holder, 'PX', LEASE_MS, 'NX'))) === 'OK'),
    tell: (stream, holder, text) =>
      asks.ask(async () => (await script(TELL, [keyOf(stream)], [holder, LEASE_MS, text])) === 1),
    release: (stream, holder) => void asks.ask(() => script(RELEASE, [keyOf(stream)], [holder])),
    listen(stream, onText) {
      const channel = `${prefix}${keyOf(stream)}`;
      const known = ears.get(channel);
      const all = known ?? new Set();
      ears.set(channel, all.add(onText));
      if (known === undefined) void asks.ask(() => subscribe([channel]));
      return {
        close() {
          all.delete(onText);
          if (all.size > 0 || ears.get(channel) !== all) return;
          ears.delete(channel);
          void asks.ask(() => subscriber.run((redis) => redis.unsubscribe(channel)));
        },
      };
    },
    async close() {
      asks.close();
      await Promise.all([connection.close(), subscriber.close()]);
    },
  };
}

const keyOf = (stream: string): string => `bars:${stream}`;
