import type { Failure, TlsFacts, Visit } from '../facts.ts';
import type { Evidence } from '../report.ts';
import { defineRule, type Problem } from '../rule.ts';
import { spanOf } from '../span.ts';
import { hostOf, lastHop, overProxy, tlsCause } from '../visit.ts';

/** Seconds: what ended before that was not merely forgotten at its renewal. */
const LONG_AGO = 180 * 86_400;

export const tlsUntrusted = defineRule({
  id: 'tls-untrusted',
  on: 'resource',
  needs: ['role', 'web', 'now'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  hides: true,
  when: 'the certificate or protocol of a host is not trusted: expired, not yet valid, self-signed, unknown issuer, incomplete chain, wrong host name, too old a protocol; each a cause of its own. A host that only `--ca`, `NODE_EXTRA_CA_CERTS` or the system’s store makes trusted is a note',
  why: 'Subscribers’ clients break the connection off before anything is fetched.',
  check({ role, web, now }) {
    const visit = web.service;
    const cause = tlsCause(visit);
    if (cause === null) return privateAuthority(visit);
    const last = lastHop(visit);
    const host = hostOf(visit.failure!.url);
    const { message, advice: usual } = explain(cause, host, last?.tls ?? null, now, visit.failure!);
    const over = overProxy(visit);
    const intercepted = over !== '' && /^(self-signed|unknown-issuer|incomplete-chain)$/.test(cause);
    const advice = intercepted
      ? `It was asked${over}: if that proxy shows certificates of its own, give its authority with --ca <file> or NODE_EXTRA_CA_CERTS, or name ${host} in NO_PROXY. Otherwise: ${usual}`
      : usual;
    return {
      cause,
      message: `The ${role} cannot be fetched safely: ${message}`,
      advice,
      evidence: {
        host,
        code: visit.failure!.code,
        address: last?.address ?? null,
        ...(last?.proxy ? { proxy: `${last.proxy.url} (${last.proxy.variable})` } : {}),
        ...evidenceOf(last?.tls ?? null),
        now,
      },
      once: `${role} ${host} ${cause}`,
    };
  },
});

const ADDED = {
  '--ca': 'was given with --ca',
  NODE_EXTRA_CA_CERTS: 'NODE_EXTRA_CA_CERTS adds',
  system: 'the store of this system adds',
};

/** Trusted here, but perhaps nowhere else. */
function privateAuthority(visit: Visit): Problem | null {
  const hop = visit.hops.find((h) => h.tls?.privateCa);
  if (!hop) return null;
  const host = hostOf(hop.url);
  const { authority = '--ca' } = hop.tls!;
  const intercepted = hop.proxy
    ? ` It was asked${overProxy(visit)}, which may have put its own certificate in the place of the host’s.`
    : '';
  return {
    severity: 'note',
    cause: 'private-ca',
    message: `${host} is trusted only because of the certificate authority that ${ADDED[authority]} (${hop.tls!.issuer}); subscribers may not know it.${intercepted}`,
    advice: 'Have the service’s operator add this authority, or use a certificate of a public one.',
    evidence: { host, authority, issuer: hop.tls!.issuer, notAfter: hop.tls!.notAfter },
    once: host,
  };
}

function evidenceOf(tls: TlsFacts | null): Evidence {
  if (!tls) return {};
  const { protocol, subject, names, issuer, notBefore, notAfter, fingerprint256, chainLength } = tls;
  return { protocol, subject, names: names.slice(0, 20), issuer, notBefore, notAfter, fingerprint256, chainLength };
}

function explain(
  cause: string,
  host: string,
  tls: TlsFacts | null,
  now: string,
  { code, message: text }: Failure,
): { message: string; advice: string } {
  const names = tls && tls.names.length > 0 ? tls.names.slice(0, 5).join(', ') : 'no name at all';
  const ended = tls ? Math.round((Date.parse(now) - Date.parse(tls.notAfter)) / 1000) : 0;
  switch (cause) {
    case 'expired':
      return {
        message: tls
          ? `the certificate of ${host} ended ${spanOf(ended)} ago, at ${tls.notAfter}.`
          : `the certificate of ${host} has ended.`,
        advice:
          ended > LONG_AGO
            ? `Install a valid certificate: perhaps an old file was put back, or this machine’s clock is wrong (it is ${now} here).`
            : 'Renew the certificate, and see why its renewal did not run.',
      };
    case 'not-yet-valid':
      return {
        message: `the certificate of ${host} is valid only from ${tls?.notBefore ?? 'a later moment'} on; it is ${now} here.`,
        advice: 'Check the clocks of the host and of this machine.',
      };
    case 'self-signed':
      return {
        message: `the certificate of ${host} is signed by itself.`,
        advice:
          'Use a certificate of a public authority; to check a private host all the same, give its authority with --ca <file>.',
      };
    case 'unknown-issuer':
      return {
        message: `this machine does not trust the issuer of the certificate of ${host} (${tls?.issuer ?? 'unknown'}): ${
          code === 'SELF_SIGNED_CERT_IN_CHAIN'
            ? 'the chain is whole and ends in an authority that it does not know'
            : 'it does not know that authority, and the host does not send the certificate that would lead to a known one'
        }.`,
        advice: `If the authority is a private one, check with --ca <file>, and have the service’s operator add it. Otherwise use a certificate of a public authority${
          code === 'SELF_SIGNED_CERT_IN_CHAIN' ? '' : ', and install its full chain (fullchain.pem)'
        }.`,
      };
    case 'incomplete-chain':
      return {
        message: `${host} sends its certificate alone, and its issuer (${tls?.issuer ?? 'unknown'}) is none that clients know: the intermediate certificate is missing, or the authority is a private one.`,
        advice:
          'Install the full chain (fullchain.pem). Browsers may hide this fault by fetching what is missing; other clients do not. To check a host of a private authority, give it with --ca <file>.',
      };
    case 'wrong-host':
      return {
        message: `the certificate is not made for ${host}; it names ${names}.`,
        advice: `Use a certificate whose subject alternative names hold ${host}${tls && tls.names.length === 0 ? ' (a common name alone is not looked at)' : ''}, or check which virtual host answers.`,
      };
    case 'old-protocol':
      return {
        message: `${host} speaks only versions of TLS that are no longer in use.`,
        advice: 'Enable TLS 1.2 and 1.3.',
      };
    case 'weak-signature':
      return {
        message: `a certificate in the chain of ${host} has too weak a key or signature.`,
        advice: 'Issue it anew: RSA with 2048 bits or more, or an elliptic curve, signed with SHA-256.',
      };
    case 'wrong-purpose':
      return {
        message: `the certificate of ${host} is not made for servers.`,
        advice: 'Issue it with the extended key usage serverAuth.',
      };
    case 'client-certificate-required':
      return {
        message: `${host} asks for a client certificate; the service has none.`,
        advice: 'Protect the files by signed URLs instead (spec section 5).',
      };
    default:
      return {
        message: `the certificate of ${host} is refused: ${text}.`,
        advice: 'See what openssl s_client -showcerts says about it.',
      };
  }
}
