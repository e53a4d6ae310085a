// `npm run truth -- FOLDER [part of a name]`: how many of TradingView's trades the broker meets, case by case.
//
// A case is perfect from 99 % of its trades on, and strong from 95 %. Trades whose profit only differs because the list
// is in another currency are told apart: "at the day's rate" counts them in.

import { StrategyTruth, type TruthScore } from '../src/pine/testing/strategy-truth.ts';

const [folder, part = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name a folder of cases: npm run truth -- FOLDER [part of a name]');
  process.exit(2);
}

const GRADES = ['perfect', 'strong', 'weak'] as const;
type Grade = (typeof GRADES)[number];

function gradeOf(met: number, wanted: number): Grade {
  if (met >= wanted * 0.99) return 'perfect';
  return met >= wanted * 0.95 ? 'strong' : 'weak';
}

const strictly = ({ matched, wanted }: TruthScore): Grade => gradeOf(matched, wanted);
const atRate = ({ matched, converted, wanted }: TruthScore): Grade => gradeOf(matched + converted, wanted);

const truth = new StrategyTruth(folder);
const scores = truth
  .names()
  .filter((name) => name.includes(part))
  .map((name) => truth.score(name));
for (const score of scores) {
  const { name, matched, converted, wanted, made, faults } = score;
  const rest = converted > 0 ? ` + ${converted} at the day's rate` : '';
  console.log(`${atRate(score).padEnd(8)} ${matched}${rest} of ${wanted}, made ${made}: ${name}`);
  if (atRate(score) !== 'perfect' || part !== '') for (const fault of faults) console.log(`           ${fault}`);
}
const counts = (grade: (score: TruthScore) => Grade): string =>
  GRADES.map((name) => `${scores.filter((score) => grade(score) === name).length} ${name}`).join(', ');
console.log(`${scores.length} cases: ${counts(strictly)}`);
console.log(`at the day's rate of exchange: ${counts(atRate)}`);
process.exitCode = scores.every((score) => atRate(score) === 'perfect') ? 0 : 1;
