// The scripts of the suite, as something to make mistakes in.

import { readdirSync, readFileSync } from 'node:fs';

export function sampleScripts(): string[] {
  return ['golden', 'syntax', 'scripts'].flatMap((folder) => {
    const place = new URL(`../${folder}/`, import.meta.url);
    return readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.pine'))
      .toSorted()
      .map((name) => readFileSync(new URL(name.replaceAll('\\', '/'), place), 'utf8'));
  });
}
