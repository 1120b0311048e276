// Many concurrent publishers on every store, some of them killed. Prints a summary; exit 1 if anything was lost.
// Usage: node bench/storm.mjs [rounds] [store…]   (100 rounds; all stores; Ceph if it is installed)
// With --smoke: one round in a folder and in a bucket.
import { openSupport } from './support.mjs';

const smoke = process.argv.includes('--smoke');
const rounds = smoke ? 1 : Number(process.argv[2] ?? 100);
const { support, program, close } = await openSupport('arena', 'ceph', 'storm');
const { KINDS, cephMissing, openArena, openCeph, openStorm, publishAtOnce, killAtSteps, killAtRandom } = support;
const named = smoke ? ['folder', 'bucket in memory'] : process.argv.slice(3);
const kinds = KINDS.filter(
  (kind) => (named.length === 0 || named.includes(kind)) && !(kind.includes('Ceph') && cephMissing()),
);
// One server for all rounds, since starting it takes seconds.
const ceph = kinds.some((kind) => kind.includes('Ceph')) ? await openCeph() : null;

try {
  for (const kind of kinds) {
    const counts = { rounds: 0, published: 0, added: 0, atSteps: 0, atRandom: 0, tooLate: 0, failures: 0 };
    const started = performance.now();
    let arena = null;
    let storm = null;
    for (let round = 0; round < rounds; round++) {
      try {
        const isNew = arena === null;
        arena ??= await openArena(kind, { ceph });
        storm = isNew ? await openStorm(program, arena) : storm;
        await publishAtOnce(storm, isNew ? 12 : 4, isNew ? 3 : 1);
        counts.atSteps += await killAtSteps(storm, [arena.steps[round % arena.steps.length]]);
        if (await killAtRandom(storm)) counts.atRandom++;
        else counts.tooLate++;
        counts.rounds++;
      } catch (error) {
        counts.failures++;
        console.log(`${kind}, round ${round}: ${error.stack}`);
        process.exitCode = 1;
      }
      // A registry that kept growing would only slow the rounds down.
      if (round % 10 < 9 && round + 1 < rounds && counts.failures === 0) continue;
      const lines = (await storm?.audit()) ?? [];
      counts.published += lines.filter((line) => line.includes(' ')).length;
      counts.added += lines.filter((line) => !line.includes(' ')).length;
      await arena?.close();
      arena = null;
      console.error(`${kind}: ${counts.rounds} of ${round + 1} rounds so far`, JSON.stringify(counts));
    }
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(
      `${kind}: ${counts.rounds} of ${rounds} rounds completed, ${counts.failures} failed; ${counts.published} versions and ${counts.added} apps listed, none lost; killed ${counts.atSteps} times at a step, ${counts.atRandom} at random (${counts.tooLate} too late); ${minutes} min`,
    );
  }
} finally {
  ceph?.close();
  close();
}
