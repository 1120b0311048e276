import * as fc from 'fast-check';

// The same cases in every run, so that a run says something about the code and not about luck. To hunt: FC_SEED=random.
const requestedSeed = process.env['FC_SEED'];
if (requestedSeed !== 'random') fc.configureGlobal({ seed: Number(requestedSeed ?? 20_260_101) });
