import { commonName, notAnAuthority } from './certificate.ts';
import type { Failure, PathCertificate, TlsFacts } from '../facts/facts.ts';
import { formatDuration } from '../text/format-duration.ts';
import { hostnameOf, hostOf, type TlsCause } from './probe.ts';
import { wrongHost } from './certificate-names.ts';

/** Why a certificate is refused, in words: the faulty certificate of the path, and how to fix it. */

export interface Explanation {
  message: string;
  advice: string;
  /** The faulty certificate if it is not the host's own; null if it is, or if it is not known. */
  at: PathCertificate | null;
}

/** The input of an explanation. */
interface Refusal {
  /** With its port; `name` is without. */
  host: string;
  name: string;
  tls: TlsFacts | null;
  path: readonly PathCertificate[];
  /** ISO 8601. */
  now: string;
  failure: Failure;
}

/** Seconds: a certificate that expired before that was not merely forgotten at its renewal. */
const LONG_AGO = 180 * 86_400;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const FULL_CHAIN = 'the full chain of the authority (fullchain.pem)';

/** @param cause as `tlsCause` names it; @param now ISO 8601 */
export function explainUntrusted(cause: TlsCause, tls: TlsFacts | null, now: string, failure: Failure): Explanation {
  const { url } = failure;
  const refusal = { host: hostOf(url), name: hostnameOf(url), tls, path: tls?.path ?? [], now, failure };
  const explain = EXPLANATIONS[cause];
  if (explain) return { at: null, ...explain(refusal) };
  return {
    at: null,
    message: `the certificate of ${refusal.host} was rejected: ${failure.message}.`,
    advice: 'Run openssl s_client -showcerts against the host; it prints the chain and the reason.',
  };
}

type Explained = Omit<Explanation, 'at'> & Partial<Pick<Explanation, 'at'>>;

const EXPLANATIONS: Readonly<Partial<Record<TlsCause, (refusal: Refusal) => Explained>>> = {
  expired,
  'not-yet-valid': notYetValid,
  'self-signed': ({ host }) => ({
    message: `the certificate of ${host} is self-signed.`,
    advice:
      'Use a certificate of a public authority; to check a private host anyway, specify its authority with --ca <file>.',
  }),
  'unknown-issuer': unknownIssuer,
  'incomplete-chain': incompleteChain,
  'wrong-host': wrongHost,
  'old-protocol': ({ host }) => ({
    message: `${host} supports only obsolete versions of TLS.`,
    advice: 'Enable TLS 1.2 and 1.3.',
  }),
  'weak-signature': weak,
  'wrong-purpose': wrongPurpose,
  'invalid-authority': invalidAuthority,
  'chain-too-long': chainTooLong,
  'name-constraints': nameConstraints,
  'bad-signature': badSignature,
  revoked: ({ host }) => ({
    message: `the certificate of ${host} was revoked by its authority.`,
    advice: 'Get a new certificate, with a new key.',
  }),
  'client-certificate-required': ({ host }) => ({
    message: `${host} requires a client certificate; the service has none.`,
    advice: 'Protect the files with signed URLs instead (spec section 5).',
  }),
};

/** A certificate of the path for a sentence: the host's own, an intermediate or a root. */
function nameOf(certificate: PathCertificate, { path, host }: Refusal): string {
  if (certificate === path[0]) return `the certificate of ${host}`;
  const kind = certificate.subject === certificate.issuer ? 'root' : 'intermediate';
  return `the ${kind} certificate “${commonName(certificate.subject)}”`;
}

/** How to replace a certificate above the host's own. */
function replaceAdvice(certificate: PathCertificate, { host, tls }: Refusal): string {
  const own = tls ? ` The certificate of ${host} itself is valid until ${tls.notAfter}.` : '';
  return certificate.from === 'store'
    ? `Use a certificate of a valid authority: this one is among those that are trusted here (--ca, NODE_EXTRA_CA_CERTS or the system).${own}`
    : `Install ${FULL_CHAIN} again, with its current intermediate certificates; if it has no newer ones, renew the certificate.${own}`;
}

function expired(refusal: Refusal): Explained {
  const { host, tls, path, now } = refusal;
  if (tls && tls.notAfter < now) {
    const ended = secondsBetween(tls.notAfter, now);
    const also = path.slice(1).find(({ notAfter }) => notAfter < now);
    return {
      message: `the certificate of ${host} expired ${formatDuration(ended)} ago, at ${tls.notAfter}${also ? `; ${nameOf(also, refusal)} has expired, too` : ''}.`,
      advice:
        ended > LONG_AGO
          ? `Install a valid certificate: perhaps an old file was restored, or the clock of this machine is wrong (it is ${now} here).`
          : 'Renew the certificate, and check why the automatic renewal did not run.',
    };
  }
  const at = path.find(({ notAfter }) => notAfter < now);
  if (!at)
    return {
      message: `a certificate in the chain of ${host} has expired.`,
      advice: `Install ${FULL_CHAIN} again, and check the clock of this machine (it is ${now} here).`,
    };
  return {
    at,
    message: `${nameOf(at, refusal)}${at.from === 'host' ? ` that ${host} sends` : ''} expired ${formatDuration(secondsBetween(at.notAfter, now))} ago, at ${at.notAfter}.`,
    advice: replaceAdvice(at, refusal),
  };
}

function notYetValid(refusal: Refusal): Explained {
  const { host, tls, path, now } = refusal;
  const at = path.find(({ notBefore }) => notBefore > now);
  if (at && at !== path[0])
    return {
      at,
      message: `${nameOf(at, refusal)}${at.from === 'host' ? ` that ${host} sends` : ''} is not valid before ${at.notBefore}; it is ${now} here.`,
      advice: `${replaceAdvice(at, refusal)} If that time is in the past, correct the clock of this machine.`,
    };
  return {
    message: `the certificate of ${host} is not valid before ${tls?.notBefore ?? 'a later moment'}; it is ${now} here.`,
    advice: 'Check the clocks of the host and of this machine.',
  };
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

function unknownIssuer(refusal: Refusal): Explained {
  const { host, tls, path, failure } = refusal;
  const top = path.at(-1);
  const isWhole = failure.code === 'SELF_SIGNED_CERT_IN_CHAIN';
  const authority = commonName(top?.issuer ?? tls?.issuer ?? 'unknown');
  const ofWhat = top && top !== path[0] && !isWhole ? ` (it issued ${nameOf(top, refusal)})` : '';
  return {
    message: `this machine does not trust the authority “${authority}” that the certificate of ${host} leads to${ofWhat}: ${
      isWhole
        ? 'the chain is complete, but ends in an unknown authority'
        : 'that authority is unknown, and the host sends no certificate that links it to a known one'
    }.`,
    advice: `For a private authority, check with --ca <file>, and ask the operator of the service to add it. Otherwise use a certificate of a public authority${
      isWhole ? '' : ', and install its full chain (fullchain.pem)'
    }.`,
  };
}

function incompleteChain(refusal: Refusal): Explained {
  const { host, tls, path } = refusal;
  const issuer = commonName(tls?.issuer ?? 'unknown');
  const sent = tls?.sent ?? 1;
  if (path[0]?.signatureValid === false)
    return {
      at: path[1] ?? null,
      message: `the certificate of ${host} was not signed with the key of “${issuer}” that ${path[1]?.from === 'store' ? 'is trusted here' : 'the host sends'}: a different certificate of that name is required.`,
      advice: `Install the intermediate certificate that belongs to the host’s certificate: ${FULL_CHAIN}.`,
    };
  return {
    message: `${host} sends ${sent > 1 ? `${sent} certificates, but not that of` : 'its own certificate only, and clients do not know'} its issuer “${issuer}”: the intermediate certificate is missing, or the authority is private.`,
    advice: `Install ${FULL_CHAIN}. Browsers may hide this by fetching the missing certificate; other clients do not. To check a host of a private authority, specify it with --ca <file>.`,
  };
}

function weak(refusal: Refusal): Explained {
  const { host, path, failure } = refusal;
  const byKey = path.find(({ key }) => Number(/^rsa (\d+)/.exec(key)?.[1] ?? 2048) < 2048);
  // A root's self-signature protects nothing.
  const bySignature = path.find(
    ({ signature, subject, issuer }) => /^(md\d|sha1)/.test(signature) && subject !== issuer,
  );
  const at = (/key/i.test(failure.message) ? (byKey ?? bySignature) : (bySignature ?? byKey)) ?? null;
  const what =
    at === byKey ? `has a key of ${at?.key.replace(/^rsa (\d+)/, '$1 bits (RSA)')}` : `is signed with ${digestOf(at)}`;
  return {
    at: at === path[0] ? null : at,
    message: at
      ? `${nameOf(at, refusal)} ${what}, which is too weak.`
      : `a certificate in the chain of ${host} has a weak key or signature.`,
    advice:
      at === null || at === path[0]
        ? 'Get a new certificate: RSA with 2048 bits or more, or an elliptic curve, signed with SHA-256.'
        : `Get a certificate of an authority that signs with SHA-256 and RSA of 2048 bits or more, or install ${FULL_CHAIN}.`,
  };
}

function digestOf(certificate: PathCertificate | null): string {
  return certificate?.signature.startsWith('sha1') ? 'SHA-1' : 'MD5 or MD2';
}

function wrongPurpose(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ extendedKeyUsage }) => extendedKeyUsage !== null && !extendedKeyUsage.includes(SERVER_AUTH));
  if (at && at !== path[0])
    return {
      at,
      message: `${nameOf(at, refusal)} may not issue certificates for servers: its extended key usage lacks serverAuth.`,
      advice: 'Use a certificate of an authority for servers.',
    };
  const { keyUsage } = path[0] ?? { keyUsage: null };
  if (!at && keyUsage !== null && !/digitalSignature|keyEncipherment|keyAgreement/.test(keyUsage.join(' ')))
    return {
      message: `the certificate of ${host} is not valid for servers: its key usage is ${keyUsage.join(', ') || 'empty'}.`,
      advice: 'Issue it with the key usage digitalSignature.',
    };
  return {
    message: `the certificate of ${host} is not valid for servers${at ? ': its extended key usage lacks serverAuth' : ''}.`,
    advice: 'Issue it with the extended key usage serverAuth.',
  };
}

function invalidAuthority(refusal: Refusal): Explained {
  const at = notAnAuthority(refusal.path);
  if (!at)
    return {
      message: `a certificate in the chain of ${refusal.host} issued another one without being an authority.`,
      advice: `Install ${FULL_CHAIN}.`,
    };
  const lacksUsage = at.keyUsage !== null && !at.keyUsage.includes('keyCertSign');
  return {
    at,
    message: `${nameOf(at, refusal)} may not issue certificates: ${lacksUsage ? 'its key usage lacks keyCertSign' : 'its basicConstraints do not say CA:TRUE'}.`,
    advice:
      'Issue the certificate with a CA certificate (basicConstraints CA:TRUE, key usage keyCertSign); a certificate for servers cannot issue others.',
  };
}

function chainTooLong(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ pathLength }, i) => pathLength !== null && below(path, i) > pathLength);
  if (!at)
    return {
      message: `the chain of ${host} has more certificates than clients accept.`,
      advice: `Install ${FULL_CHAIN}, and nothing else.`,
    };
  const allowed =
    at.pathLength === 0 ? 'no other intermediate certificate' : `${at.pathLength} intermediate certificates`;
  return {
    at,
    message: `${nameOf(at, refusal)} allows ${allowed} below it (path length ${at.pathLength}); ${below(path, path.indexOf(at))} follow${below(path, path.indexOf(at)) === 1 ? 's' : ''}.`,
    advice: 'Get a certificate of an authority that may have subordinate authorities, or directly of this one.',
  };
}

/**
 * The number of CA certificates between the host's own and the one at an index, not counting those that only change a
 * key.
 */
function below(path: readonly PathCertificate[], index: number): number {
  return path.slice(1, index).filter(({ subject, issuer }) => subject !== issuer).length;
}

function nameConstraints(refusal: Refusal): Explained {
  const { host, tls, path, failure } = refusal;
  const isExcluded = /excluded/i.test(failure.message);
  const at = path.slice(1).find((one) => (isExcluded ? one.excluded : one.permitted).length > 0);
  const names = (tls?.names ?? []).slice(0, 5).join(', ');
  if (!at)
    return {
      message: `an authority in the chain of ${host} may not issue certificates for its names${names === '' ? '' : ` (${names})`}.`,
      advice: 'Use a certificate of an authority that may do so.',
    };
  const limits = (isExcluded ? at.excluded : at.permitted).slice(0, 5).join(', ');
  return {
    at,
    message: `${nameOf(at, refusal)} may issue certificates ${isExcluded ? `for everything except ${limits}` : `only for ${limits}`} (name constraints); the certificate of ${host} names ${names || 'something else'}.`,
    advice:
      'Use a certificate of an authority that may issue for these names, or one that names only what this authority may.',
  };
}

function badSignature(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ signatureValid }) => signatureValid === false);
  return {
    at: at === undefined || at === path[0] ? null : at,
    message: `the signature of ${at ? nameOf(at, refusal) : `a certificate in the chain of ${host}`} is not valid.`,
    advice: `Install ${FULL_CHAIN} again: a file is corrupt, or belongs to another certificate.`,
  };
}
