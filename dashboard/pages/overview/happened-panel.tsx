// What happened, newest first, in plain sentences; each leads to its story.

import { type DeskEvent, useLiveEvents } from '../../server/live-events.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { When } from '../../ui/when.tsx';
import { eventWords } from './event-words.ts';

const MOST = 6;
/** Steps on the way to an outcome; the trade's story has them. */
const isOnTheWay = ({ kind, step }: DeskEvent): boolean =>
  kind === 'trade' && (step === 'accepted' || step === 'sending');

export function HappenedPanel() {
  const { events, isLive } = useLiveEvents();
  const shown = events.filter((event) => !isOnTheWay(event) && event.kind !== 'position').slice(0, MOST);
  const nowMs = Date.now();
  return (
    <Panel title="What happened" aside={isLive ? 'live' : 'not live, connecting…'}>
      {shown.length === 0 ? (
        <p class="empty">Nothing has happened yet.</p>
      ) : (
        <ol class="happened">
          {shown.map((event) => (
            <li key={event.cursor}>
              <When atMs={event.at} nowMs={nowMs} />
              <EventWords event={event} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function EventWords({ event }: { readonly event: DeskEvent }) {
  const [link, words] = [storyOf(event), eventWords(event)];
  return link === undefined ? <span>{words}</span> : <a href={link}>{words}</a>;
}

/** Where the rest of it is told. */
function storyOf({ kind, requestId, refusalId, deploymentId }: DeskEvent): string | undefined {
  if (requestId !== undefined) return linkTo('trades', requestId);
  if (refusalId !== undefined) return `#/signals?open=${encodeURIComponent(refusalId)}`;
  if (deploymentId !== undefined) return linkTo('deployments', deploymentId);
  return PAGES_OF[kind];
}

const PAGES_OF: Readonly<Record<string, string>> = {
  protection: '#/positions',
  signal: '#/signals',
  change: '#/settings',
};
