import { linksSchema, retirementSchema } from '../about/schema.ts';
import { attestationSchema } from '../attestations/schema.ts';
import { policyHoldSchema } from '../policies/schema.ts';
import { LONGEST_SEARCH } from '../database/page.ts';
import {
  type OpenApiObject,
  response,
  headersOf,
  NOT_FOUND,
  pageResponses,
  NOT_MODIFIED,
  forOrganization,
  parameter,
  type Schema,
  type ValueOf,
  text,
  count,
  flag,
  dateTime,
  id,
  sha256,
  choice,
  orNull,
  nullable,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  ID,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

/** The schemas of apps and versions, and their part of the API. */

const reasons = list(strictObject('A code for programs, and a sentence for people.', { code: text, message: text }));

const app = {
  key: text,
  name: text,
  description: text,
  color: withDescription(
    orNull<string>({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }),
    'Background color of its blocks.',
  ),
  icon: withDescription(orNull(sha256), 'Digest of its icon, which is served at /api/icons/{sha256}.'),
  iconFragment: withDescription(
    text,
    'Fragment to append to that URL: the part of an SVG to show; empty for all of it.',
  ),
  visible: withDescription(orNull(flag), 'Whether it can be installed; null while it is being checked.'),
  reasons: withDescription(reasons, 'Why it cannot be installed, or cannot be installed yet.'),
  latest: withDescription(
    orNull(text),
    'The highest version that is offered. One that its author retired for security is not, while the version that is named in its place is offered.',
  ),
  deprecated: withDescription(retirementSchema, 'Why the author retired that version; null if it did not.'),
  links: linksSchema,
  offered: withDescription(count, 'Versions that are offered.'),
  versions: withDescription(count, 'All known versions, including refused, pending and withdrawn ones.'),
  failingSince: withDescription(
    orNull(dateTime),
    'Since when its metadata file cannot be used; the last known state remains valid.',
  ),
};

const appSchema = strictObject('An app of a registry.', app);
export type AppView = ValueOf<typeof appSchema>;

const installable = strictObject('An app that can be installed.', {
  ...app,
  registry: strictObject('The registry that offers it.', { id, name: text }),
});
export type InstallableView = ValueOf<typeof installable>;

const version = strictObject('A version. The digest is pinned once the artifact matched it.', {
  version: text,
  artifactUrl: text,
  artifactChecksum: text,
  firstSeenAt: withDescription(dateTime, 'When it was first listed, or the subscription if that is later.'),
  state: choice(['pending', 'verified', 'refused', 'withdrawn']),
  offered: flag,
  reason: nullable(strictObject('Why it is refused.', { rule: text, message: text })),
  verifiedAt: orNull(dateTime),
  bytes: orNull(count),
  swappedChecksum: withDescription(orNull(text), 'The digest that is listed now, if it differs.'),
  servedChecksum: withDescription(orNull(text), 'The digest of the bytes that the host served last, if it differs.'),
  withdrawnAt: orNull(dateTime),
  lostAt: withDescription(
    orNull(dateTime),
    'When its host was first found to lack the artifact. The service offers its own copy; a version without any copy is refused.',
  ),
  published: withDescription(
    orNull(text),
    'When it was published, as the author claims: a time in UTC (ISO 8601). The service does not check it.',
  ),
  notes: withDescription(
    orNull(text),
    'Release notes of the author in Markdown, at most 20,000 bytes: untrusted text.',
  ),
  deprecated: withDescription(retirementSchema, 'Why the author retired it; null if it did not.'),
  attestation: withDescription(
    nullable(attestationSchema),
    'Null if the organization does not want attestations of this registry, and for a version that is not verified.',
  ),
  policyHold: withDescription(
    nullable(policyHoldSchema),
    'Null unless the policy of the organization is the only reason why the version is not offered.',
  ),
});
export type VersionView = ValueOf<typeof version>;

export const appSchemas: Record<string, Schema> = {
  App: appSchema,
  Apps: strictObject('A page of apps, by key.', { apps: list(ref('App')), next }),
  InstallableApps: strictObject('A page of apps, by key, with the registry that offers each.', {
    apps: list(installable),
    next,
  }),
  Versions: strictObject('A page of versions, highest first.', {
    versions: list(version),
    next,
  }),
};

const KEY = parameter('key', 'path', 'App key.', { type: 'string' });
const SEARCH = parameter('search', 'query', 'Words to search for: each must occur in the key, name or description.', {
  type: 'string',
  maxLength: LONGEST_SEARCH,
});
const VISIBLE = parameter('visible', 'query', 'Only apps that can be installed, or only those that cannot.', {
  type: 'boolean',
});

/** Apps, versions and icons. */
export const appsPaths: Record<string, OpenApiObject> = {
  '/api/registries/{id}/apps': {
    parameters: [ID],
    get: forOrganization(
      'listApps',
      'The apps of a registry',
      { ...pageResponses('Apps'), ...NOT_FOUND },
      { parameters: [SEARCH, VISIBLE, ...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/registries/{id}/apps/{key}': {
    parameters: [ID, KEY],
    get: forOrganization('getApp', 'One app, even if it is no longer in the manifest', {
      200: response('The app.', 'App'),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/apps/{key}/versions': {
    parameters: [ID, KEY],
    get: forOrganization(
      'listVersions',
      'All versions of an app that were ever listed',
      { ...pageResponses('Versions'), ...NOT_FOUND },
      { parameters: [...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/apps': {
    get: forOrganization(
      'listInstallable',
      'All apps that can be installed, from all registries',
      pageResponses('InstallableApps'),
      { parameters: [SEARCH, ...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/icons/{sha256}': {
    parameters: [parameter('sha256', 'path', '“icon” of an app.', { type: 'string', pattern: '^[0-9a-f]{64}$' })],
    get: forOrganization(
      'getIcon',
      'An icon',
      {
        200: {
          description: 'The image.',
          content: { 'image/png': {}, 'image/svg+xml': {} },
          headers: headersOf(['ETag']),
        },
        ...NOT_MODIFIED,
        ...NOT_FOUND,
      },
      { parameters: [IF_NONE_MATCH] },
    ),
  },
};
