import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSnapshot } from '../../src/cli/check/facts-file.ts';
import { readSnapshot } from '../../src/observe/baseline/saved-facts.ts';
import { observe } from '../../src/observe/registry/observe.ts';
import { certificates } from '../support/fault-certificates.ts';
import { undescribed } from '../support/described.ts';
import {
  answer,
  byMethod,
  CORS,
  cutShort,
  type FaultHost,
  inTurn,
  json,
  openFaultHost,
  redirect,
} from '../support/fault-host.ts';
import { gzipped, type Live, ORIGIN, putRegistry, SVG } from '../support/live-registry.ts';

/** What `verify --save` writes, compared with schemas/facts.schema.json, and which facts are refused. */

const schema = JSON.parse(readFileSync(new URL('../../schemas/facts.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv({ strict: true, allowUnionTypes: true, keywords: ['patternErrorMessage'] }).compile(schema);

let host: FaultHost;
let live: Live;
let folder: string;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
  folder = mkdtempSync(join(tmpdir(), 'appreg-facts-'));
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

async function saved(): Promise<Record<string, any>> {
  const file = join(folder, 'facts.json');
  const writer = writeSnapshot(
    file,
    { target: live.url, seenAt: new Date().toISOString(), origins: [ORIGIN] },
    (text) => text,
  );
  const options = { ca: certificates().ca, origins: [ORIGIN], backoff: () => 1, idleTimeout: 1500 };
  for await (const part of observe(live.url, options)) writer.add(part);
  writer.finish(null);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, any>;
}

describe('saved facts conform to their schema, which names every field', () => {
  test.each<[string, () => void]>([
    ['a correct registry', () => {}],
    [
      'a redirect of an icon',
      () => {
        host.on('/moved.svg', byMethod({ GET: answer({ headers: { ...CORS }, body: SVG }) }));
        live.serve('a.svg', byMethod({ GET: redirect('/moved.svg', 302, CORS) }));
      },
    ],
    [
      'a host that refuses a request temporarily',
      () => {
        let count = 0;
        const icon = byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) });
        const refusal = answer({ status: 503 });
        live.serve('a.svg', (request, socket) => ((count += 1) === 1 ? refusal : icon)(request, socket));
      },
    ],
    ['a redirect to a missing file', () => live.serve('a.json', redirect('/gone.json'))],
    [
      'a redirect of a metadata file',
      () => (live.serve('a.json', redirect('/b.json')), host.on('/b.json', json({ versions: live.versions }))),
    ],
    ['a truncated response', () => live.serve('a.json', cutShort(900, '{"versions":'))],
    ['bytes that are not UTF-8', () => live.serve('registry.json', answer({ body: Buffer.from([0xff]) }))],
    ['a manifest that is not JSON', () => live.serve('registry.json', answer({ body: '<html>' }))],
    [
      'an ETag that changes with each response',
      () => {
        let n = 0;
        live.serve('a.json', (request, socket) =>
          json({ versions: live.versions }, { ETag: `"${n++}"` })(request, socket),
        );
      },
    ],
    ['an artifact that was replaced', () => live.serve('2.tar.gz', gzipped(live.older))],
    ['an artifact that is not an archive', () => live.serve('2.tar.gz', gzipped('<!doctype html>'))],
    ['a truncated archive', () => live.serve('2.tar.gz', gzipped(live.artifact.subarray(0, 40)))],
    [
      'an artifact with a content coding',
      () => live.serve('2.tar.gz', gzipped(gzipSync(live.artifact), { 'Content-Encoding': 'gzip' })),
    ],
    [
      'an artifact with a malformed checksum',
      () => {
        live.versions[0]!.artifactChecksum = 'sha1:00';
        live.list();
      },
    ],
    [
      'an active icon',
      () =>
        live.serve(
          'a.svg',
          byMethod({ GET: answer({ headers: { ...CORS }, body: SVG.replace('<rect', '<script>1</script><rect') }) }),
        ),
    ],
    ['an intermittent host', () => live.serve('1.tar.gz', inTurn(answer({ status: 503 }), gzipped(live.older)))],
  ])('for %s', async (_, spoil) => {
    live = putRegistry(host);
    spoil();
    const facts = await saved();
    expect(validate(facts), JSON.stringify(validate.errors)).toBe(true);
    expect(undescribed(schema, facts)).toEqual([]);
    expect(await readSnapshot(join(folder, 'facts.json'))).toEqual(facts);
  });

  test('undescribed() finds a field that the schema does not name', () => {
    expect(
      undescribed(schema, { snapshot: 1, manifest: { web: { missing: { code: 'offline' }, more: 1 }, new: 1 } }),
    ).toEqual(['/manifest/web/more', '/manifest/new']);
  });
});

/** Why a text is refused as saved facts. */
async function refused(text: string): Promise<string> {
  writeFileSync(join(folder, 'other.json'), text);
  return readSnapshot(join(folder, 'other.json')).then(
    () => 'accepted',
    (error: Error) => error.message.replace(/^.*?other\.json/, ''),
  );
}

describe('saved facts are refused, with the location of the fault', () => {
  test.each<{ name: string; spoil: (facts: Record<string, any>) => void; message: string }>([
    { name: 'without a manifest', spoil: (f) => delete f['manifest'], message: ':1:1: “manifest” is missing.' },
    {
      name: 'with an invalid time',
      spoil: (f) => (f['seenAt'] = 'yesterday'),
      message: '“seenAt” must be a time in UTC, such as "2026-01-31T12:00:00Z", not “yesterday”.',
    },
    {
      name: 'with an app that is not an object',
      spoil: (f) => (f['apps'][0] = 1),
      message: '“apps[0]” must be an object, not 1.',
    },
    {
      name: 'with a web observation without a field',
      spoil: (f) => delete f['apps'][0].icon.web.server,
      message: '“server” is missing in “apps[0].icon.web”.',
    },
    {
      name: 'with invalid headers of a hop',
      spoil: (f) => (f['manifest'].web.server.hops[0].headers = 'none'),
      message: '“manifest.web.server.hops[0].headers” must be a list, not “none”.',
    },
    {
      name: 'with a negative size',
      spoil: (f) => (f['apps'][0].artifacts[1].content.bytes = -1),
      message: '“apps[0].artifacts[1].content.bytes” must be at least 0, not -1.',
    },
    {
      name: 'with an invalid digest',
      spoil: (f) => (f['apps'][0].artifacts[0].content.sha256 = '../x'),
      message: '“apps[0].artifacts[0].content.sha256” must be a digest in lowercase hexadecimal digits, not “../x”.',
    },
    {
      name: 'in another format version',
      spoil: (f) => (f['snapshot'] = 2),
      message: '“snapshot” must be 1, the format that this version of appreg reads, not 2.',
    },
  ])('$name', async ({ spoil, message }) => {
    live = putRegistry(host);
    const facts = await saved();
    spoil(facts);
    const reason = await refused(JSON.stringify(facts));
    expect(reason).toMatch(/^(?::\d+:\d+: | has \d+ errors:)/);
    expect(reason).toContain(message);
    expect(validate(facts)).toBe(false);
  });

  test('if they are not JSON, empty or null', async () => {
    expect(await refused('{"snapshot":1,"tok')).toMatch(/^:1:\d+: /);
    expect(await refused('')).toMatch(/^:1:1: The file is empty/);
    expect(await refused('null')).toBe(':1:1: The saved facts must be an object, not null.');
  });

  test('but not because of fields that a later version adds', async () => {
    live = putRegistry(host);
    const facts = await saved();
    facts['more'] = facts['manifest'].web.more = [1];
    expect(await refused(JSON.stringify(facts))).toBe('accepted');
  });
});
