import { type Finding, redact, ruleById } from 'appreg';
import { type Service } from '../context.ts';
import { type Db } from '../db/database.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { StoreUnavailable, type KeptArtifact, Damaged, type ArtifactKeeper } from '../artifacts/keeper.ts';
import { Refusal, NotFound } from '../http/problems.ts';
import { pathParameter } from '../http/query.ts';
import { artifactVersionOf, isUnread, type ArtifactVersion } from '../db/artifacts.ts';
import { reportOf } from '../db/registries.ts';
import { isExpected, isNotModified } from '../http/conditions.ts';
import { requestArtifact } from '../db/unkept-artifacts.ts';
import * as openapi from '../http/operations.ts';

/** The verified bytes of versions. */
export function artifactRoutes(service: Service): Route[] {
  return [
    organizationRoute('GET', '/api/registries/{id}/apps/{key}/versions/{version}/artifact', 'read', (c, { id }) =>
      getArtifact(c, service, id).catch(storeRefusal),
    ),
  ];
}

/** While the store cannot be used, nothing is known to be lost. */
function storeRefusal(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  const detail = 'The store of artifacts of this service cannot be used at the moment. Try again later.';
  throw new Refusal('unavailable', detail, {}, { 'retry-after': '30' });
}

/** The version that is requested, for an organization. */
interface Requested {
  organizationId: string;
  subscriptionId: string;
  key: string;
  version: string;
}

/** @throws Refusal if the version is not offered to the organization, or its bytes cannot be sent now */
async function getArtifact(c: WebContext, service: Service, organizationId: string): Promise<Response> {
  const [subscriptionId, key, number] = [pathParameter(c, 'id'), pathParameter(c, 'key'), pathParameter(c, 'version')];
  const requested = { organizationId, subscriptionId, key, version: number };
  const version = await offeredVersion(service.db, requested);
  const keeper = service.artifacts;
  if (keeper === null) throw keepsNone();

  const sha256 = version.artifactChecksum.replace('sha256:', '');
  const tag = `"${sha256}"`;
  if (!isExpected(c, tag))
    throw new Refusal('precondition-failed', `The ETag of the artifact is ${tag}, which If-Match does not name.`);
  if (isNotModified(c, tag)) return c.body(null, 304, { ...CACHED, etag: tag });

  const kept = await keeper.open(version.registryId, sha256);
  if (kept === null) throw await notKept(service.db, keeper, requested, version);
  const isHead = c.req.raw.method === 'HEAD';
  const ranges = { range: c.req.header('range'), ifRange: c.req.header('if-range') };
  // A Range header is only defined for GET (RFC 9110 section 14.2).
  const range = isHead ? null : rangeOf(ranges, tag, kept.length);
  if (range === 'unsatisfiable') {
    await kept.close();
    const headers = { 'content-range': `bytes */${kept.length}` };
    throw new Refusal('range-not-satisfiable', `The artifact has ${kept.length} bytes.`, {}, headers);
  }
  const headers = headersOf(version, { sha256, tag, length: kept.length, range });
  // A bucket says only with its bytes that a file is gone.
  if (isHead && !version.lost) {
    await kept.close();
    return c.body(null, 200, headers);
  }

  const body = await firstVerified(kept, range ?? { from: 0, to: kept.length });
  if (body === null) throw await notKept(service.db, keeper, requested, version);
  if (!isHead) return c.body(body, range === null ? 200 : 206, headers);
  await body.cancel();
  return c.body(null, 200, headers);
}

/** The version, if it is listed, verified and permitted. @throws Refusal, NotFound */
async function offeredVersion(db: Db, requested: Requested): Promise<ArtifactVersion> {
  const { organizationId } = requested;
  const version = await artifactVersionOf(db, organizationId, requested);
  if (version === null) throw (await isUnread(db, organizationId, requested)) ? notReadYet() : new NotFound('version');
  if (isGone(version)) throw await gone(db, requested, version);
  if (version.state === 'pending') throw pending('The artifact has not been verified yet. Try again later.');
  if (!version.offered) throw held(version);
  return version;
}

/** The reason why the bytes are not sent. If the host has lost them as well, the version is refused from now on. */
async function notKept(
  db: Db,
  keeper: ArtifactKeeper,
  requested: Requested,
  version: ArtifactVersion,
): Promise<Refusal> {
  if (version.lost) {
    await keeper.refuseLost();
    const now = await artifactVersionOf(db, requested.organizationId, requested);
    if (now !== null && isGone(now)) return gone(db, requested, now);
  }
  return fetchedSoon(db, keeper, version);
}

function keepsNone(): Refusal {
  return new Refusal(
    'artifacts-not-kept',
    'This service keeps no artifacts: its operator has not set --artifacts. Fetch it from artifactUrl, and compare its SHA-256 with artifactChecksum.',
  );
}

/** The version is verified, and not offered to the organization. */
function held({ attested }: ArtifactVersion): Refusal {
  return new Refusal(
    'artifact-held',
    attested
      ? 'The policy of the organization holds the version back. The list of its versions has the line of the policy, and when the version will be offered.'
      : 'The organization requires attestations of this registry, and the version has no valid one, or it is not known yet. The list of its versions has the reason.',
  );
}

/** Listed versions are unknown until the metadata file of the app was read. */
function notReadYet(): Refusal {
  return pending('The versions of the app have not been read yet. Try again later.');
}

function pending(detail: string): Refusal {
  return new Refusal('artifact-pending', detail, {}, { 'retry-after': '60' });
}

const CACHED = { 'cache-control': 'private, max-age=31536000, immutable', vary: 'authorization' };

function headersOf(
  { appKey, version }: ArtifactVersion,
  { sha256, tag, length, range }: { sha256: string; tag: string; length: number; range: ByteRange | null },
): Record<string, string> {
  const digest = `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
  const name = `${appKey}-${version}`.replace(/[^\w.+-]/g, '_').slice(0, 200);
  return {
    ...CACHED,
    etag: tag,
    'accept-ranges': 'bytes',
    'content-type': 'application/gzip',
    'content-disposition': `attachment; filename="${name}.tar.gz"`,
    'repr-digest': digest,
    // The digest of the content of this response: of a range it is not known.
    ...(range === null
      ? { 'content-digest': digest, 'content-length': String(length) }
      : {
          'content-range': `bytes ${range.from}-${range.to - 1}/${length}`,
          'content-length': String(range.to - range.from),
        }),
  };
}

/** The bytes, of which the first part is verified before the response begins; null if the store has lost them. */
async function firstVerified(kept: KeptArtifact, { from, to }: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
  const parts = kept.read(from, to);
  let next: IteratorResult<Uint8Array, void> | null;
  try {
    next = await parts.next();
  } catch (error) {
    await kept.close();
    if (error instanceof Damaged) return null;
    throw error;
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = next ?? (await parts.next());
        next = null;
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        // The client gets fewer bytes than announced, never wrong ones.
        controller.error(error);
      }
      await kept.close();
    },
    cancel: () => kept.close(),
  });
}

function isGone({ withdrawn, state }: ArtifactVersion): boolean {
  return withdrawn || state === 'refused';
}

/** The bytes are fetched soon, and verified again, unless the store is full. */
async function fetchedSoon(db: Db, keeper: ArtifactKeeper, version: ArtifactVersion): Promise<Refusal> {
  const { registryId, bytes, artifactChecksum } = version;
  if (bytes !== null && bytes > keeper.limit)
    return new Refusal(
      'artifacts-not-kept',
      'The artifact is larger than the limit of this service (--artifacts-max). Fetch it from artifactUrl, and compare its SHA-256 with artifactChecksum.',
    );
  const file = { sha256: artifactChecksum.replace('sha256:', ''), bytes: bytes ?? 0 };
  if (!(await keeper.hasRoomFor(registryId, file, true)))
    return new Refusal(
      'artifacts-not-kept',
      'The store of this service has no room for the artifact: it is full of artifacts that their hosts no longer have. Fetch it from artifactUrl, and compare its SHA-256 with artifactChecksum.',
    );
  await requestArtifact(db, version);
  const detail = 'The service is fetching the artifact from its host to verify it. Try again in a moment.';
  return new Refusal('unavailable', detail, {}, { 'retry-after': '10' });
}

/**
 * The reason why a version is not offered, with the findings of the last report, or with what the service has recorded.
 */
async function gone(db: Db, { organizationId, subscriptionId }: Requested, version: ArtifactVersion): Promise<Refusal> {
  const findings = (await reportOf(db, organizationId, subscriptionId))?.findings ?? [];
  const own = findings.filter(
    ({ app, version: number, severity }) =>
      app === version.appKey && number === version.version && severity === 'error',
  );
  const rule = version.withdrawn ? withdrawnRule(version) : (version.rule ?? 'unreachable');
  const first = own.find((finding) => finding.rule === rule);
  const finding = first ?? recordedFinding(version, rule);
  return version.withdrawn
    ? new Refusal('artifact-withdrawn', 'The version is no longer listed.', { findings: [finding] })
    : new Refusal('artifact-refused', finding.message, { findings: [finding, ...own.filter((one) => one !== first)] });
}

function withdrawnRule({ appListed }: ArtifactVersion): string {
  return appListed ? 'version-withdrawn' : 'app-withdrawn';
}

type RecordedFinding = Pick<
  Finding,
  'rule' | 'severity' | 'symptom' | 'message' | 'advice' | 'app' | 'version' | 'resource' | 'url'
>;

function recordedFinding(
  { appKey, version, artifactUrl, withdrawn, reason }: ArtifactVersion,
  id: string,
): RecordedFinding {
  const why = ruleById(id)?.why ?? '';
  return {
    rule: id,
    severity: 'error',
    symptom: withdrawn ? null : 'checksum-mismatch',
    message: withdrawn ? 'The version is no longer listed.' : (reason ?? 'Its artifact could not be verified.'),
    advice: withdrawn ? 'Published versions must stay listed: restore it.' : why,
    app: appKey,
    version,
    resource: withdrawn ? 'metadata' : 'artifact',
    url: withdrawn ? null : redact(artifactUrl),
  };
}

/** Ranges of bytes (RFC 9110 section 14). */

/** `from` is included, `to` is not. */
interface ByteRange {
  from: number;
  to: number;
}

/**
 * The range to send of a representation with `length` bytes.
 * @param range the Range header
 * @param ifRange the If-Range header
 * @param tag the strong entity tag
 * @returns null for all bytes, also for several ranges and for an invalid header, which may be ignored;
 * `unsatisfiable` if the range begins after the end
 */
function rangeOf(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  tag: string,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  // Another representation, or a date, which is not known: everything is sent.
  if (ifRange !== undefined && ifRange.trim() !== tag) return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || length === 0 ? 'unsatisfiable' : { from: Math.max(0, length - suffix), to: length };
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= length) return 'unsatisfiable';
  return { from, to: last === '' ? length : Math.min(Number(last) + 1, length) };
}

const KEY = openapi.parameter('key', 'path', 'App key.', { type: 'string' });
const VERSION = openapi.parameter('version', 'path', 'A version of the app.', { type: 'string' });
const RANGE = openapi.parameter(
  'Range',
  'header',
  'One range of bytes; the response to several ranges has all bytes.',
  {
    type: 'string',
  },
);
const IF_RANGE = openapi.parameter('If-Range', 'header', 'ETag of the artifact that the client has a part of.', {
  type: 'string',
});
const IF_MATCH = openapi.parameter('If-Match', 'header', 'ETag that the artifact must have.', { type: 'string' });
const SENT = ['ETag', 'Accept-Ranges', 'Content-Length', 'Content-Disposition', 'Repr-Digest'];

function bytes(description: string, headers: string[]): openapi.OpenApiObject {
  return { description, content: { 'application/gzip': {} }, headers: openapi.headersOf([...SENT, ...headers]) };
}

/** The verified bytes of versions. */
export const artifactsPaths: Record<string, openapi.OpenApiObject> = {
  '/api/registries/{id}/apps/{key}/versions/{version}/artifact': {
    parameters: [openapi.ID, KEY, VERSION],
    get: openapi.forOrganization(
      'getArtifact',
      'The verified bytes of a version',
      {
        200: bytes('All bytes.', ['Content-Digest']),
        206: bytes('The requested range.', ['Content-Range']),
        ...openapi.NOT_MODIFIED,
        ...openapi.NOT_FOUND,
        409: openapi.refusal(
          'The artifact is not verified yet, or the versions of the app have not been read yet (type …:artifact-pending, with Retry-After). Or the version is held back, since the organization requires attestations or has a policy (type …:artifact-held).',
        ),
        410: openapi.refusal(
          'The version was refused or withdrawn; “findings” say why. The artifact of a hidden app is sent.',
        ),
        412: openapi.refusal('The artifact does not have the ETag of If-Match (type …:precondition-failed).'),
        416: openapi.refusal('The range begins after the end.', ['Content-Range']),
        501: openapi.refusal(
          'The service keeps no artifacts, or this one is larger than its limit (type …:artifacts-not-kept). Fetch it from “artifactUrl”.',
        ),
        503: openapi.refusal(
          'The service is fetching the artifact, or cannot reach the database (type …:unavailable).',
          ['Retry-After'],
        ),
      },
      { parameters: [RANGE, IF_RANGE, IF_MATCH, openapi.IF_NONE_MATCH] },
    ),
  },
};
