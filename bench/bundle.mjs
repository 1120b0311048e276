// `appreg bundle` against esbuild's own binary, tar, gzip -9 and sha256sum in a shell pipeline. Needs a build, GNU time
// and the development dependencies, which the small app is made of.
// Usage: node bench/bundle.mjs [pairs]; --smoke: one pair, and smaller apps.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { pair } from './pair.mjs';

const require = createRequire(import.meta.url);
const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const esbuild = require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
const smoke = process.argv[2] === '--smoke';
const runs = smoke ? 1 : Number(process.argv[2] ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));

/** An app of a few hundred modules of 10 kB, each with some code and a table. */
function writeLargeApp(count) {
  const names = Array.from({ length: count }, (_, i) => `m${i}`);
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
  return `${imports}\nexport const all = [${names.join(', ')}];\nexport const finders = [${names.map((_, i) => `find${i}`).join(', ')}];\n`;
}

try {
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'), 'junction');
  writeFileSync(
    join(folder, 'small.ts'),
    `import { Hono } from 'hono';\nimport { SaxesParser } from 'saxes';\nexport const app = () => [new Hono(), new SaxesParser()];\n`,
  );
  writeFileSync(join(folder, 'large.ts'), writeLargeApp(smoke ? 20 : 540));
  const tiny = fileURLToPath(new URL('../examples/apps/feed-watch/main.ts', import.meta.url));
  for (const [name, entry] of [
    ['tiny app', tiny],
    ['small app', join(folder, 'small.ts')],
    ['large app', join(folder, 'large.ts')],
  ]) {
    const pipeline = `set -e; mkdir -p out; '${esbuild}' '${entry}' --bundle --format=esm --platform=node --target=node22 '--external:@slflows/sdk/*' --log-level=error --outfile=out/app.js; tar -C out -cf - app.js | gzip -9 > out.tar.gz; sha256sum out.tar.gz`;
    const ours = [process.execPath, appreg, 'bundle', entry, 'ours.tar.gz'];
    pair(`bundle of a ${name}`, ours, ['sh', '-c', pipeline], { runs, cwd: folder });

    const output = execFileSync(ours[0], ours.slice(1), { cwd: folder, encoding: 'utf8' });
    const archive = readFileSync(join(folder, 'ours.tar.gz'));
    if (!output.includes(createHash('sha256').update(archive).digest('hex')))
      throw new Error(`the checksum is not that of the archive: ${output}`);
    const tar = join(folder, 'ours.tar');
    writeFileSync(tar, gunzipSync(archive));
    const gzipSize = execFileSync('gzip', ['-9', '-c', tar]).length;
    const code = statSync(join(folder, 'out/app.js')).size;
    console.log(
      `size of a ${name}: ${archive.length} bytes against ${gzipSize} of gzip -9, ratio ${(archive.length / gzipSize).toFixed(4)} (${code} bytes of code)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
