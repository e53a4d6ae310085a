// The deployments of a data folder whose Signalbox does not run, for the operator's commands: their records alone.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { openDeploymentStorage } from '../adapters/storage/sqlite/deployments/deployments.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
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
  const storage = openDeploymentStorage({ dataDir });
  teardown.add(() => storage.close());
  return createDeploymentOperator({ store: storage.deployments, opinions: storage.opinions, books, nowMs });
}
