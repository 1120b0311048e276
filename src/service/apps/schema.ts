import { linksSchema, retirementSchema } from '../about/schema.ts';
import { attestationSchema } from '../attestations/schema.ts';
import { policyHoldSchema } from '../policies/schema.ts';
import { LONGEST_SEARCH } from '../database/page.ts';
import * as api from '../http/openapi.ts';

/** The schemas of apps and versions, and their part of the API. */

const reasons = api.list(
  api.strictObject('A code for programs, and a sentence for people.', { code: api.text, message: api.text }),
);

const app = {
  key: api.text,
  name: api.text,
  description: api.text,
  color: api.withDescription(
    api.orNull<string>({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }),
    'Background color of its blocks.',
  ),
  icon: api.withDescription(api.orNull(api.sha256), 'Digest of its icon, which is served at /api/icons/{sha256}.'),
  iconFragment: api.withDescription(
    api.text,
    'Fragment to append to that URL: the part of an SVG to show; empty for all of it.',
  ),
  visible: api.withDescription(api.orNull(api.flag), 'Whether it can be installed; null while it is being checked.'),
  reasons: api.withDescription(reasons, 'Why it cannot be installed, or cannot be installed yet.'),
  latest: api.withDescription(
    api.orNull(api.text),
    'The highest version that is offered. One that its author retired for security is not, while the version that is named in its place is offered.',
  ),
  deprecated: api.withDescription(retirementSchema, 'Why the author retired that version; null if it did not.'),
  links: linksSchema,
  offered: api.withDescription(api.count, 'Versions that are offered; 0 while the app cannot be installed.'),
  versions: api.withDescription(api.count, 'All known versions, including refused, pending and withdrawn ones.'),
  failingSince: api.withDescription(
    api.orNull(api.dateTime),
    'Since when its metadata file cannot be used; the last known state remains valid.',
  ),
};

const appSchema = api.strictObject('An app of a registry.', app);
export type AppView = api.ValueOf<typeof appSchema>;

const installable = api.strictObject('An app that can be installed.', {
  ...app,
  registry: api.strictObject('The registry that offers it.', { id: api.id, name: api.text }),
});
export type InstallableView = api.ValueOf<typeof installable>;

const version = api.strictObject('A version. The digest is pinned once the artifact matched it.', {
  version: api.text,
  artifactUrl: api.text,
  artifactChecksum: api.text,
  firstSeenAt: api.withDescription(api.dateTime, 'When it was first listed, or the subscription if that is later.'),
  state: api.choice(['pending', 'verified', 'refused', 'withdrawn']),
  offered: api.withDescription(
    api.flag,
    'Whether the organization gets its artifact, also while a fault of its entry in the manifest hides its app.',
  ),
  reason: api.nullable(api.strictObject('Why it is refused.', { rule: api.text, message: api.text })),
  verifiedAt: api.orNull(api.dateTime),
  bytes: api.orNull(api.count),
  swappedChecksum: api.withDescription(api.orNull(api.text), 'The digest that is listed now, if it differs.'),
  servedChecksum: api.withDescription(
    api.orNull(api.text),
    'The digest of the bytes that the host served last, if it differs.',
  ),
  withdrawnAt: api.orNull(api.dateTime),
  lostAt: api.withDescription(
    api.orNull(api.dateTime),
    'When its host was first found to lack the artifact. The service offers its own copy; a version without any copy is refused.',
  ),
  published: api.withDescription(
    api.orNull(api.text),
    'When it was published, as the author claims: a time in UTC (ISO 8601). The service does not check it.',
  ),
  notes: api.withDescription(
    api.orNull(api.text),
    'Release notes of the author in Markdown, at most 20,000 bytes: untrusted text.',
  ),
  deprecated: api.withDescription(retirementSchema, 'Why the author retired it; null if it did not.'),
  attestation: api.withDescription(
    api.nullable(attestationSchema),
    'Null if the organization does not want attestations of this registry, and for a version that is not verified.',
  ),
  policyHold: api.withDescription(
    api.nullable(policyHoldSchema),
    'Null unless the policy of the organization is the only reason why the version is not offered.',
  ),
});
export type VersionView = api.ValueOf<typeof version>;

export const appSchemas: Record<string, api.Schema> = {
  App: appSchema,
  Apps: api.strictObject('A page of apps, by key.', { apps: api.list(api.ref('App')), next: api.next }),
  InstallableApps: api.strictObject('A page of apps, by key, with the registry that offers each.', {
    apps: api.list(installable),
    next: api.next,
  }),
  Versions: api.strictObject('A page of versions, highest first.', {
    versions: api.list(version),
    next: api.next,
  }),
};

const KEY = api.parameter('key', 'path', 'App key.', { type: 'string' });
const SEARCH = api.parameter(
  'search',
  'query',
  'Words to search for: each must occur in the key, name or description.',
  {
    type: 'string',
    maxLength: LONGEST_SEARCH,
  },
);
const VISIBLE = api.parameter('visible', 'query', 'Only apps that can be installed, or only those that cannot.', {
  type: 'boolean',
});

/** Apps, versions and icons. */
export const appsPaths: Record<string, api.OpenApiObject> = {
  '/api/registries/{id}/apps': {
    parameters: [api.ID],
    get: api.forOrganization(
      'listApps',
      'The apps of a registry',
      { ...api.pageResponses('Apps'), ...api.NOT_FOUND },
      { parameters: [SEARCH, VISIBLE, ...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
  '/api/registries/{id}/apps/{key}': {
    parameters: [api.ID, KEY],
    get: api.forOrganization('getApp', 'One app, even if it is no longer in the manifest', {
      200: api.response('The app.', 'App'),
      ...api.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/apps/{key}/versions': {
    parameters: [api.ID, KEY],
    get: api.forOrganization(
      'listVersions',
      'All versions of an app that were ever listed',
      { ...api.pageResponses('Versions'), ...api.NOT_FOUND },
      { parameters: [...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
  '/api/apps': {
    get: api.forOrganization(
      'listInstallable',
      'All apps that can be installed, from all registries',
      api.pageResponses('InstallableApps'),
      { parameters: [SEARCH, ...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
  '/api/icons/{sha256}': {
    parameters: [api.parameter('sha256', 'path', '“icon” of an app.', { type: 'string', pattern: '^[0-9a-f]{64}$' })],
    get: api.forOrganization(
      'getIcon',
      'An icon',
      {
        200: {
          description: 'The image.',
          content: { 'image/png': {}, 'image/svg+xml': {} },
          headers: api.headersOf(['ETag']),
        },
        ...api.NOT_MODIFIED,
        ...api.NOT_FOUND,
      },
      { parameters: [api.IF_NONE_MATCH] },
    ),
  },
};
