import * as fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUp } from './cleanup.ts';

// Vitest runs this file for each test file, also in a process that other files have used.
afterAll(cleanUp);

// The same cases in every run, so that a result depends on the code and not on chance. To search for failures: FC_SEED=random.
const requestedSeed = process.env['FC_SEED'];
if (requestedSeed !== 'random') fc.configureGlobal({ seed: Number(requestedSeed ?? 20_260_101) });
