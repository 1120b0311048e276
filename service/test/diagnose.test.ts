import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDiagnose, type DiagnoseOptions } from '../../src/cli/commands/diagnose.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../../test/support/cli-context.ts';
import { answer, json } from '../../test/support/fault-host.ts';
import { checksum, gzipped } from '../../test/support/live-registry.ts';
import { SERVICE_ACTOR } from '../src/domain/audit.ts';
import { setPolicy } from '../src/db/policies.ts';
import { addApp } from './database-fixture.ts';
import { diagnoseServiceFixture, ofService } from './diagnose-fixture.ts';

/** `diagnose --service` with the API of a running service. */

const service = diagnoseServiceFixture();
const { run, joined, subscribed } = service;

const HOUR = 3_600_000;

describe('the service checked before a version was published', () => {
  test('is a note that says when it checks again, in all formats, and from the bundle', async () => {
    const { token, registryId } = await subscribed();
    await addApp(
      service.web.db,
      registryId,
      'app-a',
      {},
      { '1.0.0': { state: 'verified', artifactChecksum: checksum(service.live.older) } },
    );
    const report = await joined(token, { bundle: 'ticket.json' });
    expect(ofService(report)).toEqual(['note service-not-looked-yet before app-a']);
    const message = report.findings.find(({ rule }) => rule === 'service-not-looked-yet')?.message;
    expect(message).toMatch(/1 version of app-a: 2\.0\.0\. It last checked at .* UTC\. The next check is at .* UTC\./);
    const shown = await run({ service: service.base, tokenEnv: 'TOKEN' }, {}, { TOKEN: token });
    expect(shown.out).toContain(message);
    const markdown = await run({ service: service.base, tokenEnv: 'TOKEN' }, { format: 'markdown' }, { TOKEN: token });
    expect(markdown.out).toContain('service-not-looked-yet');
    for (const out of [shown.out, markdown.out, readFileSync(join(service.folder, 'ticket.json'), 'utf8')])
      expect(out).not.toContain(token);
    const context = cliContext({ cwd: service.folder, options: { format: 'json' } });
    await runDiagnose(context, 'ticket.json', {});
    expect(ofService(JSON.parse(context.printed.out.join('\n')) as Report)).toEqual(ofService(report));
  });

  test('an app that the service does not know is named', async () => {
    const { token } = await subscribed();
    expect(ofService(await joined(token))).toEqual(['note service-not-looked-yet before app-a']);
    expect(ofService(await joined(token, { app: ['app-a'] }))).toEqual(['note service-not-looked-yet before app-a']);
  });
});

test('a version with another digest than the pinned one is an error', async () => {
  const { token, registryId } = await subscribed();
  const other = Buffer.from('other bytes');
  await addApp(
    service.web.db,
    registryId,
    'app-a',
    {},
    {
      '1.0.0': { state: 'verified', artifactChecksum: checksum(service.live.older) },
      '2.0.0': { state: 'verified', artifactChecksum: checksum(other) },
    },
  );
  const report = await joined(token);
  expect(ofService(report)).toEqual(['error service-first-seen-differs app-a 2.0.0']);
  expect(report.findings.find(({ rule }) => rule === 'service-first-seen-differs')?.evidence).toMatchObject({
    inForce: checksum(other),
    listed: checksum(service.live.artifact),
  });
});

test.each(['..', '.', ''])('an app whose key no URL can have hides nothing about others: “%s”', async (key) => {
  const { token, registryId } = await subscribed();
  await addApp(service.web.db, registryId, key, { visible: false, because: ['app-key-unsafe'] });
  const other = { artifactChecksum: checksum(Buffer.from('other bytes')) };
  await addApp(service.web.db, registryId, 'app-a', {}, { '2.0.0': other });
  expect(ofService(await joined(token))).toContain('error service-first-seen-differs app-a 2.0.0');
});

const disagreements = ({ findings }: Report): string[] =>
  findings.filter(({ rule }) => rule === 'service-disagrees').map(({ message }) => message);

/** What the service knows about both versions of the app. */
async function knows(app: Parameters<typeof addApp>[3], first: object = {}, second: object = {}): Promise<string> {
  const { token, registryId } = await subscribed();
  const versions = {
    '1.0.0': { artifactChecksum: checksum(service.live.older), ...first },
    '2.0.0': { artifactChecksum: checksum(service.live.artifact), ...second },
  };
  await addApp(service.web.db, registryId, 'app-a', app, versions);
  return token;
}

describe('the service disagrees with what is served now', () => {
  test('about nothing if it offers what is verified here', async () => {
    expect(ofService(await joined(await knows({})))).toEqual([]);
  });

  test('about a version that it offers, and that fails verification now', async () => {
    service.live.serve('1.tar.gz', gzipped('other'));
    const report = await joined(await knows({}));
    expect(ofService(report)).toEqual(['note service-disagrees version-offered app-a 1.0.0']);
    expect(disagreements(report)[0]).toMatch(
      /^The service offers version 1\.0\.0, which fails verification now: artifact-checksum-mismatch\. .* checks again at /,
    );
  });

  test('about a version whose artifact is gone, and not while its host is down', async () => {
    service.live.serve('1.tar.gz', answer({ status: 404 }));
    service.live.serve('2.tar.gz', answer({ status: 503 }));
    const report = await joined(await knows({}), { retries: 0 } as DiagnoseOptions);
    expect(ofService(report)).toEqual(['note service-disagrees version-offered app-a 1.0.0']);
    expect(disagreements(report)[0]).toContain('unreachable');
  });

  test('about an app that it shows, and that subscribers do not see now', async () => {
    const token = await knows({});
    service.host.on(
      '/registry.json',
      json({ apps: { 'app-a': { name: 'A', appMetadataUrl: `${service.host.origin}/a.json` } } }),
    );
    const report = await joined(token);
    expect(ofService(report)).toEqual(['note service-disagrees app-shown app-a']);
    expect(disagreements(report)[0]).toContain('The service shows the app, which is hidden now: schema-violation.');
  });

  test('about nothing if its metadata file cannot be used now, since the service keeps what it had read', async () => {
    const token = await knows({});
    for (const broken of [answer({ status: 404 }), json({}), answer({ body: 'no JSON' })]) {
      service.host.on('/a.json', broken);
      expect(ofService(await joined(token, { retries: 0 } as DiagnoseOptions))).toEqual([]);
    }
    service.host.on('/a.json', json({ versions: [] }));
    expect(ofService(await joined(token))).toEqual([
      'note service-disagrees app-shown app-a',
      'error service-version-withdrawn version app-a 1.0.0',
      'error service-version-withdrawn version app-a 2.0.0',
    ]);
  });

  test('about nothing if it has the last copy of an artifact, unless its host serves other bytes', async () => {
    service.live.serve('1.tar.gz', answer({ status: 404 }));
    const token = await knows({}, { lostAt: new Date() });
    expect(ofService(await joined(token))).toEqual([]);
    service.live.serve('1.tar.gz', gzipped('other'));
    expect(ofService(await joined(token))).toEqual(['note service-disagrees version-offered app-a 1.0.0']);
  });

  test('about an app that it hides, although all is well now', async () => {
    const report = await joined(await knows({ visible: false, because: ['entry-invalid'] }));
    expect(ofService(report)).toEqual(['note service-disagrees app-hidden app-a']);
    expect(disagreements(report)[0]).toContain('The service hides the app (entry-invalid), although all is well now.');
  });

  test('about a version that was withdrawn, and is served again', async () => {
    const report = await joined(await knows({}, { withdrawnAt: new Date() }));
    expect(ofService(report)).toEqual(['note service-disagrees version-not-offered app-a 1.0.0']);
  });

  const refused = { state: 'refused', rule: 'artifact-not-tar-gz', reason: 'It is plain text.' } as const;

  test('as an error if it could not verify an artifact that is verified here', async () => {
    expect(ofService(await joined(await knows({}, refused)))).toEqual(['error service-refused artifact app-a 1.0.0']);
  });

  test('about nothing if an artifact with the listed checksum is refused by both', async () => {
    const bad = Buffer.from('no archive');
    service.live.serve('1.tar.gz', gzipped(bad));
    service.live.versions[1]!.artifactChecksum = checksum(bad);
    service.live.list();
    const report = await joined(await knows({}, { ...refused, artifactChecksum: checksum(bad) }));
    expect(ofService(report)).toEqual([]);
  });
});

describe('an organization that requires attestations', () => {
  const SIGNER = { issuer: 'https://issuer.test', identity: null, repository: 'https://git.test/acme/apps' };

  /** Both versions are verified, and the newest one is held back. */
  async function holding(): Promise<string> {
    const token = await knows({});
    const subscription = await service.web.db.selectFrom('subscriptions').select('id').executeTakeFirstOrThrow();
    await service.web.db
      .updateTable('subscriptions')
      .set({ attestations: 'require', attestationSigner: JSON.stringify(SIGNER) })
      .execute();
    const about = { subscriptionId: subscription.id, appKey: 'app-a' };
    const bytes = [service.live.older, service.live.artifact].map(checksum);
    await service.web.db
      .insertInto('attestationDecisions')
      .values([
        { ...about, version: '1.0.0', checksum: bytes[0]!, decision: 'offered-before', heldSince: null },
        { ...about, version: '2.0.0', checksum: bytes[1]!, decision: 'held', heldSince: new Date() },
      ])
      .execute();
    return token;
  }

  test('is why a version is not offered, with the reason', async () => {
    const token = await holding();
    const report = await joined(token);
    expect(ofService(report)).toEqual(['warning service-policy attestation app-a 2.0.0']);
    expect(report.findings.find(({ rule }) => rule === 'service-policy')).toMatchObject({
      message:
        'The service holds back version 2.0.0 of app-a, since the organization requires attestations of this registry. Its attestation is not known yet.',
      symptom: 'app-does-not-appear',
      evidence: { versions: ['2.0.0'] },
    });
    const shown = await run({ service: service.base, tokenEnv: 'TOKEN' }, {}, { TOKEN: token });
    expect(shown.out).toContain('holds back version 2.0.0 of app-a');
  });

  test('is said with what its host has', async () => {
    const token = await holding();
    const { id } = await service.web.db.selectFrom('registries').select('id').executeTakeFirstOrThrow();
    const row = { registryId: id, appKey: 'app-a', version: '2.0.0', keySha256: '', facts: null, askedAt: new Date() };
    const state = { checksum: checksum(service.live.artifact), state: 'url-signed' } as const;
    await service.web.db
      .insertInto('attestations')
      .values({ ...row, ...state })
      .execute();
    const found = (await joined(token)).findings.find(({ rule }) => rule === 'service-policy');
    expect(found?.message).toContain('The URL of the artifact is signed by its query');
    expect(found?.evidence).toMatchObject({ rule: 'attestation-missing', cause: 'url-signed' });
  });
});

test('an organization whose policy holds a version back', async () => {
  const token = await knows({});
  const { id: subscriptionId, organizationId } = await service.web.db
    .selectFrom('subscriptions')
    .select(['id', 'organizationId'])
    .executeTakeFirstOrThrow();
  const target = { organizationId, subscriptionId, actor: SERVICE_ACTOR, now: new Date(), confirm: false };
  await setPolicy(service.web.db, target, { schema: 1, deny: ['*@2.0.0'] });
  const report = await joined(token);
  expect(ofService(report)).toEqual(['warning service-policy policy app-a 2.0.0']);
  expect(report.findings.find(({ rule }) => rule === 'service-policy')).toMatchObject({
    message:
      'The service holds back version 2.0.0 of app-a, by this line of the organization’s policy: deny[0] "*@2.0.0".',
    evidence: { line: 'deny[0] "*@2.0.0"', offeredAt: null, versions: ['2.0.0'] },
  });
});

test('a registry that the service cannot read, and that can be read here', async () => {
  const failingSince = new Date(Date.now() - 5 * HOUR);
  const { token } = await subscribed({ failingSince });
  expect(ofService(await joined(token))).toEqual(['error service-refused repeatedly']);
});

test('an app whose metadata file the service cannot use, and that cannot be used here either', async () => {
  const token = await knows({ failingSince: new Date(Date.now() - 5 * HOUR) });
  expect(ofService(await joined(token))).toEqual(['error service-refused repeatedly app-a']);
  for (const broken of [answer({ status: 404 }), json({}), answer({ body: '{"versions":[' })]) {
    service.host.on('/a.json', broken);
    expect(ofService(await joined(token, { retries: 0 } as DiagnoseOptions))).toEqual([]);
  }
});

test('a suspended organization', async () => {
  const { id, token } = await service.web.join();
  await service.web.db.updateTable('organizations').set({ suspendedAt: new Date() }).where('id', '=', id).execute();
  expect(ofService(await joined(token))).toEqual(['error service-policy suspended']);
});

const reason = ({ notJudged }: Report): string | undefined =>
  notJudged.find(({ code }) => code === 'service-not-joined')?.reason;

describe('a service that cannot answer', () => {
  let other: Server;
  let respond: (path: string) => { status: number; body: string; type?: string };
  let otherBase: string;
  beforeAll(async () => {
    other = createServer((request, response) => {
      const { status, body, type = 'text/html' } = respond(request.url ?? '');
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    otherBase = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });
  afterAll(() => void other.close());

  test('is not judged, with the reason; the registry itself is', async () => {
    const { token } = await service.web.join();
    const report = await joined(token);
    expect(reason(report)).toBe(`${service.base}/ has no subscription of this organization to this URL`);
    expect(report.outcome).not.toBe('incomplete');
    expect(report.summary.artifacts).toBe(2);
    expect(reason(await joined('apr_wrong'))).toMatch(/requires a valid token \(401\): --token-env names the variable/);
  });

  test.each([
    [
      'a page for every path',
      () => ({ status: 200, body: '<!doctype html>' }),
      /does not have the API of appreg service/,
    ],
    ['no such path', () => ({ status: 404, body: 'not found' }), /does not have the API of appreg service/],
    ['another API', () => ({ status: 200, body: '{"items":[]}', type: 'application/json' }), /does not have the API/],
    [
      'other members',
      () => ({ status: 200, body: '{"registries":[{"id":"a"}],"next":null}', type: 'application/json' }),
      /does not have the API/,
    ],
    ['a failure', () => ({ status: 500, body: '' }), /cannot respond now: status 500/],
    ['a refusal', () => ({ status: 403, body: '{"detail":"No."}', type: 'application/json' }), /\(403\): No\./],
  ])('%s', async (_, answered, expected) => {
    respond = answered;
    expect(reason(await joined('secret-token', { service: otherBase }))).toMatch(expected);
  });

  test('no response', async () => {
    expect(reason(await joined('t', { service: 'http://127.0.0.1:9', timeout: 2 }))).toMatch(
      /cannot be reached: ECONNREFUSED/,
    );
  });

  test('a registry that cannot be read is diagnosed all the same', async () => {
    service.host.on('/registry.json', answer({ status: 500, body: 'down' }));
    const report = await joined('t', { service: 'http://127.0.0.1:9', timeout: 2 });
    expect(report.findings.map(({ rule }) => rule)).toContain('unreachable');
    service.host.on('/registry.json', json({ apps: {} }));
  });
});

test.each([
  [{ tokenEnv: 'TOKEN' }, '--token-env requires --service'],
  [{ service: 'flows.example.com' }, 'is not the URL of a service'],
  [{ service: 'http://flows.example.com', tokenEnv: 'TOKEN' }, 'sent unencrypted'],
  [{ service: 'https://flows.example.com', tokenEnv: 'UNSET' }, 'is not set'],
])('wrong usage: %o', async (options, message) => {
  await expect(run(options, {}, { TOKEN: 't' })).rejects.toThrow(message);
});
