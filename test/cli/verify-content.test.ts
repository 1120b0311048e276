import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../src/cli/commands/judge/run.ts';
import { verify } from '../../src/cli/commands/verify/run.ts';
import { cliContext } from '../support/cli-context.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { checksum, gzipped, putRegistry } from '../support/live-registry.ts';
import { PLANTED } from '../support/planted.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** The secrets of a published artifact are in no output and no file of verify and judge. */

const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'];

let host: FaultHost;
let folder: string;
beforeAll(async () => {
  const made = certificates();
  host = await openFaultHost({ tls: made.get('good') });
  folder = mkdtempSync(join(tmpdir(), 'appreg-content-'));
  writeFileSync(join(folder, 'ca.pem'), made.ca);
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function filesBelow(dir: string): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('verify --scan-content, its saved facts and its cache, and judge', async () => {
  const live = putRegistry(host);
  const bytes = tgz(
    entry('app.js', 'export {};\n'),
    ...PLANTED.map(({ entry: path, text }, i) => entry(`${i}/${path}`, text)),
  );
  live.versions[0]!.artifactChecksum = checksum(bytes);
  live.list();
  live.serve('2.tar.gz', gzipped(bytes));
  let all = '';
  for (const format of FORMATS) {
    const options = { format, verbose: true };
    const verified = cliContext({ cwd: folder, options });
    await verify(verified, live.url, { ca: 'ca.pem', scanContent: true, save: 'facts.json', cache: 'cache' });
    const judged = cliContext({ cwd: folder, options });
    await judge(judged, ['facts.json']);
    for (const { printed } of [verified, judged]) {
      const text = Object.values(printed).flat().join('\n');
      expect(text).toContain('artifact-secret');
      all += text;
    }
  }
  all += filesBelow(folder);
  for (const { value } of PLANTED) {
    expect(all).not.toContain(value);
    expect(all).not.toContain(Buffer.from(value).toString('base64').slice(4, -6));
  }
});
