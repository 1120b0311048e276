// Scenario: a registry answers in many orders.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import type { AppFacts, DocumentFacts, Snapshot } from '../../src/core/facts/facts.ts';
import { observe } from '../../src/observe/registry/observe.ts';
import type { WebOptions } from '../../src/observe/registry/options.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, type Behaviour, byMethod, CORS, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../support/live-registry.ts';

/** A registry has the same report for any order of its responses. */

const APPS = 12;
const NOW = '2026-11-22T12:00:00.000Z';
let host: FaultHost;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());

/** Answers after a time that differs from request to request; `seed` decides which ones are late. */
function delayedAtRandom(seed: number, behaviour: Behaviour): Behaviour {
  let state = seed;
  return async (request, socket) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    await new Promise((done) => setTimeout(done, state % 23));
    return behaviour(request, socket);
  };
}

/** Several apps that share faults: one icon as text, types that are wrong, no CORS headers, one artifact of other bytes. */
function serve(seed: number): string {
  const good = archive('export const version = 1;');
  const icon = answer({ headers: { 'Content-Type': 'text/plain', ...CORS }, body: SVG });
  host.on('/sprite.svg', delayedAtRandom(seed, byMethod({ GET: icon })));
  const apps = Array.from({ length: APPS }, (_, i) => {
    const url = `${host.origin}/${i}.tar.gz`;
    host.on(`/${i}.tar.gz`, delayedAtRandom(seed + i, gzipped(i % 4 === 0 ? archive('other') : good)));
    const versions = [{ version: '1.0.0', artifactUrl: url, artifactChecksum: checksum(good) }];
    const body = JSON.stringify({ versions: i % 5 === 0 ? [] : versions });
    const bare = byMethod({ GET: answer({ headers: { 'Content-Type': 'text/plain' }, body }) });
    host.on(`/${i}.json`, delayedAtRandom(seed * 7 + i, i % 3 === 0 ? bare : json(JSON.parse(body))));
    const entry = {
      name: `App ${i}`,
      description: 'Does something.',
      blockStyle: { iconUrl: `${host.origin}/sprite.svg#${i % 2}`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${i}.json`,
    };
    return [`app-${i}`, entry] as const;
  });
  return host.on('/registry.json', delayedAtRandom(seed, json({ apps: Object.fromEntries(apps) })));
}

async function look(url: string, options: WebOptions): Promise<Snapshot> {
  const apps: AppFacts[] = [];
  let manifest: DocumentFacts | null = null;
  for await (const part of observe(url, { ca: certificates().ca, backoff: () => 1, ...options })) {
    if (part.kind === 'manifest') manifest = part.facts;
    else if (part.kind === 'app') apps.push(part.facts);
  }
  return { snapshot: 1, target: url, seenAt: NOW, origins: [], manifest: manifest!, apps, orphans: [] };
}

/** The parts of a report that do not describe connections. */
function gist({ findings, apps, symptoms, notJudged, summary }: Report): unknown {
  const compared = findings.map(({ rule, severity, cause, app, version, resource, url, message, advice, evidence }) => {
    const { alsoHit = null, alsoApps = null } = evidence;
    return { rule, severity, cause, app, version, resource, url, message, advice, alsoHit, alsoApps };
  });
  return { findings: compared, apps, symptoms, notJudged, summary };
}

test.each([1, 3, 64])(
  'the report does not depend on the order of responses with at most %i connections',
  async (concurrency) => {
    const url = serve(1);
    const first = gist(judge(await look(url, { concurrency: 8 }), { command: 'verify' }));
    expect(first).toMatchObject({ summary: { apps: APPS } });
    for (const seed of [2, 3]) {
      serve(seed);
      expect(gist(judge(await look(url, { concurrency }), { command: 'verify' }))).toEqual(first);
    }
  },
);
