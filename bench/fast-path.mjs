// What the fast path of core saves (docs/architecture.md): the same large workspace observed and judged with it, and
// with all rules run on everything. Canonical documents are recognised in both. Needs a build and GNU time.
// Usage: node bench/fast-path.mjs [pairs] [apps]   (100,000 apps by default); --smoke: one pair, few apps
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';
import { BASE_URL, writeWorkspace } from './workspace.mjs';

const own = fileURLToPath(import.meta.url);

/** Judges a workspace by the library, as `lint` does. */
async function judge(root, isFast) {
  const { rules, startJudging } = await import('../dist/core/index.js');
  const { observeWorkspace } = await import('../dist/node.js');
  const options = { command: 'lint', target: root, now: new Date().toISOString() };
  // Rules that are selected by name are run on everything.
  const judging = startJudging(isFast ? options : { ...options, rules });
  await observeWorkspace({ root, manifest: 'registry.json', baseUrl: BASE_URL }, judging, { nameOf: (path) => path });
  const { outcome, summary } = judging.finish(0);
  if (outcome !== 'clean') throw new Error(`The workspace has findings: ${JSON.stringify(summary)}`);
}

/** Times both in turn. */
function compare(runs, apps) {
  // On a RAM disk where there is one: a disk would be measured.
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'appreg-bench-'));
  try {
    const root = join(scratch, 'workspace');
    mkdirSync(root);
    writeWorkspace(root, apps);
    const run = (mode) => [process.execPath, own, mode, root];
    pair(`${apps} apps by the rules alone / with the fast path`, run('--rules'), run('--fast'), { runs });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const [mode, second] = process.argv.slice(2);
if (mode === '--rules' || mode === '--fast') await judge(second, mode === '--fast');
else if (mode === '--smoke') compare(1, 2_000);
else compare(Number(mode ?? 7), Number(second ?? 100_000));
