/** A path with the parameters of its query that are not null. */
export function pathWithQuery(path: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.append(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
