// Where the bars of the chart come from and whether they live; while they are loaded, how many there are and how to stop.

import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { useLasting } from '../../ui/use-lasting.ts';
import './feed.css';
import type { FeedState } from './market-feed.ts';

interface FeedProps {
  readonly state: FeedState;
  readonly onStop: () => void;
}

export function Feed({ state, onStop }: FeedProps) {
  const { status, loading } = state;
  const isSlow = useLasting(loading !== undefined);
  const isTold = isSlow && loading !== undefined && status !== 'lost';
  return (
    <div class="feed">
      <span role="status" class={isTold ? 'sr-only' : undefined}>
        {isTold ? 'Loading bars…' : <FeedChip state={state} />}
      </span>
      {isTold && <Loading {...loading} onStop={onStop} />}
    </div>
  );
}

interface LoadingProps {
  readonly count: number;
  readonly of: number;
  readonly onStop: () => void;
}

const Loading = ({ count, of, onStop }: LoadingProps) => (
  <>
    <progress aria-label="Bars loaded" max={of} value={count} />
    <span class="quiet">
      {plain(count)} of {plain(of)} bars
    </span>
    <Button isSmall label="Stop loading bars" disabled={count === 0} onClick={onStop}>
      Stop
    </Button>
  </>
);

function FeedChip({ state: { status, source } }: { readonly state: FeedState }) {
  if (status === 'loading') return null;
  if (status === 'refused') return <Chip tone="down">No bars</Chip>;
  if (status === 'lost') return <Chip tone="down">Stream lost, trying again…</Chip>;
  const isMadeUp = source === 'simulated';
  return (
    <Chip tone={isMadeUp ? 'warn' : 'up'}>
      {/* "Live" is said of money too, which made-up prices are not about. */}
      {isMadeUp ? 'Streaming' : 'Live'} · {source}
      <span class="more"> prices</span>
    </Chip>
  );
}
