// Property tests draw the same cases in every run, so that a change is judged by itself; FC_SEED=random looks for new ones.

import fc from 'fast-check';

const { FC_SEED = '20261115' } = process.env;
if (FC_SEED !== 'random') fc.configureGlobal({ seed: Number(FC_SEED) });
