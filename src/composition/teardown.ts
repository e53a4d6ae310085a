// What has been opened is closed in reverse order, when the process stops or its start fails half-way.

type Step = () => Promise<unknown> | unknown;

export interface Teardown {
  /** Closes after everything that is added later. */
  add(step: Step): void;
  /** Runs every step, also when one before it failed; throws the first fault at the end. */
  run(): Promise<void>;
}

export function createTeardown(): Teardown {
  const steps: Step[] = [];
  return {
    add: (step) => {
      steps.push(step);
    },
    async run() {
      const faults: unknown[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        try {
          await step();
        } catch (error) {
          faults.push(error);
        }
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}
