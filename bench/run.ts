// `npm run bench NAME`: runs one benchmark of this folder by its name.

import { readdirSync } from 'node:fs';

const names = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const [name] = process.argv.splice(2, 1);

if (name === undefined || !names.includes(name)) {
  console.error(`Name one benchmark: ${names.join(', ')}. For example: npm run bench webhook`);
  process.exit(2);
}
await import(new URL(`./${name}.ts`, import.meta.url).href);
