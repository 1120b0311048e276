import { type SafeText, message, safe } from '../text/message.ts';
import type { Failure, Probe } from '../facts/facts.ts';
import { hostnameOf, hostOf, lastHop } from './probe.ts';

type ProxyCause =
  | 'proxy-authentication'
  | 'proxy-refused-host'
  | 'proxy-cannot-reach-host'
  | 'proxy-untrusted'
  | 'proxy-handshake'
  | 'proxy-page'
  | 'proxy-unusable'
  | 'proxy-not-found'
  | 'proxy-refused'
  | 'proxy-timeout'
  | 'proxy-not-http'
  | 'proxy-reset'
  | 'proxy-failed';

interface ProxyFault {
  cause: ProxyCause;
  message: SafeText;
  advice: SafeText;
}

/** Names in the messages. */
interface ProxyContext {
  /** The proxy with the variable that names it. */
  proxy: string;
  variable: string;
  /** The host that was requested, with its port. */
  host: string;
  /** The correction of the variable. */
  fix: SafeText;
  failure: Failure;
}

/**
 * Explains a request that failed at the proxy of the environment: a local fault, or a host that the proxy may not
 * reach.
 */
export function proxyFault(probe: Probe): ProxyFault | null {
  const { failure } = probe;
  if (failure?.phase !== 'proxy') return null;
  const { url = '', variable = 'HTTPS_PROXY' } = lastHop(probe)?.proxy ?? {};
  const context = {
    proxy: `the proxy ${url === '' ? '' : `${url} `}(${variable})`,
    variable,
    host: hostOf(failure.url),
    fix: message`Correct ${variable}, or add ${hostnameOf(failure.url)} to NO_PROXY if it is reached without a proxy.`,
    failure,
  };
  const status = /^PROXY_(\d{3})$/.exec(failure.code)?.[1];
  if (status !== undefined) return faultByStatus(Number(status), context);
  return certificateFault(context) ?? faultByCode(context);
}

/** The certificate of the proxy itself, to which the connection is encrypted. */
function certificateFault({ proxy, variable, failure }: ProxyContext): ProxyFault | null {
  const { code } = failure;
  if (!/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|INVALID_|HOSTNAME_)/.test(code)) return null;
  const fault = CERTIFICATE_FAULTS.find(([pattern]) => pattern.test(code));
  const [, what, advice] = fault ?? [null, message`is not trusted`, null];
  return {
    cause: 'proxy-untrusted',
    message: message`the certificate of ${proxy} itself ${safe(what)} (${code}).`,
    advice:
      advice === null
        ? message`Specify the authority that issued it with --ca <file> or NODE_EXTRA_CA_CERTS.`
        : message`${safe(advice)} ${variable} may also name another proxy.`,
  };
}

const CERTIFICATE_FAULTS: readonly [code: RegExp, what: SafeText, advice: SafeText][] = [
  [/EXPIRED/, message`has expired`, message`Have its operator renew it, or correct the clock of this machine.`],
  [/NOT_YET_VALID/, message`is not valid yet`, message`Correct the clock of this machine, or that of the proxy.`],
  [
    /ALTNAME|HOSTNAME/,
    message`is for another name`,
    message`Write the name that the certificate has in the proxy variable.`,
  ],
];

/** The proxy answered CONNECT with an error status. */
function faultByStatus(status: number, { proxy, variable, host, failure }: ProxyContext): ProxyFault {
  if (status === 407)
    return {
      cause: 'proxy-authentication',
      message: message`${proxy} requires authentication (407).`,
      advice: message`Add a user name and a password before the host in ${variable} (special characters percent-encoded).`,
    };
  if (status < 500)
    return {
      cause: 'proxy-refused-host',
      message: message`${proxy} refuses the connection to ${host}: ${failure.message}.`,
      advice: message`Allow ${host}, or add it to NO_PROXY if it is reached without a proxy.`,
    };
  return {
    cause: 'proxy-cannot-reach-host',
    message: message`${proxy} could not reach ${host}: ${failure.message}.`,
    advice: message`Check that the host exists and is running, and check the proxy’s logs: only the proxy is visible from here.`,
  };
}

/** The connection to the proxy could not be established, or was closed. */
function faultByCode({ proxy, variable, host, fix, failure }: ProxyContext): ProxyFault {
  switch (failure.code) {
    case 'PROXY_UNUSABLE':
      return {
        cause: 'proxy-unusable',
        message: message`${variable} is set to ${failure.message}, which cannot be used.`,
        advice: message`Set ${variable} to http://host:port or https://host:port, or unset it.`,
      };
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EAI_AGAIN':
      return { cause: 'proxy-not-found', message: message`the name of ${proxy} could not be resolved.`, advice: fix };
    case 'ECONNREFUSED':
      return { cause: 'proxy-refused', message: message`no server listens at ${proxy}.`, advice: fix };
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { cause: 'proxy-timeout', message: message`${proxy} timed out.`, advice: fix };
    case 'PROXY_NOT_HTTP':
      return { cause: 'proxy-not-http', message: message`the server at ${proxy} is not an HTTP proxy.`, advice: fix };
    case 'PROXY_PAGE':
      return {
        cause: 'proxy-page',
        message: message`${proxy} responded to CONNECT with a page instead of a tunnel to ${host}.`,
        advice: message`Sign in to the proxy or the network in a browser if the page asks for it. ${safe(fix)}`,
      };
    case 'ECONNRESET':
    case 'SOCKET_CLOSED':
    case 'EPIPE':
      return {
        cause: 'proxy-reset',
        message: message`${proxy} closed the connection before it reached ${host}.`,
        advice: fix,
      };
    default:
      if (/^(ERR_SSL_|EPROTO)/.test(failure.code))
        return {
          cause: 'proxy-handshake',
          message: message`the TLS handshake with ${proxy} failed (${failure.code}).`,
          advice: message`Enable TLS 1.2 and 1.3 at the proxy, or write http:// in ${variable} if it is reached without TLS. ${safe(fix)}`,
        };
      return {
        cause: 'proxy-failed',
        message: message`no connection to ${proxy} could be established: ${failure.message} (${failure.code}).`,
        advice: fix,
      };
  }
}
