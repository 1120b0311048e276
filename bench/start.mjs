// Start-up of the command line against an empty Node script. Usage: node bench/start.mjs [pairs]
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const runs = Number(process.argv[2] ?? 21);
for (const words of [['--version'], ['--help'], ['lint', '--help']]) {
  pair(`appreg ${words.join(' ')} / node -e 0`, [process.execPath, appreg, ...words], [process.execPath, '-e', '0'], {
    runs,
  });
}
