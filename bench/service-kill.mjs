// The service on its own PostgreSQL, killed with kill -9 while clients write, sometimes together with its PostgreSQL. Prints
// a summary; exit 1 if a subscription or a digest was lost, or refreshing stopped. Usage: node bench/service-kill.mjs [rounds]   (100)
// With --smoke: two rounds.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSupport } from './support.mjs';

const rounds = process.argv.includes('--smoke') ? 2 : Number(process.argv[2] ?? 100);
const { support, program, close } = await openSupport('service-storm');
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
chmodSync(folder, 0o755);
const storm = await support.openServiceStorm(program, folder);
let before = 0;
try {
  for (let round = 0; round < rounds; round++) {
    await storm.round();
    if (round % 10 !== 9) continue;
    console.error(`${round + 1} of ${rounds}`, JSON.stringify(storm.counts));
    // Without running requests, nothing could be lost.
    if (storm.counts.digests === before)
      throw new Error('No artifact was verified in ten rounds: refreshing has stopped.');
    before = storm.counts.digests;
  }
} finally {
  await storm.finish();
  close();
  rmSync(folder, { recursive: true, force: true });
}
const { kills, requests, lostAnswers, subscriptions, removed, digests } = storm.counts;
console.log(
  `killed ${kills} times during ${requests} requests (${lostAnswers} without an answer): ${subscriptions} subscriptions made, ${removed} ended, ${digests} digests seen; nothing lost`,
);
