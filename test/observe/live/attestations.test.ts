import { beforeEach, describe, expect, test } from 'vitest';
import { readPublicKey, shippedTrust } from '../../../src/attestation/trust.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { isMissing, type Snapshot } from '../../../src/core/facts/facts.ts';
import { baselineFromSnapshot } from '../../../src/observe/baseline/baseline.ts';
import { signedBy, statementOf, vendorKeys } from '../../support/attest.ts';
import { answer, type Behaviour, cutShort, endless, redirect, reset } from '../../support/fault-host.ts';
import { checkCase, checkCases, type LiveCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { checksum, faults, type VerifiedOptions } from '../../support/live-registry.ts';

/** The attestations of served artifacts: what each response means, and what each attestation proves. */

const fixture = liveFixture();
const { privateKey, publicKey } = vendorKeys();
const trust = shippedTrust(readPublicKey(publicKey, 'vendor.pub'));
const signer = { key: trust.key?.sha256 ?? '' };
const attestations = (bundle: Uint8Array) => verifyAttestation(bundle, trust);
const REQUIRE = { attestations, requirement: { mode: 'require', signer } } as const;
const REPORT = { attestations, requirement: { mode: 'report', signer } } as const;

const NEW = '/2.tar.gz.sigstore.json';
const OLD = '/1.tar.gz.sigstore.json';

const bundleOf = (version: string, artifact: Uint8Array, key = privateKey): Promise<Uint8Array> =>
  signedBy(key, statementOf({ key: 'app-a', version }, artifact));

function serve(path: string, body: string | Uint8Array | Behaviour): void {
  fixture.host.on(path, typeof body === 'function' ? body : answer({ body }));
}

const HTML = '<!doctype html><html><head><title>Apps</title></head><body></body></html>';
let valid: { old: Uint8Array; new: Uint8Array };

/** Both versions have a valid attestation. */
beforeEach(async () => {
  const { older, artifact } = fixture.live;
  valid ??= { old: await bundleOf('1.0.0', older), new: await bundleOf('2.0.0', artifact) };
  serve(OLD, valid.old);
  serve(NEW, valid.new);
});

const unknownIn = (report: Report): string[] =>
  report.notJudged.filter(({ rule }) => rule === 'attestation-invalid').map(({ reason }) => reason);

const invalidBy = (cause: string): string[] => [`error attestation-invalid ${cause} (artifact 2.0.0)`];

describe('required attestations', () => {
  const LOST = ['error attestation-lost not-continued (artifact 2.0.0)'];
  const cases: (Omit<LiveCase, 'serve'> & { body: () => string | Uint8Array | Behaviour })[] = [
    { name: 'valid ones', body: () => valid.new, expect: [] },
    { name: '404', body: () => answer({ status: 404 }), expect: LOST },
    { name: '403, as a bucket without permission to list', body: () => answer({ status: 403 }), expect: LOST },
    { name: '410', body: () => answer({ status: 410 }), expect: LOST },
    { name: 'a fallback page with 200', body: () => HTML, expect: LOST },
    { name: 'a redirect to a page that is missing', body: () => redirect('/gone'), expect: LOST },
    { name: 'a redirect to a page', body: () => redirect('/page'), expect: LOST },
    { name: 'a redirect to the attestation', body: () => redirect('/elsewhere'), expect: [] },
    { name: 'an empty file', body: () => '', expect: invalidBy('form') },
    { name: 'another JSON', body: () => '{"versions":[]}', expect: invalidBy('form') },
    { name: 'a body without an end', body: () => endless(), expect: invalidBy('form') },
    {
      name: 'a body of 1 GB',
      body: () => cutShort(1e9, Buffer.alloc(2_000_000, '{'), 'keep'),
      expect: invalidBy('form'),
    },
    {
      name: 'a redirect to a body without an end on another host',
      body: () => redirect(`${fixture.cdn.origin}/endless`),
      expect: invalidBy('form'),
    },
    { name: 'that of the lower version', body: () => valid.old, expect: invalidBy('digest') },
  ];
  test.each(cases)('$name', async ({ body, expect: expected }) => {
    serve('/page', HTML);
    serve('/elsewhere', valid.new);
    fixture.cdn.on('/endless', endless());
    await checkCase(fixture, { serve: () => serve(NEW, body()), expect: expected, options: REQUIRE });
  });

  test('the signature of another key', async () => {
    const foreign = await bundleOf('2.0.0', fixture.live.artifact, vendorKeys().privateKey);
    await checkCase(fixture, { serve: () => serve(NEW, foreign), expect: invalidBy('signature'), options: REQUIRE });
  });

  test('old bytes under a new version, with the attestation of the old one', async () => {
    const { live } = fixture;
    await checkCase(fixture, {
      serve() {
        live.versions[0]!.artifactChecksum = checksum(live.older);
        live.list();
        fixture.serveArtifact(live.older);
        serve(NEW, valid.old);
      },
      expect: ['error attestation-other-version (artifact 2.0.0)'],
      options: REQUIRE,
    });
  });

  test('no version has one: each is refused, and the app is not visible', async () => {
    const report = await checkCase(fixture, {
      serve() {
        serve(NEW, answer({ status: 404 }));
        serve(OLD, answer({ status: 404 }));
      },
      expect: ['error attestation-missing (artifact 1.0.0)', 'error attestation-missing (artifact 2.0.0)'],
      options: REQUIRE,
    });
    expect(report.apps).toMatchObject([{ key: 'app-a', visible: false, because: ['attestation-missing'] }]);
  });

  test('the latest version has none: the lower one is offered', async () => {
    const report = await checkCase(fixture, {
      serve: () => serve(NEW, answer({ status: 404 })),
      expect: LOST,
      options: REQUIRE,
    });
    expect(report.apps).toMatchObject([{ visible: true, latest: '1.0.0' }]);
  });
});

describe('a host that does not say whether there is one', () => {
  const bodies: [string, () => Behaviour, string][] = [
    ['500', () => answer({ status: 500 }), '500'],
    ['503', () => answer({ status: 503 }), '503'],
    ['429', () => answer({ status: 429 }), '429'],
    ['401', () => answer({ status: 401 }), '401'],
    ['a reset connection', () => reset(), 'SOCKET_CLOSED|ECONNRESET'],
    ['a redirect loop', () => redirect(NEW), 'REDIRECT_LOOP'],
    ['a body that ends early', () => cutShort(9_000, '{"mediaType":'), 'SOCKET_CLOSED'],
    ['no response', () => () => {}, 'HEADERS_TIMEOUT'],
  ];
  const fast: VerifiedOptions = { headersTimeout: 1500, total: { small: 10_000, artifact: 20_000 } };

  test.each(bodies)('%s is neither absent nor refused', async (_, behaviour, code) => {
    serve(NEW, behaviour());
    const { report } = await verifyPatiently(fixture.live.url, { ...REQUIRE, ...fast });
    expect(faults(report).filter((fault) => fault.includes('attestation'))).toEqual([]);
    expect(report.outcome).toBe('incomplete');
    expect(report.notJudged.find(({ rule }) => rule === '*')?.reason).toContain('that of one version is not known');
    expect(unknownIn(report)).toHaveLength(1);
    expect(unknownIn(report)[0]).toMatch(new RegExp(`the request for its attestation failed.*(?:${code})`));
    // What is not proved is not offered.
    expect(report.apps).toMatchObject([{ visible: true, latest: '1.0.0' }]);
  });

  test('with report, the run is complete', async () => {
    serve(NEW, answer({ status: 500 }));
    const { report } = await verifyPatiently(fixture.live.url, REPORT);
    expect(report.outcome).not.toBe('incomplete');
    expect(unknownIn(report)).toHaveLength(1);
    expect(report.apps).toMatchObject([{ visible: true, latest: '2.0.0' }]);
  });

  test('a URL that is signed by its query is not judged', async () => {
    const { versions } = fixture.live;
    versions[0]!.artifactUrl += '?X-Amz-Signature=abc&X-Amz-Date=20260101T000000Z&X-Amz-Expires=604800';
    fixture.live.list();
    const { report } = await verifyPatiently(fixture.live.url, REQUIRE);
    expect(report.notJudged.filter(({ code }) => code === 'url-signed').map(({ version }) => version)).toContain(
      '2.0.0',
    );
    expect(report.outcome).toBe('incomplete');
    expect(fixture.host.requests.filter(({ path }) => path.includes('2.tar.gz.sigstore'))).toEqual([]);
  });
});

describe('reported attestations', () => {
  checkCases(fixture, [
    {
      name: 'an invalid one is a warning',
      serve: () => serve(NEW, '{}'),
      expect: ['warning attestation-invalid form (artifact 2.0.0)'],
      options: REPORT,
    },
    {
      name: 'a lost one is a warning',
      serve: () => serve(NEW, answer({ status: 404 })),
      expect: ['warning attestation-lost not-continued (artifact 2.0.0)'],
      options: REPORT,
    },
    {
      name: 'none at all is nothing to report',
      serve() {
        serve(NEW, answer({ status: 404 }));
        serve(OLD, answer({ status: 404 }));
      },
      expect: [],
      options: REPORT,
    },
  ]);
});

/** Facts as they are saved. */
async function observed(options: VerifiedOptions): Promise<{ report: Report; snapshot: Snapshot }> {
  const { report, manifest, apps } = await verifyPatiently(fixture.live.url, options);
  const { url } = fixture.live;
  const seenAt = new Date().toISOString();
  const whole = { snapshot: 1, target: url, seenAt, origins: [], manifest, apps, orphans: [] };
  const requirement = options.requirement && { attestations: options.requirement };
  return { report, snapshot: JSON.parse(JSON.stringify({ ...whole, ...requirement })) as Snapshot };
}

describe('saved facts', () => {
  test('give the same verdict', async () => {
    serve(NEW, '{}');
    const { report, snapshot } = await observed(REQUIRE);
    const again = judge(snapshot, { command: 'verify' });
    expect(again.findings).toEqual(report.findings);
    expect(again.apps).toEqual(report.apps);
    expect(faults(again)).toEqual(['error attestation-invalid form (artifact 2.0.0)']);
  });

  test('show as a baseline that an attestation was removed', async () => {
    const { snapshot } = await observed(REPORT);
    await checkCase(fixture, {
      serve() {
        serve(NEW, answer({ status: 404 }));
        serve(OLD, answer({ status: 404 }));
      },
      expect: ['error attestation-lost removed (artifact 1.0.0)', 'error attestation-lost removed (artifact 2.0.0)'],
      options: { ...REQUIRE, before: baselineFromSnapshot(snapshot, 'facts.json') },
    });
  });
});

test('without the option, nothing is requested, and no fact is saved', async () => {
  const { apps } = await verifyPatiently(fixture.live.url);
  expect(fixture.host.requests.filter(({ path }) => path.includes('sigstore'))).toEqual([]);
  expect(apps[0]?.artifacts.map((artifact) => Object.hasOwn(artifact, 'attestation'))).toEqual([false, false]);
});

test('an artifact that cannot be fetched has one fault', async () => {
  fixture.live.serve('2.tar.gz', answer({ status: 404 }));
  serve(NEW, answer({ status: 404 }));
  const { report, apps } = await verifyPatiently(fixture.live.url, REQUIRE);
  expect(faults(report)).toEqual(['error unreachable status-404 (artifact 2.0.0)']);
  expect(report.outcome).toBe('findings');
  const attestation = apps[0]?.artifacts[0]?.attestation;
  expect(attestation === undefined || isMissing(attestation)).toBe(true);
});
