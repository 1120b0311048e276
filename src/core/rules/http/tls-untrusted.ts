import type { TlsFacts, Probe } from '../../facts/facts.ts';
import type { Evidence } from '../../engine/report.ts';
import { defineRule, type Problem } from '../rule.ts';
import { explainUntrusted } from '../../http/untrusted-certificate.ts';
import { hostnameOf, hostOf, lastHop, overProxy, tlsCause } from '../../http/probe.ts';

export const tlsUntrusted = defineRule({
  id: 'tls-untrusted',
  on: 'resource',
  needs: ['role', 'web', 'now'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  hidesApp: true,
  failsWhen:
    'the certificate or protocol of a host is not trusted: expired, not yet valid, self-signed, unknown issuer, incomplete chain, wrong host name (one that only the common name holds, without a subjectAltName, included), an intermediate certificate that may not issue it, a weak signature, too old a protocol; each a cause of its own, and the certificate of the chain that is at fault is named. A host that only `--ca`, `NODE_EXTRA_CA_CERTS` or the system’s store makes trusted is a note',
  why: 'Subscribers’ clients break the connection off before anything is fetched.',
  check({ role, web, now }) {
    const visit = web.server;
    const cause = tlsCause(visit);
    if (cause === null) return privateAuthority(visit);
    const last = lastHop(visit);
    const host = hostOf(visit.failure!.url);
    const { message, advice: usual, at } = explainUntrusted(cause, last?.tls ?? null, now, visit.failure!);
    const over = overProxy(visit);
    const intercepted = over !== '' && /^(self-signed|unknown-issuer|incomplete-chain)$/.test(cause);
    const advice = intercepted
      ? `It was asked${over}: if that proxy shows certificates of its own, give its authority with --ca <file> or NODE_EXTRA_CA_CERTS, or name ${hostnameOf(visit.failure!.url)} in NO_PROXY. Otherwise: ${usual}`
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
        ...(at ? { certificate: at.subject, certificateNotAfter: at.notAfter } : {}),
        now,
      },
      dedupeKey: `${role} ${host} ${cause}`,
    };
  },
});

const ADDED = {
  '--ca': 'was given with --ca',
  NODE_EXTRA_CA_CERTS: 'NODE_EXTRA_CA_CERTS adds',
  system: 'the store of this system adds',
};

/** Trusted locally, but perhaps nowhere else. */
function privateAuthority(visit: Probe): Problem | null {
  const hop = visit.hops.find((h) => h.tls?.privateCa);
  if (!hop) return null;
  const host = hostOf(hop.url);
  const { authority = '--ca', authorityName, issuer } = hop.tls!;
  const name = authorityName ?? issuer;
  const intercepted = hop.proxy
    ? ` It was asked${overProxy(visit)}, which may have put its own certificate in the place of the host’s.`
    : '';
  return {
    severity: 'note',
    cause: 'private-ca',
    message: `${host} is trusted only because of the certificate authority that ${ADDED[authority]} (${name}); subscribers may not know it.${intercepted}`,
    advice: 'Have the service’s operator add this authority, or use a certificate of a public one.',
    evidence: {
      host,
      authority,
      ...(name === issuer ? {} : { authorityName: name }),
      issuer,
      notAfter: hop.tls!.notAfter,
    },
    dedupeKey: host,
  };
}

function evidenceOf(tls: TlsFacts | null): Evidence {
  if (!tls) return {};
  const { protocol, subject, names, issuer, notBefore, notAfter, fingerprint256, chainLength, sent, path } = tls;
  return {
    protocol,
    subject,
    names: names.slice(0, 20),
    issuer,
    notBefore,
    notAfter,
    fingerprint256,
    chainLength,
    ...(sent === undefined ? {} : { sent }),
    ...(path && path.length > 1 ? { chain: path.map((one) => one.subject) } : {}),
  };
}
