import { startJudging } from '../../src/core/engine/judge.ts';
import type { AppFacts, DocumentFacts } from '../../src/core/facts/facts.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { observe } from '../../src/observe/registry/observe.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, type Behaviour, byMethod, type FaultHost, json, openFaultHost, raw } from '../support/fault-host.ts';
import { SVG } from '../support/icons.ts';
import { openService, PAGE, type Service } from './chromium.ts';

/** Situations: the responses of a host to requests for a file, including redirects to it. */

export type Lines = readonly (readonly [name: string, value: string])[];

/** Where a hop lives. `page` is the host of the service's own page; `near` is at its site; `port` is `registry` at another port. */
export type Where = 'registry' | 'port' | 'cdn' | 'near' | 'page' | 'http';

export interface Hop {
  at: Where;
  /** Access-Control-Allow-Origin, one value per line; `echo` repeats Origin, and is omitted without it. */
  allow: readonly string[] | 'echo';
  /** The status of the response; 302 by default for a redirect. */
  status?: number;
  headers?: Lines;
  /** The response to OPTIONS, if it is invalid. */
  preflight?: { status?: number; headers: Lines };
}

export interface Situation {
  name: string;
  /** The last one is the file. */
  hops: readonly Hop[];
  /** The icon's bytes and its Content-Type, one value per line. */
  icon?: string | Uint8Array;
  /** What follows the URL of the icon, from "#". */
  fragment?: string;
  type?: readonly string[];
  /** The response for the icon, byte by byte, in place of the last hop's; the connection ends with it. */
  raw?: Buffer;
}

export type File = 'metadata' | 'icon';

/** The findings of appreg about the two files of a situation, with the URLs for the page. */
export interface Seen {
  page: string;
  situation: Situation;
  urls: Record<File, string>;
  /** Judged as `verify --origin` does, and as `verify --origin --header 'Authorization: …'` does if preflights differ. */
  report: Report;
  authorized: Report | null;
}

export interface Stage {
  service: Service;
  origins: Record<Where, string>;
  /** The page's origin without a port, and the one at which redirects can lead back to it. */
  pages: { usual: string; ported: string };
  /** Serves situations at a registry and has it verified for a page at this origin. */
  look(situations: readonly Situation[], page: string, files?: readonly File[]): Promise<Seen[]>;
  close(): Promise<void>;
}

const ALLOW = 'Access-Control-Allow-Origin';
const ALLOW_ALL: Lines = [
  [ALLOW, '*'],
  ['Access-Control-Allow-Headers', '*, Authorization'],
];

export async function openStage(): Promise<Stage> {
  const tls = certificates().get('names');
  const [main, other, plain] = [await openFaultHost({ tls }), await openFaultHost({ tls }), await openFaultHost()];
  main.on('/', answer({ headers: { 'Content-Type': 'text/html' }, body: PAGE }));
  const service = await openService([`MAP svc.test:443 127.0.0.1:${main.port}`, 'MAP *.test 127.0.0.1']);
  const origins: Stage['origins'] = {
    registry: `https://registry.test:${main.port}`,
    port: `https://registry.test:${other.port}`,
    cdn: `https://cdn.test:${main.port}`,
    near: `https://apps.svc.test:${main.port}`,
    page: `https://svc.test:${main.port}`,
    http: `http://cdn.test:${plain.port}`,
  };
  const hosts: Record<Where, FaultHost> = {
    registry: main,
    port: other,
    cdn: main,
    near: main,
    page: main,
    http: plain,
  };
  let count = 0;

  /** Serves a situation, and returns the URL of its first hop. */
  function put(situation: Situation, folder: string, resource: File): string {
    const suffix = resource === 'icon' ? 'svg' : 'json';
    const path = (i: number): string => `${folder}/${resource}/${i}.${suffix}`;
    for (const [i, hop] of situation.hops.entries()) {
      const next = situation.hops[i + 1];
      const status = hop.status ?? (next ? 302 : 200);
      const type = resource === 'icon' ? (situation.type ?? ['image/svg+xml']) : ['application/json'];
      const headers: Lines = [
        ...(hop.headers ?? []),
        ['Cache-Control', 'no-store'],
        ...(next
          ? [['Location', origins[next.at] + path(i + 1)] as const]
          : type.map((t) => ['Content-Type', t] as const)),
      ];
      const body = resource === 'icon' ? (situation.icon ?? SVG) : '{"versions": []}';
      const { preflight } = hop;
      hosts[hop.at].on(
        path(i),
        byMethod({
          GET:
            resource === 'icon' && situation.raw !== undefined && next === undefined
              ? raw(situation.raw)
              : allowing(hop.allow, (allow) =>
                  answer({ status, headers: [...allow, ...headers], body: next ? '' : body }),
                ),
          OPTIONS: answer({ status: preflight?.status ?? 204, headers: preflight?.headers ?? ALLOW_ALL }),
        }),
      );
    }
    const fragment = resource === 'icon' ? (situation.fragment ?? '') : '';
    return origins[situation.hops[0]!.at] + path(0) + fragment;
  }

  async function look(
    situations: readonly Situation[],
    page: string,
    files: readonly File[] = ['metadata', 'icon'],
  ): Promise<Seen[]> {
    const batch = `/b${++count}`;
    const good: Situation = { name: 'good', hops: [{ at: 'registry', allow: ['*'] }] };
    const urls = situations.map((situation, i): Seen['urls'] => ({
      metadata: files.includes('metadata') ? put(situation, `${batch}/${i}`, 'metadata') : put(good, batch, 'metadata'),
      icon: files.includes('icon') ? put(situation, `${batch}/${i}`, 'icon') : put(good, batch, 'icon'),
    }));
    const apps = urls.map(({ metadata, icon }, i) => [
      `a${i}`,
      { name: 'A', description: 'An app.', blockStyle: { iconUrl: icon, color: '#336699' }, appMetadataUrl: metadata },
    ]);
    const manifest = json({ apps: Object.fromEntries(apps) });
    const preflight = answer({ status: 204, headers: ALLOW_ALL });
    main.on(`${batch}/registry.json`, byMethod({ GET: manifest, OPTIONS: preflight }));
    const registry = `${origins.registry}${batch}/registry.json`;
    const reports = await reportOf(registry, page, null, null);
    // The header is for the registry's own origin; for other origins, appreg does not request it.
    const starts: Where[] = ['registry', 'page'];
    const special = situations.map(({ hops }, i) =>
      starts.includes(hops[0]!.at) && hops.some((hop) => hop.preflight) ? `a${i}` : null,
    );
    const keys = special.filter((key) => key !== null);
    const authorized = keys.length > 0 ? await reportOf(registry, page, origins.registry, keys) : [];
    return situations.map((situation, i) => ({
      page,
      situation,
      urls: urls[i]!,
      report: reports[i]!,
      authorized: special[i] ? authorized[keys.indexOf(special[i])]! : null,
    }));
  }

  return {
    service,
    origins,
    pages: { usual: 'https://svc.test', ported: origins.page },
    look,
    async close() {
      await service.close();
      await Promise.all([main.close(), other.close(), plain.close()]);
    },
  };
}

/** @param authorized the origin that gets an Authorization header, or null; @param apps only these, or null for all */
async function reportOf(
  url: string,
  page: string,
  authorized: string | null,
  apps: readonly string[] | null,
): Promise<Report[]> {
  const seen: { manifest: DocumentFacts | null; apps: AppFacts[] } = { manifest: null, apps: [] };
  const parts = observe(url, {
    ca: certificates().ca,
    lookup: (_, options, found) =>
      options.all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    retries: 0,
    apps,
    origins: [page],
    secrets: authorized === null ? null : { origin: authorized, headers: [['authorization', 'Bearer none']] },
  });
  for await (const part of parts) {
    if (part.kind === 'manifest') seen.manifest = part.facts;
    else if (part.kind === 'app') seen.apps.push(part.facts);
  }
  // Each by itself, since a fault of a host is reported once per run.
  return seen.apps.map((app) => {
    const judging = startJudging({ command: 'verify', target: url, now: new Date().toISOString(), origins: [page] });
    judging.manifest(seen.manifest!);
    judging.app(app);
    return judging.finish(0);
  });
}

function allowing(allow: Hop['allow'], respond: (lines: Lines) => Behaviour): Behaviour {
  if (allow !== 'echo') return respond(allow.map((value) => [ALLOW, value]));
  return (request, socket) => {
    const { origin } = request.headers;
    return respond(origin === undefined ? [] : [[ALLOW, origin]])(request, socket);
  };
}
