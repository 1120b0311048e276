import { type SafeText, message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { comparedAnswers, copyEvidence, isCompressedTwice } from '../../http/copies.ts';
import type { ComparedBody, ResourceKind, Probe, HttpViews } from '../../facts/facts.ts';
import { dependenceOf, isRefusal, otherAnswer } from '../../http/header-probes.ts';
import type { Severity } from '../../values/severity.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, lastHop, statusOf } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, explainedBy, type Problem } from '../rule.ts';
import type { iconResponseInvalid } from '../icons/icon-response-invalid.ts';

const ADVICE = message`Upload the compressed copies again together with the files (gzip -k -9, brotli), or delete them and let the host compress the files. Each copy needs the matching Content-Encoding. Then purge the caches.`;

const CAUSES = {
  'missing-coding': { title: 'The copy has no Content-Encoding' },
  'beside-identity': { title: 'Content-Encoding names "identity" and another coding' },
  'coding-not-accepted': { title: 'The client did not accept the coding' },
  'compressed-twice': { title: 'The copy is compressed twice' },
  'wrong-coding': { title: 'Content-Encoding names a different coding' },
  broken: { title: 'The copy cannot be decoded' },
  truncated: { title: 'The compressed data ends early' },
  'several-members': { title: 'The gzip data has several members' },
  'bad-end': { title: 'The end of the gzip data is invalid' },
  'no-answer': { title: 'Requests that accept compression get no response' },
  'status-*': { title: 'Requests that accept compression get this status' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const compressedCopyUnreadable = defineRule({
  id: 'compressed-copy-unreadable',
  title: 'Unreadable compressed copy',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: hostOrCopy,
  supersededBy: [
    ...NOT_THE_FILE,
    {
      ...explainedBy<typeof iconResponseInvalid>(
        'icon-response-invalid',
        'The compressed data is that of all responses',
        'content-encoding-broken',
      ),
      only: ['bad-end'],
    },
  ],
  causes: CAUSES,
  failsWhen:
    'clients that accept compression (Accept-Encoding: gzip, br) get a copy that they cannot read (it does not match its Content-Encoding, has none, is corrupt, truncated or compressed twice), or a status other than 2xx',
  why: 'Browsers and Node’s fetch accept compression. curl without --compressed gets the uncompressed file and does not show the problem.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": {} }

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip

{ "apps": {} }`,
    good: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": {} }

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip

[gzip] { "apps": {} }`,
  },
  check({ resource, web, answer }) {
    const dependence = dependenceOf(web);
    if (dependence !== null && dependence.on !== 'headers' && dependence.on !== 'together') return null;
    for (const { probe, copy } of comparedAnswers(web)) {
      const fault = faultOf(resource, copy);
      if (fault === null) continue;
      const host = hostOf(finalHop(probe).url);
      return {
        ...(fault.severity && { severity: fault.severity }),
        cause: fault.cause,
        message: message`${host} sends the ${resourceName(resource)} to clients that accept compression ${copy.coding === '' ? 'without Content-Encoding' : `with Content-Encoding: ${copy.coding}`}, ${fault.text}.`,
        advice: fault.advice ?? ADVICE,
        evidence: copyEvidence(answer, copy, probe),
        dedupeKey: `${resource} ${host} ${fault.cause}`,
      };
    }
    return refused(resource, web);
  },
});

interface CopyFault {
  cause: Cause;
  /** The fault, as words that follow the header. */
  text: string;
  /** If it is not the general one. */
  advice?: SafeText;
  /** If it is not that of the rule. */
  severity?: Severity;
}

function faultOf(resource: ResourceKind, copy: ComparedBody): CopyFault | null {
  const { fault, coding, kind, same, missingCoding } = copy;
  if (missingCoding !== undefined && coding.split(', ').includes(missingCoding))
    return undecodedProblem(coding, missingCoding);
  if (missingCoding !== undefined)
    return {
      cause: 'missing-coding',
      text: `but the bytes are compressed with ${missingCoding}: browsers and Node’s fetch treat them as the file itself`,
      advice: message`Send Content-Encoding: ${missingCoding} with the compressed copy, or send the file itself. A rewrite to a .gz or .br file does not set that header (nginx: use gzip_static; in a bucket it is metadata of the object). Purge the caches.`,
    };
  if (isCompressedTwice(copy) && resource !== 'artifact')
    return { cause: 'compressed-twice', text: 'but it is compressed twice: browsers decode it once and get gzip' };
  if (fault === 'broken') {
    const is = wrongCoding(coding, kind);
    return is === null
      ? { cause: 'broken', text: 'but the bytes cannot be decoded: browsers and Node’s fetch fail' }
      : { cause: 'wrong-coding', text: `but the bytes are ${is}: browsers and Node’s fetch fail` };
  }
  if (fault === 'truncated' && !same)
    return { cause: 'truncated', text: 'and the compressed stream ends early: browsers get only a part of the file' };
  if (fault === 'members' && !same)
    return {
      cause: 'several-members',
      text: 'as a gzip file of several members: browsers read only the first one, so they get only a part of the file',
    };
  if (fault === 'end')
    return {
      cause: 'bad-end',
      text: 'and the end of the gzip stream is invalid: browsers ignore that, but Node’s fetch fails',
      // Browsers show it, and they are the clients of icons.
      ...(resource === 'icon' && { severity: 'warning' }),
    };
  return null;
}

/** A named coding that clients do not decode. */
function undecodedProblem(coding: string, named: string): CopyFault {
  if (coding.split(', ').includes('identity'))
    return {
      cause: 'beside-identity',
      text: 'but combined with identity, browsers and Node’s fetch decode nothing: they treat the compressed bytes as the file itself',
      advice: message`Send Content-Encoding: ${named} and nothing else, or send the file itself. Purge the caches.`,
    };
  return {
    cause: 'coding-not-accepted',
    text: 'which the request did not accept (Accept-Encoding: gzip, deflate, br): clients that do not support it treat the compressed bytes as the file itself',
    advice: message`Compress only with a coding from Accept-Encoding, and send Vary: Accept-Encoding. Purge the caches.`,
  };
}

/** The content coding of compressed bytes, by their kind. */
const CODINGS: ReadonlyMap<string, string> = new Map([
  ['gzip', 'gzip'],
  ['brotli', 'br'],
  ['zstd', 'zstd'],
  ['zlib', 'deflate'],
]);

/** Names the kind of the bytes, if it differs from the last coding. */
function wrongCoding(coding: string, kind: string): string | null {
  const last = coding.split(', ').at(-1);
  if (kind === 'json' || kind === 'text' || kind === 'svg' || kind === 'xml') return 'not compressed';
  if (kind === 'html') return 'an HTML page, not compressed';
  const is = CODINGS.get(kind);
  return is === undefined || is === last ? null : `compressed with ${is}`;
}

function refused(resource: ResourceKind, web: HttpViews): Problem<Cause> | null {
  const dependence = dependenceOf(web);
  const probe: Probe | null = otherAnswer(web);
  if (probe === null || !isRefusal(probe) || dependence?.on !== 'headers') return null;
  if (dependence.groups.join() !== 'encoding') return null;
  const host = hostOf(lastHop(probe)?.url ?? '');
  const status = statusOf(probe);
  const how = probe.failure ? `does not respond (${probe.failure.code})` : `responds with ${status}`;
  return {
    cause: probe.failure ? 'no-answer' : `status-${status}`,
    message: message`${host} ${how} if the ${resourceName(resource)} is requested with Accept-Encoding: gzip, deflate, br, as browsers do; without that header it responds with 2xx.`,
    advice: message`Correct the compression settings of the host, or turn off compression for JSON files and icons.`,
    evidence: { requested: lastHop(probe)?.url ?? null, status: status || null, code: probe.failure?.code ?? null },
    dedupeKey: `${resource} ${host} ${status}`,
  };
}
