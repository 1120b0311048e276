import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type NewEvent } from '../../src/domain/events.ts';
import { type RefreshContext } from '../../src/refresh/plan.ts';
import { refreshRegistry } from '../../src/refresh/refresh.ts';
import { recordAudit } from '../../src/db/audit.ts';
import type { AttestationFacts } from '../../../src/core/facts/attestation.ts';
import { parseStatement, provenanceStatement } from '../../../src/core/attestation/statement.ts';
import { type Db } from '../../src/db/database.ts';
import { storable, storableJson } from '../../src/domain/storable.ts';
import { recordEvents } from '../../src/db/events.ts';
import { answer, CORS, type FaultHost, json } from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { addAccess } from '../api/access-fixture.ts';
import { addRegistry, addSubscription } from '../database-fixture.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';
import type { WebFixture } from '../web-fixture.ts';

/** An organization whose every text is hostile: those of its registry, which was really checked, and its own. */

export interface HostileWorld {
  token: string;
  /** Values of path parameters, by the part of the path before them. */
  ids: { registry: string; webhook: string; delivery: string; token: string; icon: string; keys: string[] };
  /** Marks that a page has to show: the field that each is a part of. */
  marks: string[];
}

/** @param hostile what follows the mark of a field */
export async function openHostileWorld(web: WebFixture, host: FaultHost, hostile: string): Promise<HostileWorld> {
  const marks: string[] = [];
  const text = (field: string, isShown = true): string => {
    if (isShown) marks.push(`zq${field}`);
    return `zq${field}${hostile}`;
  };
  const { db } = web;
  const { id: organization, token } = await web.join();
  await db
    .updateTable('organizations')
    .set({ name: storable(text('organization')) })
    .where('id', '=', organization)
    .execute();
  // A key or a URL that is longer, or that the database cannot store, is not stored.
  const keys = [storable(`zqkey${hostile}`.slice(0, 200)), 'plain-key'];
  marks.push('zqkey');
  const url = serve(host, keys, text);
  const registry = await addRegistry(db, url, { checkedAt: null, goodAt: null, nextCheckAt: new Date(0) });
  const subscription = await addSubscription(db, organization, registry, { name: storable(text('subscription')) });
  const context: RefreshContext = {
    ...web.service,
    settings: settingsFor(web.url),
    outbound: { ...web.service.outbound, subscribeTimeout: 0 },
    now: () => new Date(),
    random: () => 0,
  };
  await refreshRegistry(context, registry, new AbortController().signal);
  // What a check writes only in other situations.
  await db
    .updateTable('versions')
    .set({ state: 'refused', rule: 'unreachable', reason: storable(text('reason')) })
    .where('registryId', '=', registry)
    .where('version', '=', '0.0.1')
    .execute();
  await attest(db, { registry, subscription, version: '1.0.0', text });
  const certificate = (field: string) => ({
    fingerprint256: text('fingerprint', false),
    subject: text('subject', false),
    issuer: text(field, field === 'issuer'),
    notAfter: '2030-01-01T00:00:00Z',
  });
  const changed: NewEvent = {
    type: 'certificate-changed',
    app: null,
    version: null,
    data: { host: text('host'), before: certificate('old'), after: certificate('issuer') },
  };
  const listed: NewEvent = {
    type: 'app-listed',
    app: storable(text('eventapp')),
    version: null,
    data: { name: text('eventname') },
  };
  const shown: NewEvent = {
    type: 'app-shown',
    app: storable(text('shownapp')),
    version: null,
    data: { latest: text('latest') },
  };
  const withdrawn: NewEvent = {
    type: 'version-withdrawn',
    app: 'plain-key',
    version: text('eventversion'),
    data: { checksum: text('checksum', false), wasVerified: true },
  };
  const about = { registryId: registry, at: new Date() };
  await recordEvents(
    db,
    [changed, listed, shown, withdrawn].map((event) => ({ ...event, ...about })),
  );
  const access = await addAccess(db, organization, `https://hooks.example.com/${encoded(`x${hostile}`.slice(0, 200))}`);
  await db
    .updateTable('tokens')
    .set({ name: storable(text('token')) })
    .where('id', '=', access.tokenId)
    .execute();
  const actor = {
    type: 'token',
    token: { id: access.tokenId, name: storable(text('actor')) },
    address: storable(text('address')),
  } as const;
  const target = { id: subscription, name: storable(text('target')) };
  await recordAudit(db, { organizationId: organization, actor, action: 'registry-renamed', target });
  await recordAudit(db, {
    organizationId: organization,
    actor: SERVICE_ACTOR,
    action: 'request-refused',
    outcome: 'refused',
    target: { name: storable(text('refusedtarget')) },
    details: { route: storable(text('details')), needed: storable(text('needed')) },
  });
  const { icon } = await db.selectFrom('apps').where('icon', 'is not', null).select('icon').executeTakeFirstOrThrow();
  return {
    token,
    ids: {
      registry: subscription,
      webhook: access.webhook,
      delivery: access.delivery,
      token: access.tokenId,
      icon: icon!.toString('hex'),
      keys,
    },
    marks,
  };
}

/** An attestation whose every text is hostile, and which is valid. */
async function attest(
  db: Db,
  {
    registry,
    subscription,
    version,
    text,
  }: { registry: number; subscription: string; version: string; text: (field: string) => string },
): Promise<void> {
  const { artifactChecksum: checksum } = await db
    .selectFrom('versions')
    .where('registryId', '=', registry)
    .where('version', '=', version)
    .select('artifactChecksum')
    .executeTakeFirstOrThrow();
  const app = { key: 'plain-key', version };
  const sha256 = checksum.replace('sha256:', '');
  const statement = provenanceStatement({ app, sha256, sbomSha256: null, run: null, toolVersion: '1.0.0' });
  const issuer = `https://issuer.example/${storable(text('issuer').slice(0, 1000))}`;
  const repository = `https://git.example/${storable(text('repository').slice(0, 1000))}`;
  const facts: AttestationFacts = {
    bytes: 1,
    sha256,
    root: { date: '2026-11-05T00:00:00Z', shipped: true },
    failure: null,
    signer: {
      kind: 'certificate',
      issuer,
      identity: text('identity').slice(0, 1000),
      repository,
      commit: text('commit').slice(0, 1000),
      ref: text('ref').slice(0, 1000),
      run: `javascript:${text('run').slice(0, 1000)}`,
    },
    signedAt: null,
    log: [],
    content: { kind: 'statement', statement: parseStatement(statement)! },
  };
  await db
    .updateTable('subscriptions')
    .set({
      attestations: 'report',
      attestationSigner: JSON.stringify({ issuer, identity: null, repository }),
    })
    .where('id', '=', subscription)
    .execute();
  await db
    .insertInto('attestations')
    .values({
      registryId: registry,
      appKey: app.key,
      version,
      keySha256: '',
      checksum,
      state: 'proven',
      facts: storableJson(facts),
      askedAt: new Date(),
    })
    .execute();
}

/** Percent-encoded, also with half of a surrogate pair. */
export function encoded(text: string): string {
  return encodeURIComponent(wellFormed(text));
}

/** As browsers send it. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** What the author says, as hostile as the form of the file allows. */
function aboutFile(text: (field: string) => string): object {
  const notes = wellFormed(text('notes').slice(0, 2000));
  const links =
    '[zqlink](javascript:zqx()) ![zqimage](data:text/html,zqx) <javascript:zqx()> [zqweb](https://a.example/)';
  return {
    schema: 1,
    app: {
      homepage: 'https://about.example/',
      licence: wellFormed(text('licence').slice(0, 200)),
      support: wellFormed(`mailto:${text('support').replaceAll(/[\s<>"]/g, '')}`.slice(0, 200)),
    },
    versions: {
      '1.0.0': {
        published: '9999-12-31T23:59:59Z',
        notes: `# ${notes}\n\n- ${notes}\n\n> ${notes}\n\n    ${notes}\n\n${links}`,
        deprecated: { reason: 'security', message: wellFormed(text('retired').slice(0, 280)) },
      },
    },
  };
}

/** A registry with an app whose files are there, and one with a hostile key and URLs. */
function serve(
  host: FaultHost,
  [key = '', plain = '']: string[],
  text: (field: string, isShown?: boolean) => string,
): string {
  const bytes = archive('export const version = 1;');
  const icon = SVG.replace('<rect', '<script>zqx()</script><rect onload="zqx()"');
  host.on('/icon.svg', answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }));
  host.on('/evil.svg', answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: icon }));
  host.on('/1.tar.gz', gzipped(bytes));
  const good = { artifactUrl: `${host.origin}/1.tar.gz`, artifactChecksum: checksum(bytes) };
  const versions = [
    { version: '1.0.0', ...good },
    {
      version: '0.0.1',
      artifactUrl: `${host.origin}/${storable(text('artifacturl').slice(0, 1000))}`,
      artifactChecksum: checksum(Buffer.alloc(0)),
    },
    { version: text('version'), ...good },
    { version: '0.0.3', artifactUrl: text('scheme', false), artifactChecksum: text('digest', false) },
  ];
  host.on('/a.json', json({ versions, [text('field', false)]: 1 }));
  host.on('/a.about.json', json(aboutFile(text)));
  const entry = {
    description: text('description'),
    blockStyle: { iconUrl: `${host.origin}/icon.svg`, color: '#123456' },
  };
  const apps = {
    [plain]: { ...entry, name: text('name'), appMetadataUrl: `${host.origin}/a.json` },
    [key]: {
      name: text('othername'),
      description: text('otherdescription', false),
      blockStyle: { iconUrl: `${host.origin}/evil.svg#${text('fragment', false)}`, color: text('color', false) },
      appMetadataUrl: `javascript:${text('metadataurl', false)}`,
    },
  };
  return (
    host.on(`/registry.json`, json({ apps, [text('manifestfield', false)]: text('manifestvalue', false) })) +
    `?zqurl=${encodeURIComponent('"><b>')}`
  );
}
