import type { Missing, ReportAnswer, ServiceFacts, ServiceFailure, SubscribedApp } from '../../core/facts/facts.ts';
import {
  isAppAnswer,
  isAppsAnswer,
  isRegistriesAnswer,
  isReportAnswer,
  isVersionsAnswer,
} from '../../core/generated/service.js';
import { isObject, type JsonObject, member, stringOrNull } from '../../core/json/json.ts';
import { redact, shorten } from '../../core/text/text.ts';
import { parseUrl } from '../../core/url/url.ts';
import { openServiceClient, type ServiceClient, type ServiceRequestOptions } from './service-client.ts';

/** Reads the state of a registry in a subscriber service, by its API (docs/operators/service-api.md). */

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
  const registries = await listOf(client, 'api/registries', isRegistriesAnswer, (page) => page.registries);
  const subscription = registries.find((one) => normalized(one.url) === normalized(url));
  if (subscription === undefined) throw new ServiceNotJoined('not-subscribed');
  const { url: _, ...registry } = subscription;
  if (registry.checkedAt === null && registry.failingSince === null) throw new ServiceNotJoined('never-checked');
  const path = `api/registries/${encodeURIComponent(registry.id)}`;
  const report = await getOptional(client, `${path}/report`, isReportAnswer);
  const known = await appsOf(client, path, apps);
  return { service, suspended: null, registry, ...errorsIn(report), apps: known };
}

/** The service stores the URL of a manifest in normalized form, and does not show secrets in it. */
function normalized(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null) return url;
  parsed.hash = '';
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  return redact(parsed.href);
}

/** Of a report: the errors, and what was over a limit. */
function errorsIn(report: ReportAnswer | null): Pick<ServiceFacts, 'findings' | 'overLimit'> {
  const { findings, notJudged } = report ?? { findings: [], notJudged: [] };
  return {
    findings: findings.flatMap(({ severity, ...finding }) => (severity === 'error' ? [finding] : [])),
    overLimit: notJudged.flatMap(({ code, ...entry }) => (code === 'over-budget' ? [entry] : [])),
  };
}

async function appsOf(client: ServiceClient, path: string, keys: readonly string[] | null): Promise<SubscribedApp[]> {
  const pathOf = (key: string): string => `${path}/apps/${encodeURIComponent(key)}`;
  const entries =
    keys === null
      ? await listOf(client, `${path}/apps`, isAppsAnswer, (page) => page.apps)
      : await Promise.all(keys.map((key) => getOptional(client, pathOf(key), isAppAnswer)));
  const apps = entries.flatMap((entry): { app: SubscribedApp; isSound: boolean }[] => {
    if (entry === null) return [];
    const { offered, versions, ...app } = entry;
    return [{ app: { ...app, versions: null }, isSound: offered === versions && app.visible === true }];
  });
  const suspiciousFirst = [...apps.filter(({ isSound }) => !isSound), ...apps.filter(({ isSound }) => isSound)];
  const chosen = keys === null ? suspiciousFirst.slice(0, APPS_WITH_VERSIONS) : apps;
  for (const { app } of chosen)
    app.versions = await optionalListOf(
      client,
      `${pathOf(app.key)}/versions`,
      isVersionsAnswer,
      (page) => page.versions,
    );
  return apps.map(({ app }) => app);
}

/** All pages of a list that every service has. */
async function listOf<Page extends { next: string | null }, Entry>(
  ...list: Parameters<typeof optionalListOf<Page, Entry>>
): Promise<Entry[]> {
  const all = await optionalListOf(...list);
  if (all === null) throw new ServiceNotJoined('no-api', 'status 404');
  return all;
}

/**
 * All pages of a list; null if it does not exist: a check has just removed the app, or its key is one that no URL can have,
 * such as “..”.
 */
async function optionalListOf<Page extends { next: string | null }, Entry>(
  client: ServiceClient,
  path: string,
  isPage: (body: unknown) => body is Page,
  entriesOf: (page: Page) => readonly Entry[],
): Promise<Entry[] | null> {
  const all: Entry[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const query: string = after === null ? `?limit=${PAGE}` : `?limit=${PAGE}&after=${encodeURIComponent(after)}`;
    const body: unknown = await get(client, `${path}${query}`, true);
    if (body === null) return null;
    if (!isPage(body)) throw new ServiceNotJoined('no-api');
    all.push(...entriesOf(body));
    after = body.next;
    if (after === null) break;
  }
  return all;
}

/** A resource; null if it does not exist. */
async function getOptional<Resource>(
  client: ServiceClient,
  path: string,
  isResource: (body: unknown) => body is Resource,
): Promise<Resource | null> {
  const body = await get(client, path, true);
  if (body !== null && !isResource(body)) throw new ServiceNotJoined('no-api');
  return body;
}

/** The body of a response. @param isOptional whether it may be missing: null then */
async function get(client: ServiceClient, path: string, isOptional = false): Promise<JsonObject | null> {
  const { status, body: json, failure } = await client.get(path);
  if (failure !== null) throw new ServiceNotJoined('unreachable', failure);
  const body = json !== null && isObject(json) ? json : undefined;
  const detail = stringOrNull(member(body, 'detail')) ?? '';
  if (status === 401) throw new ServiceNotJoined('unauthorized', detail);
  if (status === 403) {
    if (stringOrNull(member(body, 'type'))?.endsWith(':organization-suspended') === true)
      throw new SuspendedOrganization(detail);
    throw new ServiceNotJoined('forbidden', detail);
  }
  if (status === 429 || status >= 500) throw new ServiceNotJoined('failed', detail || `status ${status}`);
  if (isOptional && status === 404 && body !== undefined) return null;
  if (status !== 200 || body === undefined) throw new ServiceNotJoined('no-api', `status ${status}`);
  return body;
}
