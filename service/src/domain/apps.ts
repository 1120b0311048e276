import { latestOffered, NOTHING_SAID, retirementOf, type Retirements, ruleById, ruleTitle } from 'appreg';
import * as shape from './shape.ts';
import { type FurtherFields, furtherFieldShapes, furtherFieldsView } from './further-fields.ts';
import { retirementSchema, linksSchema, type LinksView, type RetiredVersion } from './retirements.ts';
import { attestationSchema } from './attestation-view.ts';
import { policyHoldSchema, type StoredHold, policyHold } from './policies.ts';
import { isoTimeSince } from './registries.ts';

/** The reason why an app or a version cannot be installed: a code for programs, a message for people. */
export interface HiddenReason {
  code: string;
  message: string;
}

/** Reasons that only the service knows. The rules declare their own reasons (`hiddenReason`). */
const SERVICE_REASONS = {
  'app-withdrawn': 'It is no longer in the registry’s manifest.',
  'version-unpublished': 'No version is published yet.',
  'entry-invalid': 'Its entry in the manifest lacks a required field, or a field has the wrong type.',
  'metadata-invalid': 'Its metadata file lacks a required field, or a field has the wrong type.',
  'version-not-stored':
    'None of its listed versions can be stored: there are too many, or a version number or URL is too long.',
  'version-withdrawn': 'Its versions are no longer listed.',
  'app-unchecked': 'Its metadata file has not been checked yet.',
  'artifact-unchecked': 'Its artifacts have not been checked yet.',
  'artifact-refused': 'None of its versions can be offered.',
  'attestation-required':
    'Your organization requires attestations of this registry, and none of its versions has a valid one.',
  'policy-held': 'The policy of your organization holds all of its versions back.',
} as const;

/** The reasons that the service gives itself. */
export type ServiceReason = keyof typeof SERVICE_REASONS;

function isServiceReason(code: string): code is ServiceReason {
  return Object.hasOwn(SERVICE_REASONS, code);
}

/** A reason of the service itself. */
function serviceReason(code: ServiceReason): HiddenReason {
  return { code, message: SERVICE_REASONS[code] };
}

/**
 * The reason why a version is refused: what its rule finds. The reasons above are about the metadata file of an app.
 */
function refusalReason(rule: string): HiddenReason {
  return { code: rule, message: `${ruleTitle(rule)}.` };
}

/** The reasons of a hidden app from their codes: what follows `artifact-refused` is about its versions. */
export function reasonsFrom(codes: readonly string[]): HiddenReason[] {
  const refused = codes.indexOf('artifact-refused' satisfies ServiceReason);
  return codes.map((code, i) => (refused !== -1 && i > refused ? refusalReason(code) : hiddenReason(code)));
}

/** @param code id of a rule, or a code of the service */
export function hiddenReason(code: string): HiddenReason {
  if (isServiceReason(code)) return serviceReason(code);
  const rule = ruleById(code);
  return { code, message: rule?.hiddenReason ?? (rule ? `${rule.title}.` : 'See the report of the registry.') };
}

/** The state of an app that determines whether it can be installed. */
export interface InstallabilityState {
  listed: boolean;
  /** Null if it is not known. */
  visible: boolean | null;
  because: readonly string[];
  failingSince: Date | null;
  latest: string | null;
  /** The states of versions that are not withdrawn; null if one is offered. */
  states: readonly string[] | null;
  /** The reason why one of them is refused. */
  refusal: { code: string | null; message: string | null; version: string } | null;
}

export type Installability = Pick<AppView, 'visible' | 'reasons' | 'latest'>;

/** The same decision as INSTALLABLE (db/conditions.ts), with the reasons. */
export function installabilityOf(app: InstallabilityState): Installability {
  if (!app.listed) return hidden([serviceReason('app-withdrawn')]);
  const because = app.because.map(hiddenReason);
  if (app.visible === false && app.failingSince === null) return hidden(because);
  if (app.latest !== null) return { visible: true, reasons: [], latest: app.latest };
  // The versions are those from before, and none of them can be installed.
  if (app.failingSince !== null && because.length > 0) return hidden(because, app.visible === false ? false : null);
  if (app.states?.includes('pending')) return hidden([serviceReason('artifact-unchecked')], null);
  if (app.states?.includes('refused')) return hidden([serviceReason('artifact-refused'), ...refusedVersionReason(app)]);
  if (because.length > 0) return hidden(because, app.visible === false ? false : null);
  return app.visible === null
    ? hidden([serviceReason('app-unchecked')], null)
    : hidden([serviceReason('version-not-stored')]);
}

function hidden(reasons: HiddenReason[], visible: false | null = false): Installability {
  return { visible, reasons, latest: null };
}

function refusedVersionReason({ refusal }: InstallabilityState): HiddenReason[] {
  if (refusal === null || refusal.code === null) return [];
  const { code, version } = refusal;
  // Other versions may be refused for other reasons.
  return [{ code, message: `Version ${version}: ${refusal.message ?? refusalReason(code).message}` }];
}

/** The schemas of apps and versions, and their part of the API. */

const reasons = shape.list(
  shape.strictObject('A code for programs, and a sentence for people.', { code: shape.text, message: shape.text }),
);

const app = {
  key: shape.text,
  name: shape.text,
  description: shape.text,
  color: shape.withDescription(
    shape.orNull<string>({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }),
    'Background color of its blocks.',
  ),
  icon: shape.withDescription(
    shape.orNull(shape.sha256),
    'Digest of its icon, which is served at /api/icons/{sha256}.',
  ),
  iconFragment: shape.withDescription(
    shape.text,
    'Fragment to append to that URL: the part of an SVG to show; empty for all of it.',
  ),
  visible: shape.withDescription(
    shape.orNull(shape.flag),
    'Whether it can be installed; null while it is being checked.',
  ),
  reasons: shape.withDescription(reasons, 'Why it cannot be installed, or cannot be installed yet.'),
  latest: shape.withDescription(
    shape.orNull(shape.text),
    'The highest version that is offered. One that its author retired for security is not, while the version that is named in its place is offered.',
  ),
  deprecated: shape.withDescription(retirementSchema, 'Why the author retired that version; null if it did not.'),
  links: linksSchema,
  ...furtherFieldShapes,
  offered: shape.withDescription(shape.count, 'Versions that are offered; 0 while the app cannot be installed.'),
  versions: shape.withDescription(shape.count, 'All known versions, including refused, pending and withdrawn ones.'),
  failingSince: shape.withDescription(
    shape.orNull(shape.dateTime),
    'Since when its metadata file cannot be used; the last known state remains valid.',
  ),
};

export const appSchema = shape.strictObject('An app of a registry.', app);
export type AppView = shape.ValueOf<typeof appSchema>;

export const installable = shape.strictObject('An app that can be installed.', {
  ...app,
  registry: shape.strictObject('The registry that offers it.', { id: shape.id, name: shape.text }),
});
export type InstallableView = shape.ValueOf<typeof installable>;

export const version = shape.strictObject('A version. The digest is pinned once the artifact matched it.', {
  version: shape.text,
  artifactUrl: shape.text,
  artifactChecksum: shape.text,
  firstSeenAt: shape.withDescription(shape.dateTime, 'When it was first listed, or the subscription if that is later.'),
  state: shape.choice(['pending', 'verified', 'refused', 'withdrawn']),
  offered: shape.withDescription(
    shape.flag,
    'Whether the organization gets its artifact, also while a fault of its entry in the manifest hides its app.',
  ),
  reason: shape.nullable(shape.strictObject('Why it is refused.', { rule: shape.text, message: shape.text })),
  verifiedAt: shape.orNull(shape.dateTime),
  bytes: shape.orNull(shape.count),
  swappedChecksum: shape.withDescription(shape.orNull(shape.text), 'The digest that is listed now, if it differs.'),
  servedChecksum: shape.withDescription(
    shape.orNull(shape.text),
    'The digest of the bytes that the host served last, if it differs.',
  ),
  withdrawnAt: shape.orNull(shape.dateTime),
  lostAt: shape.withDescription(
    shape.orNull(shape.dateTime),
    'When its host was first found to lack the artifact. The service offers its own copy; a version without any copy is refused.',
  ),
  published: shape.withDescription(
    shape.orNull(shape.text),
    'When it was published, as the author claims: a time in UTC (ISO 8601). The service does not check it.',
  ),
  notes: shape.withDescription(
    shape.orNull(shape.text),
    'Release notes of the author in Markdown, at most 20,000 bytes: untrusted text.',
  ),
  deprecated: shape.withDescription(retirementSchema, 'Why the author retired it; null if it did not.'),
  attestation: shape.withDescription(
    shape.nullable(attestationSchema),
    'Null if the organization does not want attestations of this registry, and for a version that is not verified.',
  ),
  policyHold: shape.withDescription(
    shape.nullable(policyHoldSchema),
    'Null unless the policy of the organization is the only reason why the version is not offered.',
  ),
});
export type VersionView = shape.ValueOf<typeof version>;

/** The state of an app in the database, as far as a subscription sees it. */
export interface StoredAppState
  extends InstallabilityState, Pick<StoredApp, 'key' | 'name' | 'description' | 'color' | 'icon' | 'iconFragment'> {
  /** Of the subscription: earlier times are not shown. */
  registrySince: Date;
  /** Their fields in a row. */
  fields: FurtherFields;
  /** The number of offered and of known versions; the database returns counts as strings. */
  offeredCount: string;
  versionCount: string;
  /** The offered versions if the organization requires attestations, or has a policy; null if it does not. */
  offeredVersions: readonly string[] | null;
  /** Of the versions that only the policy can hold back, the decision about the one that is offered first; null for none. */
  firstHold: StoredHold | null;
  /** The author's links; null if there is no about file. */
  links: Partial<LinksView> | null;
  /** The versions that the author retired; null for none. */
  retired: readonly RetiredVersion[] | null;
}

export function appView(app: StoredAppState): AppView {
  const claims = { versions: new Map((app.retired ?? []).map((one) => [one.version, one])) };
  const installability = asOffered(installabilityOf(app), app, claims);
  const { latest } = installability;
  return {
    key: app.key,
    name: app.name,
    description: app.description,
    color: app.color,
    icon: app.icon?.toString('hex') ?? null,
    iconFragment: app.icon === null ? '' : app.iconFragment,
    ...installability,
    deprecated: latest === null ? null : retirementOf(latest, claims),
    links: { ...NOTHING_SAID, ...app.links },
    ...furtherFieldsView(app.fields),
    offered: installability.visible === true ? Number(app.offeredCount) : 0,
    versions: Number(app.versionCount),
    failingSince: isoTimeSince(app.failingSince, app.registrySince),
  };
}

/** The latest version is one that is offered to the organization. */
function asOffered(
  installability: Installability,
  { offeredVersions: offered, firstHold }: Pick<StoredAppState, 'offeredVersions' | 'firstHold'>,
  claims: Retirements,
): Installability {
  if (offered === null || installability.visible !== true) return installability;
  const latest = latestOffered(offered, claims);
  if (latest !== null) return { ...installability, latest };
  return hidden([firstHold === null ? serviceReason('attestation-required') : policyReason(firstHold)]);
}

function policyReason(first: StoredHold): HiddenReason {
  const { code, message } = serviceReason('policy-held');
  const offeredAt = first.offeredAt === null ? null : new Date(first.offeredAt);
  return { code, message: `${message} The first one: ${policyHold({ ...first, offeredAt }).message}` };
}
/** An app of a registry, as the service knows it. */
export interface StoredApp {
  registryId: number;
  key: string;
  position: number;
  name: string;
  description: string;
  color: string | null;
  icon: Buffer | null;
  iconFragment: string;
  listed: boolean;
  visible: boolean | null;
  because: string[];
  latest: string | null;
  failingSince: Date | null;
  remembered: Buffer | null;
  hidden: boolean;
}
