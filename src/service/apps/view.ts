import type { StoredApp } from '../database/tables.ts';
import { latestOffered, retirementOf, type Retirements } from '../../core/about/retirement.ts';
import type { RetiredVersion } from '../about/changes.ts';
import type { LinksView } from '../about/schema.ts';
import { policyHold, type StoredHold } from '../policies/policy.ts';
import { hiddenReason, type HiddenReason, refusalReason, serviceReason } from './reasons.ts';
import type { AppView } from './schema.ts';
import { isoTimeSince } from '../registries/subscription-state.ts';

/** The state of an app in the database that determines whether it can be installed. */
export interface StoredAppState extends Pick<
  StoredApp,
  'key' | 'name' | 'description' | 'color' | 'icon' | 'iconFragment' | 'listed' | 'visible' | 'failingSince' | 'latest'
> {
  because: readonly string[];
  /** Of the subscription: earlier times are not shown. */
  registrySince: Date;
  /** The number of offered and of known versions; the database returns counts as strings. */
  offeredCount: string;
  versionCount: string;
  /** The offered versions if the organization requires attestations, or has a policy; null if it does not. */
  offeredVersions: readonly string[] | null;
  /** Of the versions that only the policy can hold back, the decision about the one that is offered first; null for none. */
  firstHold: StoredHold | null;
  /** The states of versions that are not withdrawn; null if one is offered. */
  states: readonly string[] | null;
  /** What the author links to; null if there is no about file. */
  links: LinksView | null;
  /** The versions that the author retired; null for none. */
  retired: readonly RetiredVersion[] | null;
  /** Why one of them is refused. */
  refusal: { code: string | null; message: string | null; version: string } | null;
}

/** The part of it that decides. */
type InstallabilityState = Pick<
  StoredAppState,
  'listed' | 'visible' | 'because' | 'failingSince' | 'latest' | 'states' | 'refusal'
>;

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
    links: app.links ?? NO_LINKS,
    offered: installability.visible === true ? Number(app.offeredCount) : 0,
    versions: Number(app.versionCount),
    failingSince: isoTimeSince(app.failingSince, app.registrySince),
  };
}

const NO_LINKS: LinksView = { homepage: null, source: null, licence: null, support: null };

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

type Installability = Pick<AppView, 'visible' | 'reasons' | 'latest'>;

/** The same decision as INSTALLABLE (database/sql-fragments.ts), with the reasons. */
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
