import { message, safe } from '../text/message.ts';
import type { Failure, PathCertificate, TlsFacts } from '../facts/facts.ts';
import { formatDuration } from '../text/format-duration.ts';
import { hostnameOf, hostOf } from './probe.ts';
import { type TlsCause } from './failed-request.ts';
import {
  badSignature,
  chainTooLong,
  type Explained,
  type Explanation,
  FULL_CHAIN,
  incompleteChain,
  invalidAuthority,
  nameConstraints,
  nameOf,
  type Refusal,
  replaceAdvice,
  unknownIssuer,
  wrongHost,
} from './certificate-path.ts';

/** Explanations of a refused certificate: the faulty certificate of the path, and how to fix it. */

/** Seconds: a certificate that expired before that was not merely forgotten at its renewal. */
const LONG_AGO = 180 * 86_400;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/**
 * @param cause as `tlsCause` names it
 * @param now ISO 8601
 */
export function explainUntrusted(cause: TlsCause, tls: TlsFacts | null, now: string, failure: Failure): Explanation {
  const { url } = failure;
  const refusal = { host: hostOf(url), name: hostnameOf(url), tls, path: tls?.path ?? [], now, failure };
  const explain = EXPLANATIONS[cause];
  if (explain) return { at: null, ...explain(refusal) };
  return {
    at: null,
    message: message`the certificate of ${refusal.host} was rejected: ${failure.message}.`,
    advice: message`Run openssl s_client -showcerts against the host; it prints the chain and the reason.`,
  };
}

const EXPLANATIONS: Readonly<Partial<Record<TlsCause, (refusal: Refusal) => Explained>>> = {
  expired,
  'not-yet-valid': notYetValid,
  'self-signed': ({ host }) => ({
    message: message`the certificate of ${host} is self-signed.`,
    advice: message`Use a certificate from a public authority. For a private authority, check with --ca <file>.`,
  }),
  'unknown-issuer': unknownIssuer,
  'incomplete-chain': incompleteChain,
  'wrong-host': wrongHost,
  'old-protocol': ({ host }) => ({
    message: message`${host} supports only obsolete versions of TLS.`,
    advice: message`Enable TLS 1.2 and 1.3.`,
  }),
  'weak-signature': weak,
  'wrong-purpose': wrongPurpose,
  'invalid-authority': invalidAuthority,
  'chain-too-long': chainTooLong,
  'name-constraints': nameConstraints,
  'bad-signature': badSignature,
  revoked: ({ host }) => ({
    message: message`the certificate of ${host} was revoked by its authority.`,
    advice: message`Get a new certificate, with a new key.`,
  }),
  'client-certificate-required': ({ host }) => ({
    message: message`${host} requires a client certificate; the service has none.`,
    advice: message`Protect the files with signed URLs instead (spec section 5).`,
  }),
};

function expired(refusal: Refusal): Explained {
  const { host, tls, path, now } = refusal;
  if (tls && tls.notAfter < now) {
    const ended = secondsBetween(tls.notAfter, now);
    const also = path.slice(1).find(({ notAfter }) => notAfter < now);
    return {
      message: message`the certificate of ${host} expired ${formatDuration(ended)} ago, at ${tls.notAfter}${also ? `; ${nameOf(also, refusal)} has expired, too` : ''}.`,
      advice:
        ended > LONG_AGO
          ? message`Install a valid certificate. An old file may have been restored, or the clock of this machine may be wrong (it shows ${now}).`
          : message`Renew the certificate, and check why the automatic renewal did not run.`,
    };
  }
  const at = path.find(({ notAfter }) => notAfter < now);
  if (!at)
    return {
      message: message`a certificate in the chain of ${host} has expired.`,
      advice: message`Install ${FULL_CHAIN} again, and check the clock of this machine (it shows ${now}).`,
    };
  return {
    at,
    message: message`${nameOf(at, refusal)}${at.from === 'host' ? ` that ${host} sends` : ''} expired ${formatDuration(secondsBetween(at.notAfter, now))} ago, at ${at.notAfter}.`,
    advice: replaceAdvice(at, refusal),
  };
}

function notYetValid(refusal: Refusal): Explained {
  const { host, tls, path, now } = refusal;
  const at = path.find(({ notBefore }) => notBefore > now);
  if (at && at !== path[0])
    return {
      at,
      message: message`${nameOf(at, refusal)}${at.from === 'host' ? ` that ${host} sends` : ''} is not valid before ${at.notBefore}; the clock of this machine shows ${now}.`,
      advice: message`${safe(replaceAdvice(at, refusal))} If that time has passed, correct the clock of this machine.`,
    };
  return {
    message: message`the certificate of ${host} is not valid before ${tls?.notBefore ?? 'a later time'}; the clock of this machine shows ${now}.`,
    advice: message`Check the clocks of the host and of this machine.`,
  };
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

function weak(refusal: Refusal): Explained {
  const { host, path, failure } = refusal;
  const byKey = path.find(({ key }) => Number(/^rsa (\d+)/.exec(key)?.[1] ?? 2048) < 2048);
  // A root's self-signature protects nothing.
  const bySignature = path.find(
    ({ signature, subject, issuer }) => /^(md\d|sha1)/.test(signature ?? '') && subject !== issuer,
  );
  const at = (/key/i.test(failure.message) ? (byKey ?? bySignature) : (bySignature ?? byKey)) ?? null;
  const what =
    at === byKey ? `has a key of ${at?.key.replace(/^rsa (\d+)/, '$1 bits (RSA)')}` : `is signed with ${digestOf(at)}`;
  return {
    at: at === path[0] ? null : at,
    message: at
      ? message`${nameOf(at, refusal)} ${what}, which is too weak.`
      : message`a certificate in the chain of ${host} has a weak key or signature.`,
    advice:
      at === null || at === path[0]
        ? message`Get a new certificate: RSA with 2048 bits or more, or an elliptic curve, signed with SHA-256.`
        : message`Get a certificate from an authority that signs with SHA-256 and RSA of 2048 bits or more, or install ${FULL_CHAIN}.`,
  };
}

function digestOf(certificate: PathCertificate | null): string {
  return certificate?.signature?.startsWith('sha1') ? 'SHA-1' : 'MD5 or MD2';
}

function wrongPurpose(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ extendedKeyUsage }) => extendedKeyUsage !== null && !extendedKeyUsage.includes(SERVER_AUTH));
  if (at && at !== path[0])
    return {
      at,
      message: message`${nameOf(at, refusal)} may not issue server certificates: its extended key usage lacks serverAuth.`,
      advice: message`Use a certificate from an authority that may issue server certificates.`,
    };
  const { keyUsage } = path[0] ?? { keyUsage: null };
  if (!at && keyUsage !== null && !/digitalSignature|keyEncipherment|keyAgreement/.test(keyUsage.join(' ')))
    return {
      message: message`the certificate of ${host} is not valid for a server: its key usage is ${keyUsage.join(', ') || 'empty'}.`,
      advice: message`Issue it with the key usage digitalSignature.`,
    };
  return {
    message: message`the certificate of ${host} is not valid for a server${at ? ': its extended key usage lacks serverAuth' : ''}.`,
    advice: message`Issue it with the extended key usage serverAuth.`,
  };
}
