// The shell: the rail of pages, the bar that says which money this is and how it is doing, and the page itself.

import { useEffect } from 'preact/hooks';
import type { Health } from '../server/answers.ts';
import { followNetwork } from '../server/connection.ts';
import { useAnswer } from '../server/use-answer.ts';
import './app.css';
import { useEntry } from '../server/session.ts';
import { usePlace } from '../ui/places.ts';
import { Unanswered } from '../ui/unanswered.tsx';
import { Login } from './login.tsx';
import { notifyOfEvents } from './notifications.ts';
import { PAGES } from './pages.ts';
import { Rail } from './rail.tsx';
import { TopBar } from './top-bar.tsx';

export function App() {
  const entry = useEntry();
  // What is asked for before that would only be refused.
  if (entry === undefined) return <Unanswered refused={undefined} />;
  return entry !== 'lost' && entry.entry === 'closed' ? <Login entry={entry} /> : <Pages />;
}

function Pages() {
  const place = usePlace();
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const page = PAGES.find(({ word }) => word === place.page);
  const title = page?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
  useEffect(() => notifyOfEvents(), []);
  useEffect(() => followNetwork(), []);
  const View = page?.view;
  return (
    <div class="app" data-mode={health?.mode}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <Rail current={place.page} />
      <TopBar title={title} />
      <main id="main" tabIndex={-1}>
        {View === undefined ? <NotFound /> : <View place={place} />}
      </main>
    </div>
  );
}

const NotFound = () => (
  <p class="not-found">
    There is no such page. <a href="#/">Go to the overview</a>.
  </p>
);
