import type { JudgedApp } from '../../core/engine/judged-app.ts';
import { hasAllFields } from '../../core/engine/visibility.ts';
import { type AppFacts, type DocumentFacts, type Failure, isMissing } from '../../core/facts/facts.ts';
import { areCredentialsRefused, statusOf } from '../../core/http/probe.ts';
import { member } from '../../core/json/json.ts';
import { isSafeKey } from '../../core/registry/app-key.ts';
import { manifestAppsIn } from '../../core/registry/manifest.ts';
import { listedVersionsIn } from '../../core/registry/metadata.ts';
import { keptApp } from '../../observe/registry/cache/keep.ts';
import type { ServiceReason } from '../apps/view.ts';
import { type AppChange, writeApp, writeListing } from './apps-store.ts';
import type { AppRecord } from '../apps/records-store.ts';
import { confirmSubscriptions } from '../registries/insert-store.ts';
import { applyChanges } from '../apps/versions-store.ts';
import { appEvents } from '../apps/app-events.ts';
import { certificateChange } from './check-events.ts';
import { listedAppsIn } from './manifest-apps.ts';
import { keepVerified, keptChecksums } from './keep-artifacts.ts';
import { redactNetworkOfApp, redactNetworkOfDocument } from './redact-network.ts';
import { FINDINGS_LIMIT, type Run } from './run.ts';
import { truncateFacts } from './truncate.ts';
import { updateVersions } from './version-lifecycle.ts';

/** Judges and writes the manifest, and each app, as they are observed. */

export async function judgeAndWriteManifest(run: Run, facts: DocumentFacts): Promise<void> {
  const { context, registry, judging, expiry, progress } = run;
  if (isLimitedHere(run)) return;
  const redacted = redactNetworkOfDocument(facts, (failure) => logUnreached(run, failure));
  if (!isMissing(facts.web) && areCredentialsRefused(facts.web.server)) progress.unauthorized = true;
  judging.manifest(redacted);
  expiry.manifest(redacted);
  progress.certificates = certificateChange(registry.certificates, facts);
  const apps = manifestAppsIn(facts.content);
  if (apps === null) return;
  progress.apps = apps;
  // Before what it changes is recorded, so that these subscriptions see it.
  await confirmSubscriptions(context.db, registry);
  // The rows were written from this manifest.
  if (run.storedManifest !== null && facts.viewsReusedFrom !== undefined) return;
  expiry.invalidate();
  const limit = context.settings.limits.apps;
  progress.recorded.add(await writeListing(context.db, registry, listedAppsIn(apps, limit), limit, context.now()));
}

const NONE_KEPT: ReadonlySet<string> = new Set();

export async function judgeAndWriteApp(run: Run, facts: AppFacts): Promise<void> {
  const { context, registry, records, baseline, judging, expiry, progress } = run;
  const { key } = facts;
  if (isLimitedHere(run)) return;
  const record = await records.read(key);
  const kept = record === null ? NONE_KEPT : await keptChecksums(run, facts, record);
  baseline.load(key, record, kept);
  if ([facts.metadata, ...facts.artifacts].some(isUnauthorized)) progress.unauthorized = true;
  const redacted = redactNetworkOfApp(facts, (failure) => logUnreached(run, failure));
  const { documents, errors } = judging.app(redacted);
  expiry.app(redacted);
  progress.done += 1;
  records.release(key);
  // The database cannot store the key: there is only the finding.
  if (record === null) return;
  const change = changeOf(run, facts, record, { documents, errors, kept });
  if (await writeApp(context.db, registry, record, change)) expiry.invalidate();
  await keepVerified(run, facts, applyChanges(record.versions, change.versions));
  progress.recorded.add(change.events);
  if (progress.findings > FINDINGS_LIMIT) run.budget.stop();
}

/** True if this node could not send a request: facts without it say nothing about the registry, and are not written. */
function isLimitedHere({ http, budget }: Run): boolean {
  if (http.machineLimit() === null) return false;
  budget.stop();
  return true;
}

function changeOf(
  { context, now, icons, progress, artifacts: { answers } }: Run,
  facts: AppFacts,
  record: AppRecord,
  { documents, errors, kept }: Pick<JudgedApp, 'documents' | 'errors'> & { kept: ReadonlySet<string> },
): AppChange {
  const { key, artifacts } = facts;
  const listed = listedVersionsIn(facts.metadata.content);
  const limit = context.settings.limits.versionsPerApp;
  const observation = { known: record.versions, artifacts, errors, now, limit, answers, kept };
  const versions = listed && updateVersions({ ...observation, listed });
  progress.versionsBeyond += versions?.beyond ?? 0;
  // Whether its manifest entry is valid, so that only its metadata file prevents its use.
  const entry = member(progress.apps ?? undefined, key) ?? null;
  const isUsable = isSafeKey(key) && hasAllFields(entry);
  const missing = listed?.length === 0 ? missingVersions(record) : null;
  const remembered = keptApp(facts, record.remembered, now.toISOString(), () => true);
  const observed = {
    visible: documents.visible,
    because: documents.because.map((rule) => reasonCode(rule, { missing, isWhole: hasAllFields(entry) })),
    failingSince: listed || !isUsable ? null : (record.failingSince ?? now),
    versions,
  };
  return {
    ...observed,
    ...appEvents(record, observed),
    at: context.now(),
    icon: icons.iconOf(facts.icon),
    remembered: remembered && truncateFacts(remembered),
  };
}

/** Some hosts respond with 403 for a single missing file; 401 is about the credentials. */
function isUnauthorized({ web }: Pick<DocumentFacts, 'web'>): boolean {
  return !isMissing(web) && areCredentialsRefused(web.server) && statusOf(web.server) === 401;
}

/** A more exact reason than the rule, where the service knows one. */
function reasonCode(rule: string, app: { missing: ServiceReason | null; isWhole: boolean }): string {
  if (rule === 'no-valid-versions' && app.missing !== null) return app.missing;
  if (rule !== 'schema-violation') return rule;
  return (app.isWhole ? 'metadata-invalid' : 'entry-invalid') satisfies ServiceReason;
}

/** Why an empty list of versions hides the app. */
function missingVersions({ versions }: AppRecord): ServiceReason {
  return versions.length === 0 ? 'version-unpublished' : 'version-withdrawn';
}

function logUnreached({ context, registry }: Run, { code, url, message }: Failure): void {
  context.log('debug', 'host-unreachable', { registry: registry.id, url, code, message });
}
