// The deployment storage for tests: in a folder of its own that is removed at the end, and can be closed and reopened.

import { testFolder } from '../../testing/open-test-storage.ts';
import { type DeploymentStorage, openDeploymentStorage } from '../deployments.ts';

export interface TestDeployments {
  readonly dataDir: string;
  readonly storage: DeploymentStorage;
  reopen(): DeploymentStorage;
  close(): void;
}

export function openTestDeployments(): TestDeployments {
  const { dataDir, remove } = testFolder();
  let storage = openDeploymentStorage({ dataDir });
  return {
    dataDir,
    get storage() {
      return storage;
    },
    reopen() {
      storage.close();
      storage = openDeploymentStorage({ dataDir });
      return storage;
    },
    close() {
      storage.close();
      remove();
    },
  };
}
