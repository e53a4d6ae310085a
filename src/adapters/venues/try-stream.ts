// Opens the stream of an account once, to see whether its venue lets us listen, and closes it again.

import { VenueError } from '../../trading/venue.ts';
import { StreamFollower, type StreamFollowerOptions, type StreamPace } from '../stream-follower.ts';
import type { AccountNews, AccountStream } from './venue-adapter.ts';

export interface StreamTrial
  extends Pick<StreamFollowerOptions<AccountNews>, 'title' | 'monotonicMs' | 'random' | 'log'> {
  readonly stream: Pick<AccountStream, 'plan'>;
  /** It is tried once, so only the time to connect counts. */
  readonly pace: StreamPace;
}

/** Resolves when news would come, and rejects with the reason where they would not. */
export async function tryStream({ stream, ...options }: StreamTrial): Promise<void> {
  const tried = Promise.withResolvers<void>();
  const follower = new StreamFollower<AccountNews>({
    ...options,
    admitMs: () => 0,
    plan: () => stream.plan(),
    onNews: () => {},
    onState(state, reason = 'no reason given') {
      if (state === 'live') tried.resolve();
      if (state === 'reconnecting') tried.reject(new VenueError('not-sent', reason));
    },
  });
  try {
    await tried.promise;
  } finally {
    follower.close();
  }
}
