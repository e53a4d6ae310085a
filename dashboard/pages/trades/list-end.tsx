// Below a long list: whether there is more, how far back was looked, and what the server said where it did not answer.

import type { FeedList, FeedRow } from '../../server/feed-list.ts';
import { Button } from '../../ui/button.tsx';
import { day } from '../../ui/times.ts';

interface ListEndProps {
  readonly list: Pick<FeedList<FeedRow>, 'rows' | 'refused' | 'isBegun' | 'isWhole' | 'horizon' | 'more'>;
  /** One of it. */
  readonly what: string;
}

export function ListEnd({ list, what }: ListEndProps) {
  const { rows, refused, isBegun, isWhole, horizon } = list;
  if (refused !== undefined)
    return (
      <p class="list-end" role="alert">
        {refused.message} <Button onClick={() => void list.more()}>Try again</Button>
      </p>
    );
  if (!isBegun) return null;
  if (isWhole)
    return (
      <p class="list-end quiet">
        {rows.length === 0
          ? `No ${what} fits. `
          : `That is all: ${rows.length} ${rows.length === 1 ? what : `${what}s`}.`}
      </p>
    );
  return (
    <p class="list-end quiet">
      {rows.length} shown{Number.isFinite(horizon) && `, looked back to ${day(horizon)}`}.{' '}
      <Button isSmall onClick={() => void list.more()}>
        Look further
      </Button>
    </p>
  );
}
