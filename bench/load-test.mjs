// `appreg bundle` of a small app with its load test, against the same without it and one start of Node.
// Needs a build and GNU time.
// Usage: node bench/load-test.mjs [pairs]; --smoke: one pair.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const runs = process.argv[2] === '--smoke' ? 1 : Number(process.argv[2] ?? 15);
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
try {
  writeFileSync(join(folder, 'main.ts'), 'export const app = { name: "clock" };\n');
  const bundle = `${process.execPath} ${appreg} bundle main.ts app.tar.gz --quiet`;
  const shell = (script) => ['sh', '-c', `set -e; cd ${folder}; ${script}`];
  pair(
    'bundle with the load test / without it, and a start of Node',
    shell(bundle),
    shell(`${bundle} --no-load-test; ${process.execPath} -e 0`),
    { runs },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
