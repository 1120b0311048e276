import * as fc from 'fast-check';
import { afterAll } from 'vitest';
import { cleanUp } from './cleanup.ts';
import { SEED } from './random.ts';

// Vitest runs this file for each test file, also in a process that other files have used.
afterAll(cleanUp);

// The same cases in every run, so that a result depends on the code and not on chance.
fc.configureGlobal({ seed: SEED });
