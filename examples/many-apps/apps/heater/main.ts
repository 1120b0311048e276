export function isHeating(current: number, wanted: number): boolean {
  return current < wanted - 0.5;
}
