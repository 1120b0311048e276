// Start-up of the command line against an empty Node script. Needs a build and GNU time.
// Usage: node bench/start.mjs [pairs]; --smoke: one pair.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const runs = process.argv[2] === '--smoke' ? 1 : Number(process.argv[2] ?? 21);
for (const [args, expected] of [
  [['--version'], version],
  [['--help'], 'publish-version'],
  [['lint', '--help'], '--against'],
]) {
  const name = `appreg ${args.join(' ')}`;
  const output = execFileSync(process.execPath, [appreg, ...args], { encoding: 'utf8' });
  if (!output.includes(expected)) throw new Error(`${name} does not print ${expected}: ${output}`);
  pair(`${name} / node -e 0`, [process.execPath, appreg, ...args], [process.execPath, '-e', '0'], { runs });
}
