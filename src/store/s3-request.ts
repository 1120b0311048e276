import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import undici from 'undici';
import { printable, redact, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { NOTHING_CHANGED } from './disk-trouble.ts';
import { type Credentials, findCredentials, profileSettings } from './s3-credentials.ts';

/** Signed requests to an object store that speaks S3. */

export interface S3Place {
  bucket: string;
  /** Put in front of every path; '' for none. */
  prefix: string;
  region: string | null;
  /** The store's address where it is not Amazon's; the bucket is then the first part of the path. */
  endpoint: string | null;
}

export interface S3Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
  /** The code of an error, as `NoSuchKey`; '' where there is none. */
  code: string;
  /** True when an earlier attempt got no clear answer, so that it may have been carried out. */
  uncertain: boolean;
}

export type S3Request = (
  method: 'GET' | 'PUT',
  path: string,
  headers?: Record<string, string>,
  body?: Uint8Array,
) => Promise<S3Answer>;

const ATTEMPTS = 6;
const TIMEOUT = 300_000;
/** Codes of a 4xx that mean: later. */
const PASSING = new Set(['SlowDown', 'RequestTimeout', 'ConditionalRequestConflict', 'OperationAborted']);

/** @throws Trouble for what trying again would not help; other answers are given back, whatever their status */
export function s3Requests(place: S3Place, env: NodeJS.ProcessEnv): S3Request {
  const profile = profileSettings(env);
  const endpoint = place.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? profile.endpoint;
  const region = place.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? profile.region ?? 'us-east-1';
  const base = baseOf(place, endpoint, region);
  let credentials: Promise<Credentials> | null = null;
  let dispatcher: InstanceType<typeof undici.EnvHttpProxyAgent> | null = null;

  async function once(method: 'GET' | 'PUT', path: string, headers: Record<string, string>, body: Uint8Array | null) {
    const sent: Record<string, string> = {
      ...headers,
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    };
    const key = `${place.prefix}${path}`.split('/').map(encodeURIComponent).join('/');
    const signer = new AwsV4Signer({
      method,
      url: base + key,
      headers: sent,
      service: 's3',
      region,
      allHeaders: true,
      ...(await (credentials ??= findCredentials(env, region))),
    });
    const signed = await signer.sign();
    dispatcher ??= new undici.EnvHttpProxyAgent();
    const answer = await undici.request(signed.url.href, {
      method,
      headers: Object.fromEntries(signed.headers.entries()),
      body,
      dispatcher,
      headersTimeout: 60_000,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return { answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  }

  return async (method, path, headers = {}, body) => {
    let uncertain = false;
    for (let attempt = 1; ; attempt++) {
      let trouble: unknown;
      try {
        const { answer, bytes } = await once(method, path, headers, body ?? null);
        const { statusCode: status } = answer;
        const code = status >= 300 ? codeIn(bytes) : '';
        if (!isPassing(status, code)) {
          if (status >= 300 && status !== 404 && status !== 412 && status !== 409)
            throw refused(place, method, path, status, code, bytes, region);
          if (code === 'NoSuchBucket') throw refused(place, method, path, status, code, bytes, region);
          return { status, headers: answer.headers as S3Answer['headers'], bytes, code, uncertain };
        }
        // The host says that it did nothing; a server error leaves that open.
        uncertain ||= status >= 500 && status !== 503;
        trouble = `status ${status}${code === '' ? '' : ` ${code}`}`;
      } catch (error) {
        if (error instanceof Trouble) throw error;
        uncertain ||= method === 'PUT';
        trouble = error;
      }
      if (attempt === ATTEMPTS) throw unreachable(base, trouble);
      await wait(Math.random() * Math.min(8000, 200 * 2 ** attempt));
    }
  };
}

/** The address that keys are put behind, with its slash. */
function baseOf({ bucket }: S3Place, endpoint: string | null, region: string): string {
  if (endpoint !== null) return `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}/`;
  const host = `s3.${region}.amazonaws.com`;
  // A dot in the name would not be covered by the certificate.
  return bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
}

function isPassing(status: number, code: string): boolean {
  return status === 429 || (status >= 500 && status !== 501) || PASSING.has(code);
}

function codeIn(bytes: Buffer): string {
  return /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
}

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Check "bucket", "region" and "endpoint" of the store in the configuration.',
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID, and that it belongs to this endpoint.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY.',
  ExpiredToken: 'Get new credentials: the session is over.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  PermanentRedirect: 'Set "region" of the store to the region of the bucket.',
  AuthorizationHeaderMalformed: 'Set "region" of the store to the region of the bucket (R2: auto).',
};

function refused(
  place: S3Place,
  method: string,
  path: string,
  status: number,
  code: string,
  bytes: Buffer,
  region: string,
): Trouble {
  const said = /<Message>([^<]+)<\/Message>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
  const rights =
    'The credentials need s3:GetObject and s3:PutObject on the files, and s3:ListBucket on the bucket (without it, what is not there cannot be told from what is forbidden).';
  return new Trouble(
    's3-refused',
    printable(
      redact(
        `The bucket ${place.bucket} (region ${region}) refuses ${method} ${place.prefix}${path}: ${status}${code === '' ? '' : ` ${code}`}${said === '' ? '' : `, ${shorten(said)}`}. ${NOTHING_CHANGED}`,
      ),
    ),
    HINTS[code] ??
      (status === 403 || status === 401 ? rights : 'See what the store’s documentation says of that code.'),
  );
}

function unreachable(base: string, trouble: unknown): Trouble {
  const reason =
    trouble instanceof Error
      ? trouble.message || (trouble as NodeJS.ErrnoException).code || trouble.name
      : String(trouble);
  return new Trouble(
    's3-unreachable',
    `${printable(redact(base))} cannot be used: ${printable(redact(shorten(reason)))}, ${ATTEMPTS} times in a row. Whether the last write came through is not known.`,
    'Run the same command again: it finishes what is left.',
    trouble instanceof Error ? { cause: trouble } : {},
  );
}
