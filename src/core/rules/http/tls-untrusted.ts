import { message, safe, type SafeText } from '../../text/message.ts';
import { interceptorOrHost, interceptorOrService } from '../owners.ts';
import { tlsCause, type TlsCause } from '../../http/failed-request.ts';
import { TLS_CAUSES } from './tls-untrusted/causes.ts';
import type { TlsFacts, Probe } from '../../facts/facts.ts';
import type { Evidence } from '../../values/evidence.ts';
import { explainUntrusted } from '../../http/untrusted-certificate.ts';
import { hostnameOf, hostOf, lastHop, overProxy } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  ...TLS_CAUSES,
  'private-ca': {
    title: 'Only a locally added certificate authority makes the host trusted',
    owner: interceptorOrService,
  },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const tlsUntrusted = defineRule({
  id: 'tls-untrusted',
  title: 'Certificate that is not trusted',
  on: 'resource',
  needs: ['resource', 'web', 'now'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  owner: interceptorOrHost,
  byClock: ['expired', 'not-yet-valid'],
  hidesApp: true,
  hiddenReason: 'The certificate of the host of its metadata file is not trusted.',
  causes: CAUSES,
  failsWhen:
    'the certificate or the TLS version of a host is not trusted; the finding names the faulty certificate of the chain. A host that is trusted only because of `--ca`, `NODE_EXTRA_CA_CERTS` or the certificate store of the system is a note',
  why: 'Clients of subscribers close the connection before anything is fetched.',
  examples: {
    bad: 'tls CERT_HAS_EXPIRED 192.0.2.1:443',
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web, now }) {
    const probe = web.server;
    const { failure } = probe;
    const cause = tlsCause(probe);
    if (failure === null || cause === null) return privateAuthority(probe);
    const last = lastHop(probe);
    const host = hostOf(failure.url);
    const { message: summary, advice: usual, at } = explainUntrusted(cause, last?.tls ?? null, now, failure);
    const isPublic = last?.tls?.publicAuthority === true;
    const over = isPublic ? '' : overProxy(probe);
    const advice =
      over === ''
        ? usual
        : message`The request was sent${over}: if that proxy uses its own certificates, ${safe(correctionAtProxy(cause))}, or add ${hostnameOf(failure.url)} to NO_PROXY. Otherwise: ${safe(usual)}`;
    return {
      cause,
      message: message`The ${resourceName(resource)} cannot be fetched securely${over}: ${safe(summary)}`,
      advice,
      evidence: {
        host,
        code: failure.code,
        address: last?.address ?? null,
        ...(last?.proxy ? { proxy: `${last.proxy.url} (${last.proxy.variable})` } : {}),
        ...(isPublic ? { publicAuthority: true } : {}),
        ...evidenceOf(last?.tls ?? null),
        ...(at ? { certificate: at.subject, certificateNotAfter: at.notAfter } : {}),
        now,
      },
      dedupeKey: `${resource} ${host} ${cause}`,
    };
  },
});

/** The correction of a proxy that makes the certificates of hosts. */
function correctionAtProxy(cause: TlsCause): SafeText {
  return /^(self-signed|unknown-issuer|incomplete-chain)$/.test(cause)
    ? message`specify its authority with --ca <file> or NODE_EXTRA_CA_CERTS`
    : message`correct the proxy, which shows this instead of the host`;
}

const ADDED = {
  '--ca': 'was given with --ca',
  NODE_EXTRA_CA_CERTS: 'NODE_EXTRA_CA_CERTS adds',
  system: 'the certificate store of this system contains',
};

/** Trusted locally, but perhaps nowhere else. */
function privateAuthority(probe: Probe): Problem<Cause> | null {
  const hop = probe.hops.find(({ tls }) => tls?.privateCa);
  if (!hop?.tls) return null;
  const host = hostOf(hop.url);
  const { authority = '--ca', authorityName, issuer, notAfter } = hop.tls;
  const name = authorityName ?? issuer;
  const over = hop.proxy ? overProxy(probe) : null;
  const authorityFacts = { host, authority, name, issuer, notAfter, over };
  const key = JSON.stringify(authorityFacts);
  if (lastProblem?.key !== key) lastProblem = { key, problem: privateAuthorityProblem(authorityFacts) };
  return lastProblem.problem;
}

/** The last problem about a private authority: nearly always it is the same for all resources. */
let lastProblem: { key: string; problem: Problem<Cause> } | null = null;

interface AuthorityFacts extends Required<Pick<TlsFacts, 'authority' | 'issuer' | 'notAfter'>> {
  host: string;
  name: string;
  /** The proxy of the request, as in a sentence; null for none. */
  over: string | null;
}

function privateAuthorityProblem({ host, authority, name, issuer, notAfter, over }: AuthorityFacts): Problem<Cause> {
  const intercepted =
    over === null ? '' : ` The request was sent${over}, which may have replaced the host’s certificate with its own.`;
  return {
    severity: 'note',
    cause: 'private-ca',
    message: message`${host} is trusted only because of the certificate authority that ${ADDED[authority]} (${name}); subscribers may not trust it.${intercepted}`,
    advice: message`Ask the operator of the service to add this authority, or use a certificate from a public authority.`,
    evidence: {
      host,
      authority,
      ...(name === issuer ? {} : { authorityName: name }),
      issuer,
      notAfter,
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
