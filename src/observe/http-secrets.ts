/**
 * Takes header values out of a text: with and without the scheme in front of them (`Bearer …`), what `Basic` encodes,
 * and each also as hosts write it back in a URL, in a form, in JSON or in base64.
 */
export function concealer(values: readonly string[]): (text: string) => string {
  const plain = values.flatMap((value) => {
    const bare = value.replace(/^\w+ +/, '');
    return /^basic +/i.test(value) ? [value, bare, ...loginOf(bare)] : [value, bare];
  });
  // A value of a few characters is no secret, and stands everywhere.
  const forms = plain.filter((value) => value.length >= 4).flatMap(formsOf);
  // The longest first: what is left of a form that a shorter one was taken out of would still tell something.
  const hidden = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((seen, value) => seen.replaceAll(value, 'REDACTED'), text);
}

/** The user name with the password, and the password, of `Basic` credentials. */
function loginOf(encoded: string): string[] {
  const login = Buffer.from(encoded, 'base64').toString();
  const colon = login.indexOf(':');
  return colon === -1 ? [] : [login, login.slice(colon + 1)];
}

function formsOf(value: string): string[] {
  const inUrl = encodeURIComponent(Buffer.from(value).toString());
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    inUrl.replaceAll(/%../g, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
  ];
}
