import * as fc from 'fast-check';

// The same cases in every run, so that a run says something about the code and not about luck. To hunt: FC_SEED=random.
const wanted = process.env['FC_SEED'];
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted ?? 20_260_101) });
