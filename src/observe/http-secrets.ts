/** Takes header values out of a text, with and without the scheme in front of them (`Bearer …`). */
export function concealer(values: readonly string[]): (text: string) => string {
  // A value of a few characters is no secret, and stands everywhere.
  const hidden = values.flatMap((value) => [value, value.replace(/^\w+ +/, '')]).filter((value) => value.length >= 4);
  return (text) => hidden.reduce((seen, value) => seen.replaceAll(value, 'REDACTED'), text);
}
