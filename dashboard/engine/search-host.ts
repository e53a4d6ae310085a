// A parameter search inside a worker: one script compiled once, run with many values of its inputs, and of each run the figures alone.

import { compile, FIGURE_NAMES, InputFault, inputSpace, type Program, strategyFigures } from '../../src/pine/index.ts';
import { failureOf } from './script-host.ts';
import type { FromSearchWorker, RunInputs, RunOutcome, SearchGround, ToSearchWorker } from './search-messages.ts';

export class SearchHost {
  #compiled: { readonly source: string; readonly program: Program } | undefined;
  #ground: SearchGround | undefined;

  answer(message: ToSearchWorker): FromSearchWorker {
    try {
      if (message.kind === 'try')
        return { kind: 'tried', outcomes: message.runs.map((inputs) => this.#outcomeOf(inputs)) };
      const { inputs } = this.#programOf(message);
      if (message.kind === 'space') {
        const fixed = knownInputs(message.fixed, inputs);
        return { kind: 'space', space: inputSpace(inputs, message.varied, fixed) };
      }
      this.#ground = message;
      return { kind: 'prepared' };
    } catch (error) {
      return { kind: 'fault', message: faultWords(error) };
    }
  }

  #programOf({ source, libraries = [] }: Pick<SearchGround, 'source' | 'libraries'>): Program {
    if (this.#compiled?.source === source) return this.#compiled.program;
    const { program } = compile(source, { libraries });
    if (program === null) throw new InputFault(['The script has errors; mend them first.']);
    this.#compiled = { source, program };
    return program;
  }

  /** A script that fails with some values is no fault of the others. */
  #outcomeOf(inputs: RunInputs): RunOutcome {
    const ground = this.#ground!;
    const { bars, symbol, timeframe, symbolBars } = ground;
    try {
      const result = this.#programOf(ground).run(bars, { symbol, timeframe, symbolBars, inputs });
      const figures = strategyFigures(result, bars);
      if (figures === null) return { fault: 'It is no strategy and makes no trades.' };
      return { figures: FIGURE_NAMES.map((name) => figures[name]) };
    } catch (error) {
      return { fault: faultWords(error) };
    }
  }
}

/** A value of an input that the script has no more is nobody's. */
const knownInputs = (given: RunInputs, specs: Program['inputs']): RunInputs =>
  Object.fromEntries(Object.entries(given).filter(([title]) => specs.some((spec) => spec.title === title)));

function faultWords(error: unknown): string {
  if (error instanceof InputFault) return error.faults.join(' ');
  const { message, line } = failureOf(error);
  return line === undefined ? message : `line ${line}: ${message}`;
}
