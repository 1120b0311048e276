import type {
  Missing,
  ServiceFacts,
  ServiceFailure,
  SubscribedApp,
  SubscribedRegistry,
  SubscribedVersion,
} from '../../core/facts/facts.ts';
import { isObject, type JsonObject, type JsonValue, member, stringOrNull } from '../../core/json/json.ts';
import { redact, shorten } from '../../core/text/text.ts';
import { parseUrl } from '../../core/http/url.ts';
import { openServiceClient, type ServiceClient, type ServiceRequestOptions } from './service-client.ts';

/** What a subscriber service knows about a registry, by its API (docs/service-api.md). */

export interface ServiceQuery extends ServiceRequestOptions {
  /** URL of the manifest. */
  url: string;
  /** The apps to ask about; null for all. */
  apps: readonly string[] | null;
}

/** Apps whose versions are requested, unless apps are named: those that something is wrong with come first. */
const APPS_WITH_VERSIONS = 200;
const PAGE = 500;
/** Pages of a list that are read. */
const PAGES = 200;

/** Asks the service. That it cannot answer is a fact, too. */
export async function observeService(query: ServiceQuery): Promise<ServiceFacts | Missing> {
  const client = openServiceClient(query);
  try {
    return await subscriptionFacts(client, query);
  } catch (error) {
    if (error instanceof SuspendedOrganization) return suspendedFacts(query.service, error.message);
    if (error instanceof ServiceNotJoined) return notJoined(query.service, error.failure, error.detail);
    throw error;
  } finally {
    await client.close();
  }
}

/** The service cannot answer. */
class ServiceNotJoined extends Error {
  readonly failure: ServiceFailure;
  readonly detail: string;

  constructor(failure: ServiceFailure, detail = '') {
    super(failure);
    this.failure = failure;
    this.detail = detail;
  }
}

class SuspendedOrganization extends Error {}

function notJoined(service: string, failure: ServiceFailure, detail: string): Missing {
  return {
    missing: { code: 'service-not-joined', service: redact(service), failure, detail: shorten(redact(detail)) },
  };
}

function suspendedFacts(service: string, suspended: string): ServiceFacts {
  return { service, suspended: shorten(suspended), registry: null, findings: [], overLimit: [], apps: null };
}

async function subscriptionFacts(client: ServiceClient, { service, url, apps }: ServiceQuery): Promise<ServiceFacts> {
  const registries = await listOf(client, 'api/registries', 'registries');
  const subscription = registries.find((one) => sameRegistry(textIn(one, 'url'), url));
  if (subscription === undefined) throw new ServiceNotJoined('not-subscribed');
  const registry = registryIn(subscription);
  if (registry.checkedAt === null && registry.failingSince === null) throw new ServiceNotJoined('never-checked');
  const path = `api/registries/${encodeURIComponent(registry.id)}`;
  const report = await get(client, `${path}/report`, true);
  const known = await appsOf(client, path, apps);
  return { service, suspended: null, registry, ...errorsIn(report), apps: known };
}

/** The same manifest: the service stores its URL in normalized form, and does not show secrets in it. */
function sameRegistry(subscribed: string | null, url: string): boolean {
  return subscribed !== null && normalized(subscribed) === normalized(url);
}

function normalized(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null) return url;
  parsed.hash = '';
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  return redact(parsed.href);
}

function registryIn(value: JsonValue): SubscribedRegistry {
  const id = textIn(value, 'id');
  const nextCheckAt = timeIn(value, 'nextCheckAt');
  if (id === null || nextCheckAt === null) throw new ServiceNotJoined('no-api');
  return {
    id,
    name: textIn(value, 'name') ?? '',
    state: textIn(value, 'state') ?? '',
    checkedAt: timeIn(value, 'checkedAt'),
    goodAt: timeIn(value, 'goodAt'),
    failingSince: timeIn(value, 'failingSince'),
    nextCheckAt,
  };
}

/** Of a report: the errors, and what was over a limit. */
function errorsIn(report: JsonValue | null): Pick<ServiceFacts, 'findings' | 'overLimit'> {
  const findings = arrayIn(report, 'findings')
    .filter((finding) => textIn(finding, 'severity') === 'error')
    .map((finding) => ({
      rule: textIn(finding, 'rule') ?? '',
      cause: textIn(finding, 'cause'),
      message: textIn(finding, 'message') ?? '',
      app: textIn(finding, 'app'),
      version: textIn(finding, 'version'),
      resource: textIn(finding, 'resource') ?? 'manifest',
    }));
  const overLimit = arrayIn(report, 'notJudged')
    .filter((entry) => textIn(entry, 'code') === 'over-budget')
    .map((entry) => ({
      app: textIn(entry, 'app'),
      version: textIn(entry, 'version'),
      reason: textIn(entry, 'reason') ?? '',
    }));
  return { findings, overLimit };
}

async function appsOf(client: ServiceClient, path: string, keys: readonly string[] | null): Promise<SubscribedApp[]> {
  const entries =
    keys === null
      ? await listOf(client, `${path}/apps`, 'apps')
      : (await Promise.all(keys.map((key) => get(client, `${path}/apps/${encodeURIComponent(key)}`, true)))).filter(
          (entry) => entry !== null,
        );
  const apps = entries.map(appIn);
  const suspicious = apps.filter(({ app, isComplete }) => !isComplete || app.visible !== true);
  const rest = apps.filter((entry) => !suspicious.includes(entry));
  const chosen = keys === null ? [...suspicious, ...rest].slice(0, APPS_WITH_VERSIONS) : apps;
  for (const { app } of chosen) {
    const versions = await listOf(client, `${path}/apps/${encodeURIComponent(app.key)}/versions`, 'versions');
    app.versions = versions.flatMap((entry) => versionIn(entry) ?? []);
  }
  return apps.map(({ app }) => app);
}

/** `isComplete`: whether all its known versions are offered. */
function appIn(entry: JsonValue): { app: SubscribedApp; isComplete: boolean } {
  const visible = member(entry, 'visible');
  const app: SubscribedApp = {
    key: textIn(entry, 'key') ?? '',
    visible: typeof visible === 'boolean' ? visible : null,
    reasons: arrayIn(entry, 'reasons').map((reason) => ({
      code: textIn(reason, 'code') ?? '',
      message: textIn(reason, 'message') ?? '',
    })),
    latest: textIn(entry, 'latest'),
    failingSince: timeIn(entry, 'failingSince'),
    versions: null,
  };
  return { app, isComplete: member(entry, 'offered') === member(entry, 'versions') };
}

function versionIn(entry: JsonValue): SubscribedVersion | null {
  const version = textIn(entry, 'version');
  const artifactChecksum = textIn(entry, 'artifactChecksum');
  const firstSeenAt = timeIn(entry, 'firstSeenAt');
  if (version === null || artifactChecksum === null || firstSeenAt === null) return null;
  const reason = member(entry, 'reason');
  return {
    version,
    artifactChecksum,
    firstSeenAt,
    ...(member(entry, 'verifiedAt') === undefined ? {} : { verifiedAt: timeIn(entry, 'verifiedAt') }),
    state: textIn(entry, 'state') ?? '',
    offered: member(entry, 'offered') === true,
    reason: isObject(reason) ? { rule: textIn(reason, 'rule') ?? '', message: textIn(reason, 'message') ?? '' } : null,
  };
}

/** All pages of a list. */
async function listOf(client: ServiceClient, path: string, field: string): Promise<JsonValue[]> {
  const all: JsonValue[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const query: string = after === null ? `?limit=${PAGE}` : `?limit=${PAGE}&after=${encodeURIComponent(after)}`;
    const body: JsonValue | null = await get(client, `${path}${query}`);
    const entries = member(body, field);
    if (!Array.isArray(entries)) throw new ServiceNotJoined('no-api');
    all.push(...entries);
    after = textIn(body, 'next');
    if (after === null) break;
  }
  return all;
}

/** The body of a response. @param isOptional whether it may be missing: null then */
async function get(client: ServiceClient, path: string, isOptional = false): Promise<JsonValue | null> {
  const { status, body, failure } = await client.get(path);
  if (failure !== null) throw new ServiceNotJoined('unreachable', failure);
  const detail = textIn(body, 'detail') ?? '';
  if (status === 401) throw new ServiceNotJoined('unauthorized', detail);
  if (status === 403) {
    if (textIn(body, 'type')?.endsWith(':organization-suspended') === true) throw new SuspendedOrganization(detail);
    throw new ServiceNotJoined('forbidden', detail);
  }
  if (status === 429 || status >= 500) throw new ServiceNotJoined('failed', detail || `status ${status}`);
  if (isOptional && status === 404 && isObject(body)) return null;
  if (status !== 200 || !isObject(body)) throw new ServiceNotJoined('no-api', `status ${status}`);
  return body;
}

function textIn(value: JsonValue | null, name: string): string | null {
  return stringOrNull(value === null ? undefined : member(value, name));
}

function timeIn(value: JsonValue, name: string): string | null {
  const text = textIn(value, name);
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function arrayIn(value: JsonValue | null, name: string): JsonObject[] {
  const list = value === null ? undefined : member(value, name);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
