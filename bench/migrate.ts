// `signalbox migrate` of an instance with a million rows: how long it takes, rows a second, and the same when it is killed on its way.
// `npm run bench migrate -- [--quick]`; PostgreSQL runs beside it on the same machine, as it comes.

import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { copyToSqliteFolder } from '../src/composition/instance-copies.ts';
import { fileEnds } from '../tests/support/close-at-end.ts';
import { startPostgres } from '../tests/support/postgres-server.ts';
import { freshDataDir, runSignalbox, spawnSignalbox, startGatewayProcess } from '../tests/support/process.ts';
import { prefillJournal } from './support/prefill.ts';

const quick = process.argv.includes('--quick');
/** Each is a row in four tables. */
const TRADES = quick ? 2000 : 250_000;
const KILLS = quick ? 1 : 5;
const MARK = 'moved-to-postgresql.json';

const seconds = (fromMs: number): number => (performance.now() - fromMs) / 1000;

const made = await startGatewayProcess();
await made.stop();
const { dataDir } = made;
prefillJournal(dataDir, TRADES);
const server = await startPostgres({ shared_buffers: '128MB', max_wal_size: '1GB' });
try {
  const whole = await moved(await server.newDatabase(), 0);
  console.log(`whole: ${whole}`);
  const url = await server.newDatabase();
  console.log(`killed ${KILLS} times: ${await moved(url, KILLS)}`);
  const fromMs = performance.now();
  const { databases } = await copyToSqliteFolder({ url, folder: freshDataDir(), withTwins: true });
  const rows = databases.reduce((sum, each) => sum + each.rows, 0);
  console.log(`back into files: ${rows} rows in ${seconds(fromMs).toFixed(1)} s`);
} finally {
  await fileEnds();
  await rm(dataDir, { recursive: true, force: true });
}

/** The time of the runs added up. Every row is copied, and then read again on both sides. */
async function moved(url: string, kills: number): Promise<string> {
  const env = { DATA_DIR: dataDir, DATABASE_URL: url };
  let spent = 0;
  for (let kill = 1; kill <= kills; kill++) {
    const fromMs = performance.now();
    const child = spawnSignalbox(['migrate'], env);
    const gone = once(child, 'close');
    // A little further each time.
    while (child.exitCode === null && (await rowsIn(url)) < (kill * 4 * TRADES) / (kills + 1)) await wait(20);
    child.kill('SIGKILL');
    await gone;
    spent += seconds(fromMs);
  }
  const fromMs = performance.now();
  const { code, stdout, stderr } = await runSignalbox(['migrate', '--json'], env);
  if (code !== 0) throw new Error(stderr);
  spent += seconds(fromMs);
  const { databases, rowsFoundThere } = JSON.parse(stdout) as {
    readonly databases: readonly { readonly rows: number }[];
    readonly rowsFoundThere: number;
  };
  await rm(join(dataDir, MARK));
  const rows = databases.reduce((sum, each) => sum + each.rows, 0);
  return `${rows} rows in ${spent.toFixed(1)} s, ${Math.round(rows / spent)} a second; ${rowsFoundThere} were there when the last run began`;
}

async function rowsIn(url: string): Promise<number> {
  const counted = 'SELECT coalesce(sum(row_count), 0) AS rows FROM signalbox_move.progress';
  const [found] = await server.query(counted, url).catch(() => [{ rows: 0 }]);
  return Number(found?.rows);
}
