import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fulcioHandler, initializeCA, initializeCTLog, initializeTLog, rekorHandler } from '@sigstore/mock';

/** A Fulcio and a Rekor on a loopback address, with a certificate authority and logs of their own. */
export interface SigningService {
  url: string;
  /** The trusted root of this instance, as JSON. */
  trustedRoot: string;
  /** The responses to the next requests, by path: a status in place of the result. */
  failures: Map<string, number>;
  close(): Promise<void>;
}

export async function startSigningService(): Promise<SigningService> {
  const failures = new Map<string, number>();
  const handlers: { path: string; fn(body: string): Promise<{ statusCode: number; response: unknown }> }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const handler = handlers.find(({ path }) => path === request.url);
      const failure = failures.get(request.url ?? '');
      if (handler === undefined || failure !== undefined) return void response.writeHead(failure ?? 404).end();
      handler.fn(Buffer.concat(chunks).toString('utf8')).then(
        ({ statusCode, response: body }) =>
          response.writeHead(statusCode, { 'content-type': 'application/json' }).end(String(body)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ctlog = await initializeCTLog(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const ca = await initializeCA(generateKeyPairSync('ec', { namedCurve: 'P-256' }), ctlog);
  const tlog = await initializeTLog(url, generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const rekor = rekorHandler(tlog);
  handlers.push(fulcioHandler(ca), { path: rekor.path, fn: (body) => rekor.fn(canonicalEntry(body)) });
  return {
    url,
    failures,
    trustedRoot: JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [logOf(url, tlog.publicKey)],
      ctlogs: [logOf(url, ctlog.publicKey)],
      certificateAuthorities: [
        {
          subject: { organization: 'sigstore.mock', commonName: 'sigstore' },
          uri: url,
          certChain: { certificates: [{ rawBytes: base64(ca.rootCertificate) }] },
          validFor: { start: SINCE },
        },
      ],
      timestampAuthorities: [],
    }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A proposed entry as Rekor stores it: https://github.com/sigstore/rekor/blob/main/pkg/types/dsse/README.md */
function canonicalEntry(proposed: string): string {
  const { apiVersion, kind, spec } = JSON.parse(proposed) as {
    apiVersion: string;
    kind: string;
    spec: { proposedContent: { envelope: string; verifiers: string[] } };
  };
  const { envelope, verifiers } = spec.proposedContent;
  const { payload, signatures } = JSON.parse(envelope) as { payload: string; signatures: { sig: string }[] };
  return JSON.stringify({
    apiVersion,
    kind,
    spec: {
      envelopeHash: hash(envelope),
      payloadHash: hash(Buffer.from(payload, 'base64')),
      signatures: signatures.map(({ sig }, index) => ({ signature: sig, verifier: verifiers[index] })),
    },
  });
}

function hash(data: string | Buffer): object {
  return { algorithm: 'sha256', value: createHash('sha256').update(data).digest('hex') };
}

const SINCE = '2020-01-01T00:00:00Z';

function logOf(baseUrl: string, publicKey: Buffer): object {
  return {
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: base64(publicKey),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start: SINCE },
    },
    logId: { keyId: createHash('sha256').update(publicKey).digest('base64') },
  };
}

function base64(bytes: ArrayBufferView): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** An OIDC token as that of GitHub Actions, which the service accepts without a valid signature. */
export function gitHubToken(claims: Record<string, string> = {}): string {
  const payload = {
    iss: 'https://token.actions.githubusercontent.com',
    sub: 'https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0',
    aud: 'sigstore',
    repository: 'acme/apps',
    ref: 'refs/tags/v1.2.0',
    sha: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
    ...claims,
  };
  return `${tokenPart({ alg: 'none' })}.${tokenPart(payload)}.c2lnbmF0dXJl`;
}

function tokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
