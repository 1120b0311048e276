import type { ArchiveFacts, ArtifactFacts, Content, ContentScan, Hop, Missing, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { codings, header } from '../../core/http/headers.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { notRequested } from '../../core/http/probe.ts';
import { createDecodedDigester, type DecodedDigester } from '../digest/decode.ts';
import { InspectionLost } from '../archive/digest-thread.ts';
import type { Inspected } from '../archive/digest-artifact.ts';
import { type Body, perAttempt } from '../http/body.ts';
import { REQUESTED_ONCE } from './cache/observation-cache.ts';
import type { ObserveContext } from './context.ts';
import { fetchStatus, noteCertificates, reasonMissing } from './fetch.ts';

/** Fetches an artifact: it is digested and listed while it is received, and never held in memory. */

export interface FetchedArtifact {
  probe: Probe;
  content: Content | Missing;
  archive: ArchiveFacts | Missing;
}

interface DigestOptions {
  /** Also digest with SHA-1 and MD5. */
  weak?: boolean;
  /** Also compute what only explains a mismatch: the digest inside the gzip layer, line ends. */
  inner?: boolean;
  /** False if its scan has ended the worker before. */
  scan?: boolean;
}

/** Fetches an artifact, and again if the host reports it missing. */
export function fetchArtifact(
  url: string,
  context: ObserveContext,
  options: DigestOptions = {},
): Promise<FetchedArtifact> {
  return context.state.missingFiles.confirm({
    kind: 'artifact',
    fetch: (fresh) => fetchOnce(url, fresh, context, options),
    fetchStatus: () => fetchStatus(url, '*/*', context, [['range', 'bytes=0-0']]),
  });
}

async function fetchOnce(
  url: string,
  fresh: boolean,
  context: ObserveContext,
  options: DigestOptions,
): Promise<FetchedArtifact> {
  const reader = perAttempt<Reading>((hop, earlier) => {
    context.onBody(hop);
    void earlier?.drop();
    return openReading(url, hop, context, options);
  });
  const probe = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    fresh,
    total: context.timeouts.artifact,
    body: reader.body,
  });
  noteCertificates(probe, context);
  const reason = reasonMissing(probe);
  if (reason !== null) {
    await reader.last()?.drop();
    return { probe, content: reason, archive: reason };
  }
  const reading = reader.last();
  if (reading === null) throw new Error('A response without a body cannot be inspected.');
  try {
    return { probe, ...(await reading.end()) };
  } catch (error) {
    if (!(error instanceof InspectionLost)) throw error;
    await reading.drop();
    // This artifact, or another one that was in the worker.
    if (options.scan !== false) return fetchOnce(url, true, context, { ...options, scan: false });
    return { probe, content: NOT_INSPECTED, archive: NOT_INSPECTED };
  }
}

/** An artifact that has ended its worker twice. */
const NOT_INSPECTED: Missing = { missing: { code: 'over-budget' } };

/** The content of an archive that was not scanned, since that would have taken too long. */
const SCAN_STOPPED: ContentScan = { secrets: [], secretCount: 0, buildPaths: [], stopped: 'time' };

/** The body of one attempt. */
interface Reading extends Body {
  end(): Promise<Inspected>;
  drop(): Promise<void>;
}

function openReading(url: string, hop: Hop, context: ObserveContext, options: DigestOptions): Reading {
  const { limits, digestWorkers, owner } = context;
  const { weak = false, inner = false } = options;
  const applied = codings(hop.headers);
  const length = header(hop.headers, 'content-length');
  const packedBytes = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  const scan = options.scan === false ? null : context.scan;
  const task = { limit: limits.artifact, weak, lines: inner, packedBytes, scan, owner };
  // The content without its Content-Encoding, if it has one.
  const decoded = applied.length > 0 ? createDecodedDigester(applied, limits.decoded) : null;
  // The content of the gzip layer.
  const unpacked = inner ? createDecodedDigester(['gzip'], limits.decoded) : null;
  const inspection = digestWorkers.open(task);
  const copy = context.copyArtifact(url);
  return {
    limit: limits.artifact,
    over: 'fail',
    write(chunk) {
      context.onBytes(chunk.length);
      const inspected = inspection.write(chunk);
      if (!decoded && !unpacked && !copy) return inspected;
      return Promise.all([inspected, decoded?.write(chunk), unpacked?.write(chunk), copy?.write(chunk)]).then(
        () => undefined,
      );
    },
    async end() {
      const { content, archive } = await inspection.end();
      await copy?.end(content);
      const ofDecoded = await endOf(decoded);
      const ofInner = await endOf(unpacked);
      return {
        content: {
          ...content,
          decoded: ofDecoded,
          ...(inner ? { inner: ofInner?.error === null ? ofInner.sha256 : null } : {}),
        },
        archive: scan === null && context.scan !== null ? { ...archive, scan: SCAN_STOPPED } : archive,
      };
    },
    async drop() {
      inspection.drop();
      await copy?.discard();
      await endOf(decoded);
      await endOf(unpacked);
    },
  };
}

async function endOf(digester: DecodedDigester | null): Promise<Content['decoded']> {
  return digester ? digester.end() : null;
}

/**
 * The facts of an entry's artifact, from what was fetched from its URL. If the digest is not the listed one, it is
 * fetched a second time, once: a cache may have returned an older copy.
 * @param fetchAgain the second fetch, which entries with the same URL share
 */
export async function artifactFacts(
  url: string,
  checksum: string,
  first: FetchedArtifact,
  fetchAgain: () => Promise<FetchedArtifact>,
): Promise<ArtifactFacts> {
  const web = notRequested(first.probe) ?? {
    server: first.probe,
    browser: [],
    preflight: REQUESTED_ONCE,
    head: REQUESTED_ONCE,
  };
  const facts: ArtifactFacts = { url, file: null, web, content: first.content, archive: first.archive };
  const digest = digestOf(checksum);
  if (
    isMissing(first.content) ||
    digest === null ||
    first.content.sha256 === digest ||
    first.content.decoded?.sha256 === digest
  )
    return facts;
  const second = await fetchAgain();
  facts.again = second.content;
  // The relevant archive is the listed one.
  if (!isMissing(second.content) && second.content.sha256 === digest) facts.archive = second.archive;
  return facts;
}
