// `npm run fuzz -- [part] [inputs, or minutes as 10m] [seed N]`: random inputs for every door, a million of them where nothing
// is said, and a table of what became of them. The parts: http, socket, ws, standby, sql, mail, pine, broker. Ends with 1 when there
// was a fault; each is printed with its seed, from which `seed N` makes it again.

import { type FuzzReport, fuzz, mebibytes } from '../tests/support/fuzz/fuzz-part.ts';
import { isPartName, PARTS, type PartName, SHARES } from '../tests/support/fuzz/parts.ts';

const DEFAULT_INPUTS = 1_000_000;
const MAX_SEED = 0x7fffffff;
const USAGE = `Name a part, how many inputs or minutes, and a seed if you have one. The parts: ${Object.keys(PARTS).join(', ')}. For example: npm run fuzz http 10m`;

interface Wish {
  readonly parts: readonly PartName[];
  readonly inputs: number | undefined;
  readonly minutes: number | undefined;
  readonly seed: number;
}

function wishOf(words: readonly string[]): Wish | undefined {
  const at = words.indexOf('seed');
  const seed = at < 0 ? Math.floor(Math.random() * MAX_SEED) : Number(words[at + 1]);
  const rest = at < 0 ? words : words.toSpliced(at, 2);
  const named = rest.filter((word) => isPartName(word));
  const [amount, ...others] = rest.filter((word) => !isPartName(word));
  const [, digits, unit] = /^(\d+)(m?)$/.exec(amount ?? String(DEFAULT_INPUTS)) ?? [];
  if (digits === undefined || Number(digits) === 0 || others.length > 0 || !Number.isSafeInteger(seed))
    return undefined;
  const [inputs, minutes] = unit === 'm' ? [undefined, Number(digits)] : [Number(digits), undefined];
  return { parts: named.length === 0 ? (Object.keys(PARTS) as PartName[]) : named, inputs, minutes, seed };
}

/** What one part gets of what all of them get. */
function shareOf(name: PartName, { parts, inputs, minutes }: Wish) {
  const total = parts.reduce((sum, part) => sum + SHARES[part], 0);
  return {
    inputs: inputs === undefined ? undefined : Math.ceil((inputs * SHARES[name]) / total),
    minutes: minutes === undefined ? undefined : minutes / parts.length,
  };
}

const row = (name: string, { inputs, seconds, faults, ends, warmHeapBytes, endHeapBytes }: FuzzReport): string => {
  const counts = Object.entries(ends).map(([end, count]) => `${end} ${count}`);
  const heap = `${mebibytes(warmHeapBytes)} → ${mebibytes(endHeapBytes)}`;
  return `| ${name} | ${inputs} | ${Math.round(seconds)} | ${heap} | ${faults.length} | ${counts.join(', ')} |`;
};

const wish = wishOf(process.argv.slice(2));
if (wish === undefined) {
  console.error(USAGE);
  process.exit(2);
}
const rows: string[] = [];
let inputs = 0;
let faults = 0;
for (const name of wish.parts) {
  const log = (line: string): void => console.log(`${name}: ${line}`);
  const report = await fuzz(await PARTS[name](), { ...shareOf(name, wish), seed: wish.seed, log });
  for (const fault of report.faults.filter((each) => !each.startsWith('seed '))) log(`FAULT ${fault}`);
  rows.push(row(name, report));
  inputs += report.inputs;
  faults += report.faults.length;
}
console.log(
  `\nseed ${wish.seed}\n| part | inputs | seconds | heap in MiB, warm → end | faults | ends |\n|---|---|---|---|---|---|`,
);
console.log(rows.join('\n'));
console.log(`${inputs} inputs, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
