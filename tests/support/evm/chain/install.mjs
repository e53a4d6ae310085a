// Part of `npm test`: installs the EVM node of the wallet tests beside this file, once for each lock file and processor.
//
// It is a package of its own because npm leaves out optional packages that ask for a newer Node than npm itself runs on,
// and the node's binary is one: so this very npm is run once more, under the Node that came with the packages. What is
// installed already is left alone, so that a second run needs neither time nor a network.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const NOTE = `${FOLDER}node_modules/.installed`;

/** What is installed belongs to this lock file and to this kind of machine. */
const wanted = `${process.platform} ${process.arch}\n${readFileSync(`${FOLDER}package-lock.json`, 'utf8')}`;

function isInstalled() {
  try {
    return readFileSync(NOTE, 'utf8') === wanted;
  } catch {
    return false;
  }
}

function fail(reason) {
  console.error(`The EVM node of the wallet tests was not installed: ${reason}`);
  process.exit(1);
}

if (!isInstalled()) {
  const npm = process.env.npm_execpath;
  if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR)
    fail(
      `it needs Node ${NEEDED_MAJOR}, and this is ${process.versions.node}; run "npm ci", which brings one on Linux`,
    );
  if (npm === undefined) fail('npm runs this; use "npm run pretest"');
  const { status } = spawnSync(process.execPath, [npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    // Its report belongs to no test; its errors do.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  if (status !== 0) fail('npm could not fetch it (see above); run "npm test" again with a network');
  writeFileSync(NOTE, wanted);
}
