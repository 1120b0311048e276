import type { StoredApp } from '../database/tables.ts';
import { latestOffered, retirementOf, type Retirements } from '../../core/about/retirement.ts';
import type { RetiredVersion } from '../about/changes.ts';
import type { LinksView } from '../about/schema.ts';
import { policyHold, type StoredHold } from '../policies/policy.ts';
import {
  hidden,
  type HiddenReason,
  type Installability,
  installabilityOf,
  type InstallabilityState,
  serviceReason,
} from './reasons.ts';
import type { AppView } from './schema.ts';
import { isoTimeSince } from '../registries/subscription-state.ts';

/** The state of an app in the database, as far as a subscription sees it. */
export interface StoredAppState
  extends InstallabilityState, Pick<StoredApp, 'key' | 'name' | 'description' | 'color' | 'icon' | 'iconFragment'> {
  /** Of the subscription: earlier times are not shown. */
  registrySince: Date;
  /** The number of offered and of known versions; the database returns counts as strings. */
  offeredCount: string;
  versionCount: string;
  /** The offered versions if the organization requires attestations, or has a policy; null if it does not. */
  offeredVersions: readonly string[] | null;
  /** Of the versions that only the policy can hold back, the decision about the one that is offered first; null for none. */
  firstHold: StoredHold | null;
  /** What the author links to; null if there is no about file. */
  links: LinksView | null;
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
