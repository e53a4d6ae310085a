// The deployment storage for tests: in a folder of its own that is removed at the end, and can be closed and reopened.

import { testFolder } from '../../testing/open-test-storage.ts';
import { type DeploymentStorage, openDeploymentStorage } from './open-storage.ts';

export interface TestDeployments {
  readonly dataDir: string;
  readonly storage: DeploymentStorage;
  reopen(): Promise<DeploymentStorage>;
  close(): Promise<void>;
}

export function openTestDeployments(): TestDeployments {
  const { dataDir, remove } = testFolder();
  let storage = openDeploymentStorage({ dataDir });
  return {
    dataDir,
    get storage() {
      return storage;
    },
    async reopen() {
      await storage.close();
      storage = openDeploymentStorage({ dataDir });
      return storage;
    },
    async close() {
      await storage.close();
      remove();
    },
  };
}
