// What has been opened is closed in reverse order, when the process stops or its start fails half-way.

type Step = () => Promise<unknown> | unknown;

export interface Teardown {
  /** Closes after everything that is added later. */
  add(step: Step): void;
  run(): Promise<void>;
}

export function createTeardown(): Teardown {
  const steps: Step[] = [];
  return {
    add: (step) => {
      steps.push(step);
    },
    async run() {
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
    },
  };
}
