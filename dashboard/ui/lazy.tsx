// A page that is loaded when it is first opened, so that the first page stays small.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Waiting } from './waiting.tsx';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [state, setState] = useState<'coming' | 'failed' | 'there'>(loaded === undefined ? 'coming' : 'there');
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (view) => {
          loaded = view;
          setState('there');
        },
        () => setState('failed'),
      );
    }, []);
    const View = loaded;
    if (View !== undefined) return <View {...props} />;
    return state === 'failed' ? <NotLoaded /> : <Waiting />;
  };
}

/** A server that was built anew no longer has the files of the page before. */
const NotLoaded = () => (
  <p role="alert">
    This page could not be loaded. If loading it again does not help, Signalbox was built anew while it runs: start it
    again. <Button onClick={() => location.reload()}>Load it again</Button>
  </p>
);
