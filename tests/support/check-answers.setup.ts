// Part of the setup of every test file: a test whose answers are not as openapi.json says fails.

import { afterAll, afterEach } from 'vitest';
import { takeAnswerFaults, watchAnswers } from './check-answers.ts';

function failOnFaults(): void {
  const faults = takeAnswerFaults();
  if (faults.length > 0) throw new Error(`Answers that are not as documented:\n${faults.join('\n')}`);
}

watchAnswers();
afterEach(failOnFaults);
afterAll(failOnFaults);
