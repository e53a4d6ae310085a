// A process that moves the databases of older versions, and is killed at the step whose number it is given.

import { OWNER, STRANGERS, TRADING } from '../database-files.ts';
import { moveDatabases } from '../moved-databases.ts';

const [, , dataDir = '', lastStep] = process.argv;
let steps = 0;
for (const into of [TRADING, OWNER, STRANGERS])
  moveDatabases(dataDir, into, () => {
    steps += 1;
    if (steps === Number(lastStep)) process.kill(process.pid, 'SIGKILL');
  });
