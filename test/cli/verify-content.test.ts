import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import { cliContext } from '../support/cli-context.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { expectNoSecret, filesBelow, textOfBytes } from '../support/leaks.ts';
import { checksum, gzipped, type Live, putRegistry } from '../support/live-registry.ts';
import { PLANTED } from '../support/planted.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** The secrets of a published artifact are in no output and no file of verify, judge and diagnose. */

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

/** Serves a version with all planted secrets. */
function publishSecrets(): Live {
  const live = putRegistry(host);
  const bytes = tgz(
    entry('app.js', 'export {};\n'),
    ...PLANTED.map(({ entry: path, text }, i) => entry(`${i}/${path}`, text)),
  );
  live.versions[0]!.artifactChecksum = checksum(bytes);
  live.list();
  live.serve('2.tar.gz', gzipped(bytes));
  return live;
}

test('a secret is recognized in each form', () => {
  for (const { value } of PLANTED)
    for (const text of [
      JSON.stringify({ value }),
      Buffer.from(`a ${value} b`).toString('base64'),
      textOfBytes(gzipSync(`<p>${value}</p>`)),
      Buffer.from(value).toString('hex'),
    ])
      expect(() => expectNoSecret(text)).toThrow('The text contains');
});

test('verify --scan-content, its saved facts and its cache, and judge', async () => {
  const live = publishSecrets();
  let all = '';
  for (const format of FORMATS) {
    const options = { format, verbose: true };
    const verified = cliContext({ cwd: folder, options });
    await runVerify(verified, live.url, { ca: 'ca.pem', scanContent: true, save: 'facts.json', cache: 'cache' });
    const judged = cliContext({ cwd: folder, options });
    await runJudge(judged, ['facts.json']);
    for (const { printed } of [verified, judged]) {
      const text = Object.values(printed).flat().join('\n');
      expect(text).toContain('artifact-secret');
      all += text;
    }
  }
  expectNoSecret(all);
  expectNoSecret(filesBelow(folder));
});

test('diagnose --bundle, and a diagnosis of the bundle, with the facts of an earlier scan and without', async () => {
  const live = publishSecrets();
  const options = { verbose: true };
  for (const cache of [undefined, 'scanned'])
    for (const bundle of ['ticket.json', 'ticket.json.gz']) {
      if (cache !== undefined)
        await runVerify(cliContext({ cwd: folder }), live.url, { ca: 'ca.pem', scanContent: true, cache });
      const context = cliContext({ cwd: folder, options });
      const given = { ca: 'ca.pem', bundle, ...(cache !== undefined && { cache }) };
      await runDiagnose(context, live.url, given);
      const again = cliContext({ cwd: folder, options });
      await runDiagnose(again, bundle, {});
      const saved = textOfBytes(readFileSync(join(folder, bundle)));
      expect(saved).toContain('"key":"app-a"');
      for (const text of [saved, ...[context, again].map(({ printed }) => Object.values(printed).flat().join('\n'))]) {
        expect(text.includes('github-token')).toBe(cache !== undefined);
        expectNoSecret(text);
      }
    }
  expectNoSecret(filesBelow(folder));
});
