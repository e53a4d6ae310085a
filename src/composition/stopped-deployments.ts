// The deployments of a data folder whose Signalbox does not run, for the operator's commands: their records alone.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deploymentStore } from '../adapters/storage/sql/strangers/deployments/deployments.ts';
import { opinionStore } from '../adapters/storage/sql/strangers/deployments/opinions.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import { openStrangers } from '../adapters/storage/sqlite/strangers/open-strangers.ts';
import { createDeploymentOperator, type DeploymentOperator, type StrategyBooks } from '../library/deployments/index.ts';
import { nowMs } from './clocks.ts';
import type { Teardown } from './teardown.ts';

/** Undefined where the folder has none: a command makes no file. */
export function openStoppedDeployments(
  dataDir: string,
  teardown: Teardown,
  books: StrategyBooks | undefined,
): DeploymentOperator | undefined {
  moveDatabases(dataDir, STRANGERS);
  if (!existsSync(join(dataDir, STRANGERS.name))) return undefined;
  const db = openStrangers({ dataDir });
  teardown.add(() => db.close());
  return createDeploymentOperator({ store: deploymentStore(db), opinions: opinionStore(db), books, nowMs });
}
