// Writes docs/rules.md from the rules, docs/errors.md from the error codes, and docs/implementers/library-reference.md from the doors.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { libraryPage } from './library-page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const contents = `
  export { rules } from './src/core/rules/index.ts';
  export { errorsPage } from './scripts/errors-page.ts';
  export { rulesPage } from './scripts/rules-page.ts';
`;
const { outputFiles } = await build({
  stdin: { contents, resolveDir: root },
  bundle: true,
  format: 'esm',
  write: false,
  logLevel: 'warning',
});
const { errorsPage, rules, rulesPage } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
writeFileSync(join(root, 'docs/rules.md'), rulesPage(rules));
writeFileSync(join(root, 'docs/errors.md'), errorsPage());
writeFileSync(join(root, 'docs/implementers/library-reference.md'), libraryPage(root));
