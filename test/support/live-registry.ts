import { createHash } from 'node:crypto';
import type { AttestationRequirement } from '../../src/core/facts/attestation.ts';
import { startJudging } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import type { AppFacts, DocumentFacts, Baseline } from '../../src/core/facts/facts.ts';
import { observe } from '../../src/observe/registry/observe.ts';
import { SecureContexts } from '../../src/observe/http/tls.ts';
import type { WebOptions } from '../../src/observe/registry/options.ts';
import type { Figures, Part } from '../../src/observe/registry/part.ts';
import { certificates } from './fault-certificates.ts';
import { answer, type Behaviour, byMethod, CORS, type FaultHost, json } from './fault-host.ts';
import { entry, tgz } from './tar-builder.ts';

/** A registry without a fault on a fault host, to be broken in one place at a time. */

export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
export const ORIGIN = 'https://svc.test';

/** Shared by all runs, which trust the same authority. */
const contexts = new SecureContexts();

export function archive(text: string): Buffer {
  return tgz(entry('app.js', text));
}

export function checksum(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export interface Live {
  url: string;
  artifact: Buffer;
  older: Buffer;
  /** The versions in the metadata file; change them and call `list`. */
  versions: { version: string; artifactUrl: string; artifactChecksum: string }[];
  list(): void;
  /** Replaces what a path does. */
  serve(path: 'registry.json' | 'a.json' | 'a.svg' | '2.tar.gz' | '1.tar.gz', behaviour: Behaviour): void;
}

export function putRegistry(host: FaultHost): Live {
  const older = archive('export const version = 1;');
  const artifact = archive('export const version = 2;');
  const app = {
    name: 'App A',
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
    appMetadataUrl: `${host.origin}/a.json`,
  };
  host.on('/registry.json', json({ apps: { 'app-a': app } }));
  host.on('/a.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  host.on('/1.tar.gz', gzipped(older));
  host.on('/2.tar.gz', gzipped(artifact));
  const live: Live = {
    url: `${host.origin}/registry.json`,
    artifact,
    older,
    versions: [
      { version: '2.0.0', artifactUrl: `${host.origin}/2.tar.gz`, artifactChecksum: checksum(artifact) },
      { version: '1.0.0', artifactUrl: `${host.origin}/1.tar.gz`, artifactChecksum: checksum(older) },
    ],
    list: () => void host.on('/a.json', json({ versions: live.versions })),
    serve: (path, behaviour) => void host.on(`/${path}`, behaviour),
  };
  live.list();
  return live;
}

export function gzipped(bytes: string | Uint8Array, headers: Record<string, string> = {}): Behaviour {
  return byMethod({
    GET: answer({ headers: { 'Content-Type': 'application/gzip', ...CORS, ...headers }, body: bytes }),
  });
}

export interface Verified {
  report: Report;
  interrupted: boolean;
  /** The keys of the apps that were observed. */
  order: readonly string[];
  figures: Readonly<Figures>;
  manifest: DocumentFacts;
  apps: AppFacts[];
}

export interface VerifiedOptions extends WebOptions {
  /** Versions that had been published before. */
  before?: Baseline;
  /** The requirement on attestations; `attestations` verifies them. */
  requirement?: AttestationRequirement;
  /** Called with each part. */
  onPart?(part: Part): void;
}

/** Looks at a registry and judges it, as `appreg verify` does. */
export async function verified(
  url: string,
  { before, requirement, onPart, ...options }: VerifiedOptions = {},
): Promise<Verified> {
  const origins = options.origins ?? [];
  const now = new Date().toISOString();
  const judging = startJudging({
    command: 'verify',
    target: url,
    now,
    origins,
    baseline: before ?? null,
    attestations: requirement ?? null,
  });
  const apps: AppFacts[] = [];
  let manifest: DocumentFacts | null = null;
  let order: readonly string[] = [];
  let interrupted = true;
  const parts = observe(url, {
    ca: certificates().ca,
    contexts,
    backoff: () => 1,
    headersTimeout: 1500,
    idleTimeout: 1500,
    connectTimeout: 4000,
    ...options,
    origins,
  });
  for await (const part of parts) {
    judging.add(part);
    onPart?.(part);
    if (part.kind === 'manifest') ({ facts: manifest, order } = part);
    else if (part.kind === 'app') apps.push(part.facts);
    else if (part.kind === 'end') ({ interrupted } = part);
  }
  return { report: judging.finish(0), interrupted, order, figures: parts.figures, manifest: manifest!, apps };
}

/** Errors and warnings in short: `rule cause resource`, without those that the test host itself gives rise to. */
export function faults(report: Report): string[] {
  return report.findings
    .filter(
      (f) =>
        f.severity !== 'note' && !(f.rule === 'tls-untrusted' && f.cause === 'private-ca') && f.rule !== 'tls-expiring',
    )
    .map(
      (f) =>
        `${f.severity} ${f.rule}${f.cause === null ? '' : ` ${f.cause}`} (${f.resource}${f.version === null ? '' : ` ${f.version}`})`,
    );
}
