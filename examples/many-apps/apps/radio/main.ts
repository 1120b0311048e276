const stations = new Map([
  ['news', 98.2],
  ['jazz', 101.5],
]);

export function frequencyOf(station: string): number | null {
  return stations.get(station) ?? null;
}
