// `appreg bundle` against esbuild's own binary, tar, gzip -9 and sha256sum in a shell pipeline.
// Usage: node bench/bundle.mjs [pairs]
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const require = createRequire(import.meta.url);
const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const esbuild = require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
const runs = Number(process.argv[2] ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));

try {
  // A large app: 400 modules of 10 kB, each with some code and a table.
  const names = Array.from({ length: 400 }, (_, i) => `m${i}`);
  for (const [i, name] of names.entries()) {
    const table = Array.from(
      { length: 120 },
      (_, k) => `  { id: ${i * 1000 + k}, name: 'entry ${i} ${k}', path: '/v1/${name}/${(k * 7919) % 997}' },`,
    );
    writeFileSync(
      join(folder, `${name}.ts`),
      `export const ${name} = [\n${table.join('\n')}\n];\nexport function find${i}(id: number) {\n  return ${name}.find((entry) => entry.id === id) ?? null;\n}\n`,
    );
  }
  const imports = names.map((name, i) => `import { ${name}, find${i} } from './${name}.ts';`).join('\n');
  writeFileSync(
    join(folder, 'large.ts'),
    `${imports}\nexport const all = [${names.join(', ')}];\nexport const finders = [${names.map((_, i) => `find${i}`).join(', ')}];\n`,
  );
  const small = fileURLToPath(new URL('../examples/apps/feed-watch/main.ts', import.meta.url));
  for (const [name, entry] of [
    ['small app', small],
    ['large app', join(folder, 'large.ts')],
  ]) {
    const pipeline = `set -e; mkdir -p out; '${esbuild}' '${entry}' --bundle --format=esm --platform=node --target=node22 '--external:@slflows/sdk/*' --log-level=error --outfile=out/app.js; tar -C out -cf - app.js | gzip -9 > out.tar.gz; sha256sum out.tar.gz`;
    pair(`bundle of a ${name}`, [process.execPath, appreg, 'bundle', entry, 'ours.tar.gz'], ['sh', '-c', pipeline], {
      runs,
      cwd: folder,
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
