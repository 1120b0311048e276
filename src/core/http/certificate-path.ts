import type { Failure, PathCertificate, TlsFacts } from '../facts/facts.ts';
import { message, type SafeText } from '../text/message.ts';
import { commonName, notAnAuthority } from './certificate.ts';

/** Common parts of the explanations of refused certificates. */

export interface Explanation {
  message: SafeText;
  advice: SafeText;
  /** The faulty certificate if it is not the host's own; null if it is, or if it is not known. */
  at: PathCertificate | null;
}

/** An explanation; without `at`, the host's own certificate is the faulty one, or the faulty one is not known. */
export type Explained = Omit<Explanation, 'at'> & Partial<Pick<Explanation, 'at'>>;

/** The input of an explanation. */
export interface Refusal {
  /** With its port; `name` is without. */
  host: string;
  name: string;
  tls: TlsFacts | null;
  path: readonly PathCertificate[];
  /** ISO 8601. */
  now: string;
  failure: Failure;
}

export const FULL_CHAIN = 'the full chain of the authority (fullchain.pem)';

/** A certificate of the path for a sentence: the host's own, an intermediate or a root. */
export function nameOf(certificate: PathCertificate, { path, host }: Refusal): string {
  if (certificate === path[0]) return `the certificate of ${host}`;
  const kind = certificate.subject === certificate.issuer ? 'root' : 'intermediate';
  return `the ${kind} certificate “${commonName(certificate.subject)}”`;
}

/** Advice to replace a certificate above the host's own. */
export function replaceAdvice(certificate: PathCertificate, { host, tls }: Refusal): SafeText {
  const own = tls ? ` The certificate of ${host} itself is valid until ${tls.notAfter}.` : '';
  return certificate.from === 'store'
    ? message`Use a certificate from an authority with a valid certificate: this one is among those trusted here (--ca, NODE_EXTRA_CA_CERTS or the system).${own}`
    : message`Install ${FULL_CHAIN} again, with its current intermediate certificates; if it has no newer ones, renew the certificate.${own}`;
}

/**
 * Explanations of a refused path from a certificate to an authority: its authorities, their limits and their
 * signatures.
 */

/** The root of the chain is not among the trusted authorities. */
export function unknownIssuer(refusal: Refusal): Explained {
  const { host, tls, path, failure } = refusal;
  const top = path.at(-1);
  const isChainComplete = failure.code === 'SELF_SIGNED_CERT_IN_CHAIN';
  const authority = commonName(top?.issuer ?? tls?.issuer ?? 'unknown');
  const issued = top && top !== path[0] && !isChainComplete ? ` (the issuer of ${nameOf(top, refusal)})` : '';
  return {
    message: message`the certificate of ${host} chains up to the authority “${authority}”${issued}, which this machine does not trust${
      isChainComplete
        ? '; the chain is complete'
        : ', and the host sends no certificate that links it to a known authority'
    }.`,
    advice: message`For a private authority, check with --ca <file>, and ask the operator of the service to add it. Otherwise use a certificate from a public authority${
      isChainComplete ? '' : ', and install its full chain (fullchain.pem)'
    }.`,
  };
}

/** The host does not send the certificates between its own and a trusted authority. */
export function incompleteChain(refusal: Refusal): Explained {
  const { host, tls, path } = refusal;
  const issuer = commonName(tls?.issuer ?? 'unknown');
  const sent = tls?.sent ?? 1;
  if (path[0]?.signatureValid === false)
    return {
      at: path[1] ?? null,
      message: message`the certificate of ${host} was not signed with the key of the certificate “${issuer}” that ${path[1]?.from === 'store' ? 'is trusted here' : 'the host sends'}: a different one of that name is required.`,
      advice: message`Install the intermediate certificate that belongs to the host’s certificate: ${FULL_CHAIN}.`,
    };
  return {
    message: message`${host} sends ${sent > 1 ? `${sent} certificates, but not` : 'only its own certificate, not'} that of its issuer “${issuer}”: the intermediate certificate is missing, or the authority is private.`,
    advice: message`Install ${FULL_CHAIN}. Browsers may hide this by fetching the missing certificate; other clients do not. For a private authority, check with --ca <file>.`,
  };
}

/** A certificate issued another one, but is not that of an authority. */
export function invalidAuthority(refusal: Refusal): Explained {
  const at = notAnAuthority(refusal.path);
  if (!at)
    return {
      message: message`a certificate in the chain of ${refusal.host} issued another one, but is not that of an authority.`,
      advice: message`Install ${FULL_CHAIN}.`,
    };
  const lacksUsage = at.keyUsage !== null && !at.keyUsage.includes('keyCertSign');
  return {
    at,
    message: message`${nameOf(at, refusal)} may not issue certificates: ${lacksUsage ? 'its key usage lacks keyCertSign' : 'its basicConstraints lack CA:TRUE'}.`,
    advice: message`Issue the certificate with a CA certificate (basicConstraints CA:TRUE, key usage keyCertSign); a server certificate cannot issue others.`,
  };
}

/** An authority allows fewer subordinate authorities than the chain has. */
export function chainTooLong(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ pathLength }, i) => pathLength !== null && below(path, i) > pathLength);
  if (!at)
    return {
      message: message`the chain of ${host} has more certificates than clients accept.`,
      advice: message`Install ${FULL_CHAIN}, and nothing else.`,
    };
  const allowed =
    at.pathLength === 0 ? 'no other intermediate certificate' : `${at.pathLength} intermediate certificates`;
  return {
    at,
    message: message`${nameOf(at, refusal)} allows ${allowed} below it (path length ${String(at.pathLength)}); ${below(path, path.indexOf(at))} follow${below(path, path.indexOf(at)) === 1 ? 's' : ''}.`,
    advice: message`Get a certificate from an authority that may have subordinate authorities, or directly from this one.`,
  };
}

/**
 * The number of CA certificates between the host's own and the one at an index, not counting those that only change a
 * key.
 */
function below(path: readonly PathCertificate[], index: number): number {
  return path.slice(1, index).filter(({ subject, issuer }) => subject !== issuer).length;
}

/** An authority may not issue certificates for the names in the certificate of the host. */
export function nameConstraints(refusal: Refusal): Explained {
  const { host, tls, path, failure } = refusal;
  const isExcluded = /excluded/i.test(failure.message);
  const at = path.slice(1).find((one) => (isExcluded ? one.excluded : one.permitted).length > 0);
  const names = (tls?.names ?? []).slice(0, 5).join(', ');
  if (!at)
    return {
      message: message`an authority in the chain of ${host} may not issue certificates for its names${names === '' ? '' : ` (${names})`}.`,
      advice: message`Use a certificate from an authority that may do so.`,
    };
  const limits = (isExcluded ? at.excluded : at.permitted).slice(0, 5).join(', ');
  return {
    at,
    message: message`${nameOf(at, refusal)} may issue certificates ${isExcluded ? `for everything except ${limits}` : `only for ${limits}`} (name constraints); the certificate of ${host} names ${names || 'something else'}.`,
    advice: message`Use a certificate from an authority that may issue for these names, or one with only names that this authority may issue for.`,
  };
}

/** The signature of a certificate is not valid. */
export function badSignature(refusal: Refusal): Explained {
  const { host, path } = refusal;
  const at = path.find(({ signatureValid }) => signatureValid === false);
  return {
    at: at === undefined || at === path[0] ? null : at,
    message: message`the signature of ${at ? nameOf(at, refusal) : `a certificate in the chain of ${host}`} is not valid.`,
    advice: message`Install ${FULL_CHAIN} again: a file is corrupt, or belongs to another certificate.`,
  };
}

/** Explanations of a certificate that is not valid for the requested name or address. */

const CHECK_VIRTUAL_HOST = 'or check which virtual host responds';
const SHOWN = 5;

/** @param name the host name without a port; an IPv6 address has its brackets */
export function wrongHost({ name, tls }: { name: string; tls: TlsFacts | null }): {
  message: SafeText;
  advice: SafeText;
} {
  const bare = name.replace(/^\[|\]$/g, '');
  const wanted = `${isAddress(bare) ? 'IP' : 'DNS'}:${bare}`;
  if (tls && tls.names.length > 0) {
    const near = nearMiss(bare, tls.names);
    const advice =
      near?.isReissued === true
        ? message`Reissue it with the extension subjectAltName = ${wanted}, ${CHECK_VIRTUAL_HOST}.`
        : message`Use a certificate whose subject alternative names include ${name}, ${CHECK_VIRTUAL_HOST}.`;
    return {
      message: message`the certificate is not valid for ${name}; it names ${near?.message ?? `${shown(tls.names)}.`}`,
      advice,
    };
  }
  const only =
    tls && /(?:^|, )CN=/.test(tls.subject)
      ? `only the common name (CN) “${commonName(tls.subject)}”`
      : 'nor any other name';
  return {
    message: message`the certificate has no subjectAltName for ${bare}, ${only}.`,
    advice: message`Reissue it with the extension subjectAltName = ${wanted} (browsers ignore the common name), ${CHECK_VIRTUAL_HOST}.`,
  };
}

function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

function shown(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A name of the certificate that is similar to the expected one, with the reason. */
function nearMiss(bare: string, names: readonly string[]): { message: string; isReissued: boolean } | null {
  if (isAddress(bare) && names.includes(bare))
    return {
      message: message`${bare} as a DNS name, but for an address, clients use entries of type IP.`,
      isReissued: true,
    };
  const host = bare.toLowerCase();
  for (const name of names) {
    const lower = name.toLowerCase();
    if (/^(?:[^:]+|\[.+\]):\d{1,5}$/.test(name) && lower.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') === host)
      return { message: message`${name}, but names in a certificate have no port.`, isReissued: true };
    if (lower.replace(/^https?:\/\//, '').replace(/[:/].*$/, '') === host && lower.includes('://'))
      return { message: message`${name}, but a name in a certificate is not a URL.`, isReissued: true };
    const star = lower.lastIndexOf('*');
    if (star === -1) continue;
    const suffix = lower.slice(star + 1);
    if (!suffix.startsWith('.') || !`.${host}`.endsWith(suffix)) continue;
    // One label in place of the star: another reason, such as a star for a whole top-level domain.
    if (lower === `*${suffix}` && /^[^.]+$/.test(host.slice(0, -suffix.length))) continue;
    return {
      message:
        lower === `*${suffix}`
          ? `${name}, but * matches exactly one label.`
          : `${name}, but * is allowed only in the first label.`,
      isReissued: false,
    };
  }
  return null;
}
