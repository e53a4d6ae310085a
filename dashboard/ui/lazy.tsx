// A page that is loaded when it is first opened, so that the first page stays small.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { QUIET_MS } from './use-lasting.ts';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [state, setState] = useState<'quiet' | 'slow' | 'failed' | 'there'>(loaded === undefined ? 'quiet' : 'there');
    useEffect(() => {
      if (loaded !== undefined) return;
      const timer = setTimeout(() => setState((now) => (now === 'quiet' ? 'slow' : now)), QUIET_MS);
      load().then(
        (view) => {
          loaded = view;
          setState('there');
        },
        () => setState('failed'),
      );
      return () => clearTimeout(timer);
    }, []);
    const View = loaded;
    if (View !== undefined) return <View {...props} />;
    if (state === 'failed') return <NotLoaded />;
    return state === 'slow' ? <p class="quiet">Loading…</p> : null;
  };
}

/** A server that was built anew no longer has the files of the page before. */
const NotLoaded = () => (
  <p role="alert">
    This page could not be loaded. If loading it again does not help, Signalbox was built anew while it runs: start it
    again. <Button onClick={() => location.reload()}>Load it again</Button>
  </p>
);
