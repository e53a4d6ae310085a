// The deployments of a Signalbox that does not run, for the operator's commands: their records alone.

import { deploymentStore } from '../adapters/storage/sql/strangers/deployments/deployments.ts';
import { opinionStore } from '../adapters/storage/sql/strangers/deployments/opinions.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import { createDeploymentOperator, type DeploymentOperator, type TradePort } from '../library/deployments/index.ts';
import { nowMs } from './clocks.ts';
import { lookIntoStrangersAt, openStrangersAt, type StrangersPlace } from './strangers.ts';
import type { Teardown } from './teardown.ts';

/** Undefined where there are none: a command makes no file and no schema. */
export async function openStoppedDeployments(
  place: StrangersPlace,
  teardown: Teardown,
  trades: TradePort | undefined,
): Promise<DeploymentOperator | undefined> {
  if (place.databaseUrl === undefined) moveDatabases(place.dataDir, STRANGERS);
  if (!(await lookIntoStrangersAt(place, async () => true))) return undefined;
  const db = await openStrangersAt(place);
  teardown.add(() => db.close());
  const stores = { store: deploymentStore(db), opinions: opinionStore(db) };
  return createDeploymentOperator({ ...stores, books: trades, keys: trades, nowMs });
}
