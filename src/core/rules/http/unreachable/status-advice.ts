import { type SafeText, message } from '../../../text/message.ts';

/** Meaning of each status of RFC 9110 and the IANA registry, and those of common products, for a static file. */

interface StatusAdvice {
  /** To follow "the host responds with 409: ". */
  means: string;
  advice: SafeText;
}

const REDIRECT = message`Serve the file at this URL, or redirect to it with a Location header.`;
const REQUEST = message`Configure the host to accept a plain GET request without a body for this file.`;
const SERVER = message`The host has a problem: check its logs or status page.`;
const CDN = message`Check that the server behind the CDN runs and accepts connections of the CDN.`;

const row = (means: string, advice: SafeText): StatusAdvice => ({ means, advice });

const STATUS_ADVICE: Readonly<Record<number, StatusAdvice>> = {
  300: row(
    'the host offers several files for this URL',
    message`List the URL of one of them, or turn off content negotiation for it.`,
  ),
  305: row('the host requests the use of a proxy, which clients do not follow', REDIRECT),
  306: row('this status is no longer used', REDIRECT),
  400: row(
    'the host considers the request invalid',
    message`Check the URL, above all its query and escaped characters.`,
  ),
  402: row(
    'the host requires a payment, or the quota of the account is used up',
    message`Check the plan, the bill and the quotas of the account at the host.`,
  ),
  405: row(
    'the host does not allow GET for this URL',
    message`Check the URL (it may be one for uploads or of an API), and allow GET and HEAD.`,
  ),
  406: row(
    'the host has no representation that the client accepts',
    message`Turn off content negotiation for this file: send it regardless of Accept headers.`,
  ),
  408: row(
    'the host did not receive the request in time',
    message`Check the timeouts of the host, and proxies in between: run the check again.`,
  ),
  409: row(
    'the file conflicts with the state of the store',
    message`Check in the store that the file is complete, public and not archived.`,
  ),
  411: row('the host requires a Content-Length', REQUEST),
  412: row('a precondition failed although none was sent', REQUEST),
  413: row('the host considers the request too large', REQUEST),
  414: row('the host considers the URL too long', message`List a shorter URL, or raise the limit of the host.`),
  415: row('the host does not support the type of the request', REQUEST),
  416: row(
    'the host cannot serve the range, although none was requested',
    message`A cache in front of the host is broken: purge it.`,
  ),
  417: row('the host refuses an expectation that was not sent', REQUEST),
  418: row(
    'the host refuses the request; some firewalls respond in this way',
    message`Check the firewall and bot rules of the host, and exempt the registry’s files.`,
  ),
  421: row(
    'the server is not responsible for this host name',
    message`Configure the server for this name, and check that its certificate and DNS records belong to the same server.`,
  ),
  422: row('the host cannot process the request', REQUEST),
  423: row('the file is locked', message`Remove the lock of the file (WebDAV).`),
  424: row('a request on which this one depends failed', SERVER),
  425: row(
    'the host does not accept early data, although none was sent',
    message`Turn off TLS early data (0-RTT) between the CDN and the host.`,
  ),
  426: row(
    'the host requires another protocol version',
    message`Accept HTTP/1.1 for this file: not all clients can upgrade.`,
  ),
  428: row(
    'the host requires a conditional request',
    message`Require preconditions only for changes (PUT, DELETE), not for GET.`,
  ),
  431: row(
    'the host considers the request headers too large',
    message`Raise the limit of the host for request headers.`,
  ),
  444: row('nginx closed the connection without a response', message`Check the rules of nginx that return 444.`),
  499: row(
    'a proxy reports that its client closed the connection',
    message`Check the timeouts of the proxies in front of the host.`,
  ),
  500: row('the server failed', SERVER),
  501: row(
    'the server does not support GET for this file',
    message`Check that a web server for static files serves this URL.`,
  ),
  502: row('a proxy got no valid response from the server behind it', SERVER),
  503: row(
    'the host is unavailable: it is overloaded, in maintenance, or limits requests',
    message`Check the status page, the load and the limits of requests (nginx: limit_req, limit_conn) of the host, and try again later.`,
  ),
  504: row('a proxy got no response in time from the server behind it', SERVER),
  505: row('the host refuses HTTP/1.1', message`Enable HTTP/1.1 on the host; not all clients support HTTP/2.`),
  506: row(
    'the content negotiation of the host refers to itself',
    message`Correct its configuration, or turn off content negotiation for this file.`,
  ),
  507: row('the storage of the host is full', message`Free space at the host, or raise its quota.`),
  508: row(
    'the host detected a loop, or reached a resource limit',
    message`Check rewrites and includes for loops, and the resource limits of the hosting plan.`,
  ),
  509: row('the bandwidth of the hosting plan is used up', message`Raise the bandwidth limit, or choose another host.`),
  510: row('the host requires an extension of HTTP', REQUEST),
  520: row('the server behind the CDN sent an unexpected response', CDN),
  521: row('the server behind the CDN refuses its connections', CDN),
  522: row('connections of the CDN to the server behind it time out', CDN),
  523: row(
    'the CDN cannot reach the server behind it',
    message`Check the DNS record that the CDN uses for the server behind it.`,
  ),
  524: row('the server behind the CDN did not respond in time', CDN),
  525: row(
    'the TLS handshake between the CDN and the server behind it failed',
    message`Check the TLS settings and the certificate of the server behind the CDN.`,
  ),
  526: row(
    'the certificate of the server behind the CDN is not valid',
    message`Renew the certificate of the server behind the CDN.`,
  ),
  527: row('the connection between the CDN and the server behind it failed', CDN),
  529: row('the host is overloaded', message`Check the load of the host, and try again later.`),
  530: row(
    'the CDN cannot resolve or reach the server behind it',
    message`Check the settings and the DNS record of the site at the CDN.`,
  ),
  999: row(
    'the host refuses automated clients',
    message`Exempt the registry’s files from bot protection, or choose another host.`,
  ),
};

/** Meaning of a status, and advice; for unknown ones by their class (RFC 9110 section 15). */
export function statusAdvice(status: number): StatusAdvice {
  const known = STATUS_ADVICE[status];
  if (known !== undefined) return known;
  if (status < 300)
    return row('this is not a response with the file', message`Configure the host to respond with 200.`);
  if (status < 400) return row('clients do not follow a redirect with this status', REDIRECT);
  if (status < 500)
    return row(
      'the host refuses the request',
      message`Check the logs of the host for the reason, and configure it to respond with 200.`,
    );
  if (status < 600) return row('the server failed', SERVER);
  return row(
    'this is not a status of HTTP',
    message`Check the server or the firewall that sends it, and configure it to respond with 200.`,
  );
}
