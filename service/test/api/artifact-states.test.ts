import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/api/document.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import { type KeptArtifacts, openKeptArtifacts } from '../kept-artifacts.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The artifact of a version in each state that a version can have, over HTTP. */

let web: WebFixture;
let kept: KeptArtifacts;
let token: string;
const ids = { checked: '', checking: '', listing: '' };

beforeAll(async () => {
  web = await openWebFixture();
  kept = await openKeptArtifacts(web.service);
  web.service.artifacts = kept.keeper;
  const organization = await web.join('Acme');
  ({ token } = organization);
  async function registry(name: keyof typeof ids, values: object = {}): Promise<number> {
    const id = await addRegistry(web.db, `https://${name}.example.com/registry.json`, values);
    ids[name] = await addSubscription(web.db, organization.id, id, { name });
    return id;
  }
  const hidden = { visible: false, because: ['schema-violation'], latest: null } as never;
  const unread = { visible: null, latest: null } as never;
  const refused = { state: 'refused', rule: 'artifact-checksum-mismatch', reason: 'Other bytes.' } as const;
  const checked = await registry('checked');
  await addApp(web.db, checked, 'sound', {}, { '1.0.0': {} });
  await kept.add(checked, 'sound', '1.0.0');
  await addApp(web.db, checked, 'hidden', hidden, { '1.0.0': {}, '1.1.0': refused, '1.2.0': { state: 'pending' } });
  await kept.add(checked, 'hidden', '1.0.0');
  await addApp(web.db, checked, 'refused', {}, { '1.0.0': refused });
  await addApp(web.db, checked, 'withdrawn', {}, { '1.0.0': { withdrawnAt: new Date() } });
  await addApp(web.db, checked, 'removed', { listed: false }, { '1.0.0': {} });
  await addApp(web.db, checked, 'added', unread, {});
  const never = { checkedAt: null, goodAt: null };
  await registry('checking', never);
  const listing = await registry('listing', never);
  await addApp(web.db, listing, 'unread', unread, {});
  await addApp(web.db, listing, 'reading', unread, { '1.0.0': { state: 'pending' } });
});
afterAll(async () => {
  await web.stop();
  kept.remove();
});

const PATH = '/api/registries/{id}/apps/{key}/versions/{version}/artifact';

function request(registry: keyof typeof ids, app: string, version: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  const path = PATH.replace('{id}', ids[registry]).replace('{key}', app).replace('{version}', version);
  return Promise.resolve(web.app().request(path, { ...init, headers }));
}

/** What the artifact of a version is answered with. */
const STATES: [state: string, registry: keyof typeof ids, app: string, version: string, status: number][] = [
  ['verified', 'checked', 'sound', '1.0.0', 200],
  ['verified, of a hidden app', 'checked', 'hidden', '1.0.0', 200],
  ['refused, of a hidden app', 'checked', 'hidden', '1.1.0', 410],
  ['pending, of a hidden app', 'checked', 'hidden', '1.2.0', 409],
  ['refused', 'checked', 'refused', '1.0.0', 410],
  ['withdrawn', 'checked', 'withdrawn', '1.0.0', 410],
  ['of an app that was removed', 'checked', 'removed', '1.0.0', 410],
  ['not listed', 'checked', 'sound', '9.9.9', 404],
  ['of an app that is not listed', 'checked', 'unknown', '1.0.0', 404],
  ['of an app that was just added, and was not read yet', 'checked', 'added', '1.0.0', 409],
  ['of a registry whose manifest was not read yet', 'checking', 'any', '1.0.0', 409],
  ['of an app that was not read yet, in the first check', 'listing', 'unread', '1.0.0', 409],
  ['pending, in the first check', 'listing', 'reading', '1.0.0', 409],
  ['not listed, in the first check', 'listing', 'reading', '9.9.9', 404],
  ['of an app that is not listed, in the first check', 'listing', 'unknown', '1.0.0', 404],
];

describe.each(STATES)('the artifact of a version that is %s', (_, registry, app, version, status) => {
  test('is answered as documented', async () => {
    const response = await request(registry, app, version);
    expect(response.status, await response.clone().text()).toBe(status);
    const { paths } = openApiDocument('https://service.example.com/') as never as Documented;
    expect(Object.keys(paths[PATH]!.get.responses)).toContain(String(status));
    if (status === 409) expect(response.headers.get('retry-after')).toBe('60');
    if (status === 410)
      expect(((await response.json()) as { findings: unknown[] }).findings).toMatchObject([{ app, version }]);
  });

  test('has the same status for HEAD, also with a range, which is ignored, and for a range', async () => {
    const head = await request(registry, app, version, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([status, '']);
    const range = await request(registry, app, version, { headers: { range: 'bytes=0-3' } });
    expect(range.status).toBe(status === 200 ? 206 : status);
    const part = await request(registry, app, version, { method: 'HEAD', headers: { range: 'bytes=0-3' } });
    expect([part.status, part.headers.has('content-range')]).toEqual([status, false]);
  });
});

interface Documented {
  paths: Record<string, { get: { responses: Record<string, unknown> } }>;
}

test('another organization learns nothing about the registry', async () => {
  const other = await web.join('Other');
  const path = PATH.replace('{id}', ids.checking).replace('{key}', 'any').replace('{version}', '1.0.0');
  const response = await web.app().request(path, { headers: { authorization: `Bearer ${other.token}` } });
  expect(response.status).toBe(404);
});

test('the artifact of a version that attestations hold back is not said to be held by the policy', async () => {
  const { id, token: own } = await web.join('Both');
  const registry = await addRegistry(web.db, 'https://both.example.com/registry.json');
  await addApp(web.db, registry, 'sound', {}, { '1.0.0': {} });
  const subscription = await addSubscription(web.db, id, registry);
  // No version has an attestation, so that the policy is applied to none.
  await web.db
    .updateTable('subscriptions')
    .set({
      attestations: 'require',
      attestationSigner: JSON.stringify({
        issuer: 'https://ci.test',
        identity: null,
        repository: 'https://git.test/a',
      }),
      policy: JSON.stringify({ schema: 1, deny: ['clock'] }),
    })
    .where('id', '=', subscription)
    .execute();
  const headers = { authorization: `Bearer ${own}` };
  const path = PATH.replace('{id}', subscription).replace('{key}', 'sound').replace('{version}', '1.0.0');
  const versions = await web.app().request(path.replace('/1.0.0/artifact', ''), { headers });
  expect(await versions.json()).toMatchObject({
    versions: [{ offered: false, policyHold: null, attestation: { state: 'pending' } }],
  });
  const answer = await web.app().request(path, { headers });
  expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
    409,
    expect.stringMatching(/^The organization requires attestations of this registry/) as string,
  ]);
});
