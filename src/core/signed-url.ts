/** When signed URLs end, as the usual hosts write it into the query. */

/** The end of a signed URL in milliseconds since 1970, and the scheme that says so; null when it has none. */
export function signatureEnd(query: URLSearchParams): { until: number; scheme: string } | null {
  const lower = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  return (
    dateAndSeconds(lower, 'x-amz-date', 'x-amz-expires', 'x-amz-signature', 'AWS SigV4') ??
    dateAndSeconds(lower, 'x-goog-date', 'x-goog-expires', 'x-goog-signature', 'Google V4') ??
    moment(
      lower,
      'expires',
      [
        'signature',
        'key-pair-id',
        'awsaccesskeyid',
        'googleaccessid',
        'sig',
        'hmac',
        'policy',
        // nginx's secure_link, and CDNs that do alike.
        'md5',
        'token',
        'hash',
      ],
      'Expires',
    ) ??
    moment(lower, 'se', ['sig'], 'Azure SAS')
  );
}

function dateAndSeconds(
  query: Map<string, string>,
  date: string,
  seconds: string,
  signature: string,
  scheme: string,
): { until: number; scheme: string } | null {
  const start = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get(date) ?? '');
  const length = query.get(seconds) ?? '';
  if (!start || !/^\d{1,9}$/.test(length) || !query.has(signature)) return null;
  const [, year, month, day, hour, minute, second] = start.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { until: Date.UTC(year, month - 1, day, hour, minute, second) + Number(length) * 1000, scheme };
}

/** Without a zone, `Date.parse` would take the moment for local time. */
function inUtc(text: string): string {
  return /T[\d:.]+$/.test(text) ? `${text}Z` : text;
}

function moment(
  query: Map<string, string>,
  name: string,
  signatures: readonly string[],
  scheme: string,
): { until: number; scheme: string } | null {
  const text = query.get(name);
  if (text === undefined || !signatures.some((signature) => query.has(signature))) return null;
  const until = /^\d{9,11}$/.test(text)
    ? Number(text) * 1000
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Date.parse(inUtc(text))
      : Number.NaN;
  return Number.isNaN(until) || until > 8.64e15 ? null : { until, scheme };
}
