import type {
  ServedApp,
  ServedVersion,
  ServiceFacts,
  SubscribedApp,
  SubscribedRegistry,
} from '../../src/core/facts/facts.ts';
import { NOW } from './core-facts.ts';

/** Facts about a subscription from the lines of an example: `service: …`, `found …`, `knows …`, `serves …`. */

export function subscriptionFacts(text: string): Record<string, unknown> {
  const service: ServiceFacts = { ...SERVICE, findings: [], apps: null };
  const served: ServedApp['versions'] = [];
  const known: NonNullable<SubscribedApp['versions']> = [];
  for (const line of text.split('\n')) {
    const [, kind = '', rest = ''] = /^(service|found|knows|serves):? (.*)$/.exec(line) ?? [];
    const [, version = '', checksum = 'sha256:0', refusedBy = null] = rest.split(' ');
    if (kind === 'service') Object.assign(service, statedIn(rest));
    else if (kind === 'found') service.findings.push(foundIn(rest));
    else if (kind === 'serves')
      served.push({ version, checksum, isVerified: refusedBy === null, refusedBy, isGone: false });
    else if (kind === 'knows')
      known.push({
        version,
        artifactChecksum: checksum,
        firstSeenAt: '2026-11-01T08:00:00.000Z',
        state: 'verified',
        offered: true,
        reason: null,
      });
    else throw new Error(`Unknown line in an example: ${line}`);
  }
  const isAboutApp = served.length > 0;
  return {
    service,
    registry: service.registry,
    isManifestUsable: true,
    served: isAboutApp ? servedApp(served) : null,
    known: isAboutApp ? knownApp(known) : null,
    dropped: [],
    explained: new Set(),
    now: NOW,
  };
}

export const REGISTRY: SubscribedRegistry = {
  id: '5f9d1b1e-0000-4000-8000-000000000000',
  name: 'Apps',
  state: 'good',
  checkedAt: '2026-11-14T11:00:00.000Z',
  goodAt: '2026-11-14T11:00:00.000Z',
  failingSince: null,
  nextCheckAt: '2026-11-14T12:00:00.000Z',
};

export const SERVICE: ServiceFacts = {
  service: 'https://flows.example.com/',
  suspended: null,
  registry: REGISTRY,
  findings: [],
  overLimit: [],
  apps: null,
};

/** A version as it is served now; it has no error unless that is given. */
type Served = Omit<ServedVersion, 'refusedBy' | 'isGone'> & Partial<ServedVersion>;

export function servedApp(versions: Served[], more: Partial<ServedApp> = {}): ServedApp {
  const all = versions.map((one) => ({ refusedBy: null, isGone: false, ...one }));
  return {
    key: 'clock',
    url: null,
    isUsable: true,
    modifiedAt: null,
    hiddenBy: [],
    visible: true,
    versions: all,
    ...more,
  };
}

export function knownApp(versions: SubscribedApp['versions'], more: Partial<SubscribedApp> = {}): SubscribedApp {
  return { key: 'clock', visible: true, reasons: [], latest: '1.0.0', failingSince: null, versions, ...more };
}

function statedIn(text: string): Partial<ServiceFacts> {
  const [, suspended] = /^suspended: (.*)$/.exec(text) ?? [];
  if (suspended !== undefined) return { suspended, registry: null };
  const time = (name: string): string | null => new RegExp(`${name} (\\S+Z)`).exec(text)?.[1] ?? null;
  const failingSince = time('failing since');
  return {
    registry: {
      ...REGISTRY,
      state: failingSince === null ? 'good' : 'failing',
      checkedAt: time('checked'),
      nextCheckAt: time('checks again') ?? '',
      failingSince,
    },
  };
}

function foundIn(text: string): ServiceFacts['findings'][number] {
  const [, rule = '', message = ''] = /^(\S+): (.*)$/.exec(text) ?? [];
  return { rule, cause: null, message, app: null, version: null, resource: 'manifest' };
}
