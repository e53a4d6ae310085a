// A link may name a script of the library, #/chart?script=ID: it is put on the chart, if it is not there, and opened.

import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import { scriptKey } from '../../server/script-key.ts';
import { ScriptLibrary } from '../../server/script-library.ts';
import { linkWith, type Place, turnTo } from '../../ui/places.ts';
import type { NewScript } from './chart-choice.ts';

const NO_KEY = 'Scripts of the library need your script key: open the library once and paste it there.';

/** Why it could not be opened, in words. */
export function useAskedScript(place: Place, open: (script: NewScript) => void): string | undefined {
  const [refused, setRefused] = useState<string>();
  const id = place.query.get('script');
  const put = async (storedId: string): Promise<void> => {
    const key = scriptKey();
    if (key === undefined) return setRefused(NO_KEY);
    try {
      const { name, content } = await new ScriptLibrary(key).read(storedId);
      open({ name, source: content, storedId });
      setRefused(undefined);
      turnTo(linkWith(place, { script: undefined }));
    } catch (error) {
      setRefused((error as Refused).message);
    }
  };
  useEffect(() => {
    if (id !== null) void put(id);
  }, [id]);
  return refused;
}
