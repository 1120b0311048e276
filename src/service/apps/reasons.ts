import { ruleById, ruleTitle } from '../../core/rules/lookup.ts';
import type { AppView } from './schema.ts';

/** Why an app or a version cannot be installed: a code for programs, a message for people. */
export interface HiddenReason {
  code: string;
  message: string;
}

/** What only the service knows. The rules declare their own reasons (`hiddenReason`). */
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
export function serviceReason(code: ServiceReason): HiddenReason {
  return { code, message: SERVICE_REASONS[code] };
}

/** Why a version is refused: what its rule finds. The reasons above are about the metadata file of an app. */
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
  /** Why one of them is refused. */
  refusal: { code: string | null; message: string | null; version: string } | null;
}

export type Installability = Pick<AppView, 'visible' | 'reasons' | 'latest'>;

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

export function hidden(reasons: HiddenReason[], visible: false | null = false): Installability {
  return { visible, reasons, latest: null };
}

function refusedVersionReason({ refusal }: InstallabilityState): HiddenReason[] {
  if (refusal === null || refusal.code === null) return [];
  const { code, version } = refusal;
  // Other versions may be refused for other reasons.
  return [{ code, message: `Version ${version}: ${refusal.message ?? refusalReason(code).message}` }];
}
