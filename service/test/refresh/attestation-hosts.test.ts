import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readPublicKey, shippedTrust } from '../../../src/attestation/trust.ts';
import { verifyAttestation } from '../../../src/attestation/verify.ts';
import { isMissing } from '../../../src/core/facts/facts.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { readPolicy } from '../../src/domain/signers.ts';
import { setAttestationPolicy } from '../../src/db/signers.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { listEvents } from '../../src/db/events.ts';
import { signedBy, statementOf, vendorKeys } from '../../../test/support/attest.ts';
import {
  answer,
  type Behaviour,
  CORS,
  cutShort,
  endless,
  type FaultHost,
  openFaultHost,
  redirect,
  reset,
} from '../../../test/support/fault-host.ts';
import { type Live, putRegistry, verified } from '../../../test/support/live-registry.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** `verify` and the service understand every response of a host in the same way. */

let host: FaultHost;
/** Another host, to which the first one redirects. */
let elsewhere: FaultHost;
let harness: RefreshHarness;
let live: Live;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  [host, elsewhere] = await Promise.all([openFaultHost(), openFaultHost()]);
  live = putRegistry(host);
});
afterEach(() => Promise.all([host.close(), elsewhere.close()]));

const VENDOR = vendorKeys();
const PATH = '/2.tar.gz.sigstore.json';
const KEY = 'app-a';
const HTML = '<!doctype html><html><head><title>Apps</title></head><body></body></html>';

type Body = (valid: Uint8Array) => Behaviour | Promise<Behaviour>;
const bundle = (body: string | Uint8Array, headers: Record<string, string> = {}): Behaviour =>
  answer({ headers: { ...CORS, ...headers }, body });
const status =
  (code: number): Body =>
  () =>
    answer({ status: code, headers: CORS });
const of = async (version: string, bytes: Uint8Array, keys = VENDOR): Promise<Behaviour> =>
  bundle(await signedBy(keys.privateKey, statementOf({ key: KEY, version }, bytes)));

/** What both say about the attestation; a rule with its cause if it proves nothing. */
const HOSTS: [name: string, body: Body, verdict: string][] = [
  ['a valid one', (valid) => bundle(valid), 'verified'],
  ['a valid one, compressed', (valid) => bundle(gzipSync(valid), { 'Content-Encoding': 'gzip' }), 'verified'],
  ['404', status(404), 'absent'],
  ['403', status(403), 'absent'],
  ['410', status(410), 'absent'],
  ['a fallback page with 200', () => bundle(HTML), 'absent'],
  ['a redirect to a page', () => redirect('/page'), 'absent'],
  ['a redirect to a missing file', () => redirect('/gone'), 'absent'],
  ['a redirect to the attestation', () => redirect('/elsewhere'), 'verified'],
  ['a redirect to the attestation on another host', () => redirect(`${elsewhere.origin}/valid`), 'verified'],
  ['a redirect to a missing file on another host', () => redirect(`${elsewhere.origin}/gone`), 'absent'],
  [
    'a redirect to a body without an end on another host',
    () => redirect(`${elsewhere.origin}/endless`),
    'attestation-invalid form',
  ],
  ['500', status(500), 'unknown'],
  ['503', status(503), 'unknown'],
  ['429', status(429), 'unknown'],
  ['401', status(401), 'unknown'],
  ['204', status(204), 'unknown'],
  ['a reset connection', () => reset(), 'unknown'],
  ['a redirect loop', () => redirect(PATH), 'unknown'],
  ['a body that ends early', () => cutShort(9_000, '{"mediaType":'), 'unknown'],
  ['no response', () => () => {}, 'unknown'],
  ['a body that cannot be decoded', (valid) => bundle(valid, { 'Content-Encoding': 'gzip' }), 'unknown'],
  ['an empty file', () => bundle(''), 'attestation-invalid form'],
  ['another JSON', () => bundle('{"versions":[]}'), 'attestation-invalid form'],
  ['a body without an end', () => endless(), 'attestation-invalid form'],
  ['one of 1 GB', () => cutShort(1e9, Buffer.alloc(2_000_000, '{'), 'keep'), 'attestation-invalid form'],
  [
    'one that is too large once it is decoded',
    () => bundle(gzipSync(Buffer.alloc(1_100_000, 0x20)), { 'Content-Encoding': 'gzip' }),
    'attestation-invalid form',
  ],
  ['that of another version', () => of('1.9.0', live.artifact), 'attestation-other-version null'],
  ['that of other bytes', () => of('2.0.0', live.older), 'attestation-invalid digest'],
  ['that of another key', () => of('2.0.0', live.artifact, vendorKeys()), 'attestation-invalid signature'],
];

/** What `verify` finds; `unknown` also for a URL that is signed by its query, as `reason` says. */
async function byVerify(): Promise<{ verdict: string; reason: string | null; offered: boolean }> {
  const trust = shippedTrust(readPublicKey(VENDOR.publicKey, 'vendor.pub'));
  const { report, apps } = await verified(live.url, {
    attestations: (bytes) => verifyAttestation(bytes, trust),
    requirement: { mode: 'require', signer: { key: trust.key?.sha256 ?? '' } },
    headersTimeout: 1500,
    total: { small: 10_000, artifact: 20_000 },
  });
  const observed = apps[0]?.artifacts[0]?.attestation;
  const offered = report.apps[0]?.latest === '2.0.0';
  if (observed === undefined || isMissing(observed))
    return { verdict: 'unknown', reason: observed?.missing.code ?? 'not observed', offered };
  if (observed.state === 'absent') return { verdict: 'absent', reason: null, offered };
  const found = report.findings.find(({ rule, version }) => rule.startsWith('attestation-') && version === '2.0.0');
  return { verdict: found === undefined ? 'verified' : `${found.rule} ${found.cause}`, reason: null, offered };
}

const WORDS: Record<string, string> = { verified: 'verified', missing: 'absent', pending: 'unknown' };

async function byService(): Promise<{ verdict: string; reason: string | null; offered: boolean; events: unknown[] }> {
  const registry = await harness.add(live.url);
  const { organizationId, id } = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', registry)
    .select(['organizationId', 'id'])
    .executeTakeFirstOrThrow();
  const { publicKey } = VENDOR;
  const policy = readPolicy({ mode: 'require', issuer: '', identity: '', repository: '', publicKey });
  if ('faults' in policy) throw new Error('The policy is valid.');
  await setAttestationPolicy(harness.db, { organizationId, subscriptionId: id, actor: SERVICE_ACTOR }, policy);
  await harness.refresh(registry);
  const list = await versionsOf(harness.db, organizationId, id, KEY, { limit: 1, after: null });
  const { offered, attestation } = list?.versions[0] ?? {};
  const { state = 'none', reason = null } = attestation ?? {};
  const query = { subscriptionId: id, appKey: KEY, type: null, limit: 100, after: null };
  const history = await listEvents(harness.db, organizationId, query);
  return {
    verdict: WORDS[state] ?? `${reason?.rule} ${reason?.cause}`,
    reason: reason?.cause ?? null,
    offered: offered === true,
    events: (history?.events ?? []).filter(({ type, version }) => type === 'version-held' && version === '2.0.0'),
  };
}

test.each(HOSTS)('%s', { timeout: 30_000 }, async (_, body, verdict) => {
  const valid = await signedBy(VENDOR.privateKey, statementOf({ key: KEY, version: '2.0.0' }, live.artifact));
  host.on('/page', bundle(HTML));
  host.on('/elsewhere', bundle(valid));
  elsewhere.on('/valid', bundle(valid));
  elsewhere.on('/endless', endless());
  host.on(PATH, await body(valid));
  const [one, other] = [await byVerify(), await byService()];
  expect({ verify: one.verdict, service: other.verdict }).toEqual({ verify: verdict, service: verdict });
  expect([one.offered, other.offered]).toEqual([verdict === 'verified', verdict === 'verified']);
});

test('a URL that is signed by its query is not judged: it is held back, and the reason says so', async () => {
  for (const version of live.versions) version.artifactUrl += '?X-Amz-Signature=abc&X-Amz-Expires=604800';
  live.list();
  const [one, other] = [await byVerify(), await byService()];
  expect(one).toEqual({ verdict: 'unknown', reason: 'url-signed', offered: false });
  expect(other).toMatchObject({ verdict: 'unknown', reason: 'url-signed', offered: false });
  expect(other.events).toMatchObject([{ data: { rule: 'attestation-missing', cause: 'url-signed' } }]);
  expect(host.requests.filter(({ path }) => path.includes('sigstore'))).toEqual([]);
});
