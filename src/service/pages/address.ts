/** A path with the parameters of its query that are not null. */
export function address(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
